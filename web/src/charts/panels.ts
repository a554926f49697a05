/** Scores with intervals on a line: the mark, its whiskers, and a scale that holds them. */

import { scaleLinear } from "d3-scale"
import type { Scale } from "./axes"
import { BAR, PAPER, RULE, el } from "./svg"

/** A scale that holds all numbers given, with a little air; missing ones are left out. */
export function valueScale(
  values: readonly (number | null)[],
  left: number,
  right: number,
  limits?: readonly [number, number],
): Scale {
  if (limits) return scaleLinear(limits, [left + 6, right - 6])
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!known(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) [low, high] = [0, 1]
  if (low === high) [low, high] = [low - 0.5, high + 0.5]
  const air = (high - low) * 0.03
  return scaleLinear([low - air, high + air], [left, right])
}

/** Whether there is a number. */
export function known(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value)
}

/** A score and its interval: a line with a dot on it; nothing where there is no score. */
export function whisker(
  scale: Scale,
  y: number,
  value: number | null | undefined,
  low: number | null | undefined,
  high: number | null | undefined,
  color = BAR,
): Node[] {
  const marks: Node[] = []
  if (known(low) && known(high)) {
    const [x1, x2] = [scale(low), scale(high)]
    marks.push(el("line", { x1, x2, y1: y, y2: y, stroke: color, "stroke-width": 2.5, "stroke-linecap": "round" }))
  }
  if (known(value)) {
    marks.push(el("circle", { cx: scale(value), cy: y, r: 4, fill: color, stroke: PAPER, "stroke-width": 1.25 }))
  }
  return marks
}

/** A faint line across a panel. */
export function trackBetween(left: number, right: number, y: number): SVGLineElement {
  return el("line", { x1: left, x2: right, y1: y, y2: y, stroke: RULE })
}
