/** Elements of a drawing, and what every chart has in common. */

import { thousands } from "./numbers"
import { legible } from "./names"

const NAMESPACE = "http://www.w3.org/2000/svg"

/** What every chart takes beside its data. Colours come from CSS variables, see charts.css. */
export interface ChartOptions {
  /** Unique in the page: prefix of the identifiers inside the drawing. */
  id: string
  /** Space there is, in CSS pixels; 320 to 1200. */
  width: number
  /** Short name of the picture, the start of its text alternative. */
  title: string
  /** What it shows, in place of the sentence made from the data. */
  description?: string
  /** Called with the position of the model (or task) that the reader chose. */
  onSelect?: (position: number) => void
  /** Most rows that are drawn; a line of text says how many are left out. */
  limit?: number
}

export type Cell = string | number | null

/** The numbers behind a chart. */
export interface DataTable {
  columns: string[]
  rows: Cell[][]
}

export type Attributes = Record<string, string | number | null | undefined>

/** Ink of the drawings; the second value holds where a page has no charts.css. */
export const INK = "var(--rb-ink, #16191d)"
export const MUTED = "var(--rb-muted, #565f69)"
export const RULE = "var(--rb-rule, #dfe3e7)"
export const PAPER = "var(--rb-paper, #ffffff)"
export const BAR = "var(--rb-bar, #1f5f9e)"
export const SECOND = "var(--rb-second, #a8541c)"

export const LABEL_SIZE = 12
export const TICK_SIZE = 11

/** A new SVG element. */
export function el<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMESPACE, tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue
    element.setAttribute(name, typeof value === "number" ? String(round(value)) : value)
  }
  element.append(...children)
  return element
}

/** Text of the drawing; never markup. */
export function label(
  x: number,
  y: number,
  text: string,
  attributes: Attributes = {},
): SVGTextElement {
  const size = attributes["font-size"] ?? LABEL_SIZE
  // A shift by a third of the size centres text on its line in every browser and in exports.
  const settings = { x, y: y + 0.35 * Number(size), fill: INK, "font-size": size, ...attributes }
  return el("text", { ...settings, direction: "ltr", "unicode-bidi": "isolate" }, legible(text))
}

/** What a pointer that rests on a mark is told. */
export function hint(text: string): SVGTitleElement {
  return el("title", {}, legible(text))
}

/** Two decimals are a tenth of what a screen can show. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/**
 * The drawing as a whole: an image with a text alternative, or a group where marks take the focus
 * (what is inside an image is hidden from assistive technology).
 */
export function drawing(
  options: ChartOptions,
  size: { width: number; height: number; interactive?: boolean },
  summary: string,
  ...children: Node[]
): SVGSVGElement {
  const titleId = `${options.id}-title`
  const descriptionId = `${options.id}-desc`
  const width = Math.ceil(size.width)
  const height = Math.ceil(size.height)
  return el(
    "svg",
    {
      class: width > Math.ceil(options.width) ? "rb-chart rb-wide" : "rb-chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: size.interactive ? "group" : "img",
      "aria-labelledby": titleId,
      "aria-describedby": descriptionId,
      fill: INK,
      "font-size": LABEL_SIZE,
    },
    el("title", { id: titleId }, legible(options.title)),
    el("desc", { id: descriptionId }, legible(options.description ?? summary)),
    ...children,
  )
}

/** A drawing that says why there is nothing to see. */
export function emptyDrawing(options: ChartOptions, sentence: string): SVGSVGElement {
  const text = label(0, 20, sentence, { fill: MUTED })
  return drawing(options, { width: options.width, height: 40 }, sentence, text)
}

/** One path of many rectangles: a tenth of the elements, and no seams between neighbours. */
export function boxes(parts: readonly (readonly [number, number, number, number])[]): string {
  return parts
    .map(([x, y, w, h]) => `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`)
    .join("")
}

/** `count` things: "1 model", "3 models". */
export function counted(count: number, noun: string): string {
  return `${thousands(String(count))} ${noun}${count === 1 ? "" : "s"}`
}
