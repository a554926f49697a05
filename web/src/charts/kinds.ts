/** How categories are told apart: by shape and colour together, and named in a key. */

import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
  type SymbolType,
} from "d3-shape"
import { legible, shorten, textWidth, wrap } from "./names"
import { LABEL_SIZE, PAPER, el, label } from "./svg"

const SHAPES: SymbolType[] = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
]
const COLORS = ["#1f5f9e", "#a8541c", "#2b7a4b", "#8a3f8f", "#b3304f", "#5b6470", "#0f7c86", "#7a6a00"]

/** A category: what it is called, its colour, its shape. */
export interface Kind {
  name: string
  color: string
  shape: SymbolType
}

/** Eight colours and seven shapes: 56 pairs before one comes back. */
export function kinds(names: readonly string[]): Kind[] {
  return names.map((name, i) => ({
    name,
    color: `var(--rb-c${(i % COLORS.length) + 1}, ${COLORS[i % COLORS.length]})`,
    shape: SHAPES[i % SHAPES.length]!,
  }))
}

/** Names in the order of their first use; null stands for none. */
export function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value): value is string => value !== null))]
}

/** The shape of a category with its middle at a point. */
export function mark(kind: Kind, x: number, y: number, area = 64): SVGPathElement {
  const shape = symbol(kind.shape, area)() ?? ""
  const transform = `translate(${Math.round(x * 100) / 100},${Math.round(y * 100) / 100})`
  // A rim of paper keeps a mark visible on a bar of any colour.
  return el("path", { d: shape, transform, fill: kind.color, stroke: PAPER, "stroke-width": 1 })
}

/** One line of a key: how to draw its sign, and what it means. */
export interface KeyEntry {
  text: string
  /** Draws the sign in a box of 18 by 12 pixels whose middle is given. */
  sign: (x: number, y: number) => Node
}

export interface Key {
  group: SVGGElement
  height: number
}

const LINE = 20
const SIGN = 18
const MOST_LINES = 3

/** The key of a drawing, in as many lines as the width asks for; long texts break between words. */
export function key(entries: readonly KeyEntry[], left: number, top: number, width: number): Key {
  const group = el("g", { class: "rb-key", "aria-hidden": "true" })
  let x = left
  let y = top + LINE / 2
  entries.forEach(({ text, sign }) => {
    const lines = wrap(legible(text), width - SIGN - 8, LABEL_SIZE)
    const wide = SIGN + 6 + Math.max(...lines.map((line) => textWidth(line, LABEL_SIZE))) + 14
    if (x > left && (lines.length > 1 || x + wide - 14 > left + width)) {
      x = left
      y += LINE
    }
    group.append(sign(x + SIGN / 2, y))
    lines.slice(0, MOST_LINES).forEach((line, k) => {
      if (k > 0) y += LINE - 4
      const rest = k === MOST_LINES - 1 ? lines.slice(k).join(" ") : line
      group.append(label(x + SIGN + 6, y, shorten(rest, width - SIGN - 8, LABEL_SIZE)))
    })
    x += lines.length > 1 ? width + 1 : wide
  })
  return { group, height: entries.length === 0 ? 0 : y - top + LINE / 2 + 4 }
}
