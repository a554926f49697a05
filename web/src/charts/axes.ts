/** Scales and axes, the same for all charts. */

import { axisBottom, axisLeft, axisTop, type Axis } from "d3-axis"
import { scaleLinear, type ScaleLinear } from "d3-scale"
import { select } from "d3-selection"
import { INK, label, MUTED, RULE, TICK_SIZE, el } from "./svg"
import { textWidth } from "./names"
import { rankTicks } from "./ticks"

export type Scale = ScaleLinear<number, number>

/** Ranks on a line: each of the `size` ranks takes an equal share of it, rank 1 from 0 to 1. */
export function rankScale(size: number, left: number, right: number): Scale {
  return scaleLinear([0, Math.max(size, 1)], [left, right])
}

/** Axis of ranks with faint lines down to `bottom`; ticks stand in the middle of their share. */
export function rankAxis(scale: Scale, size: number, top: number, bottom: number): SVGGElement {
  const [left = 0, right = 0] = scale.range()
  const middle = scale.copy().domain([0.5, Math.max(size, 1) + 0.5])
  const axis = axisTop(middle).tickValues(rankTicks(size, right - left)).tickFormat((rank) => String(rank))
  return drawn(axis, top, bottom - top)
}

/** Axis of numbers; as many ticks as the room allows. */
export function numberAxis(
  scale: Scale,
  top: number,
  bottom: number,
  format?: (value: number) => string,
): SVGGElement {
  const [left = 0, right = 0] = scale.range()
  const room = Math.abs(right - left)
  for (let count = Math.max(2, Math.floor(room / 56)); ; count -= 1) {
    const ticks = scale.ticks(count)
    const shown = format ?? scale.tickFormat(count)
    const widest = Math.max(0, ...ticks.map((tick) => textWidth(shown(tick), TICK_SIZE)))
    const distance = ticks.length > 1 ? room * Math.abs((ticks[1]! - ticks[0]!) / (scale.domain()[1]! - scale.domain()[0]!)) : room
    if (count > 1 && widest + 8 > distance) continue
    return drawn(axisTop(scale).tickValues(ticks).tickFormat((v) => shown(Number(v))), top, bottom - top)
  }
}

/** Axis below or left of a plot of two dimensions, with lines across it. */
export function sideAxis(
  side: "bottom" | "left",
  scale: Scale,
  at: number,
  across: number,
  ticks: number[],
  format: (value: number) => string,
): SVGGElement {
  const axis = (side === "bottom" ? axisBottom(scale) : axisLeft(scale)).tickValues(ticks)
  axis.tickFormat((value) => format(Number(value)))
  const group = el("g", { transform: side === "bottom" ? `translate(0,${at})` : `translate(${at},0)` })
  return finished(axis, group, side === "bottom" ? { y2: -across } : { x2: across })
}

function drawn(axis: Axis<number | { valueOf(): number }>, top: number, length: number): SVGGElement {
  return finished(axis, el("g", { transform: `translate(0,${top})` }), { y2: length })
}

function finished(
  axis: Axis<number | { valueOf(): number }>,
  group: SVGGElement,
  line: Record<string, number>,
): SVGGElement {
  // A fixed offset: the usual one depends on the screen.
  axis.offset(0).tickSize(0).tickPadding(7)
  const drawing = select(group).call(axis)
  drawing.attr("font-family", null).attr("font-size", TICK_SIZE).attr("aria-hidden", "true")
  drawing.select(".domain").remove()
  drawing.selectAll("text").attr("fill", MUTED)
  for (const [name, value] of Object.entries(line)) drawing.selectAll(".tick line").attr(name, value)
  drawing.selectAll(".tick line").attr("stroke", RULE)
  return group
}

/** What an axis counts, written above its left end or, with `anchor` "end", its right end. */
export function axisTitle(x: number, y: number, text: string, anchor: "start" | "end" = "start"): SVGTextElement {
  return label(x, y, text, { class: "rb-axis", "font-size": TICK_SIZE, fill: INK, "font-weight": 600, "text-anchor": anchor })
}
