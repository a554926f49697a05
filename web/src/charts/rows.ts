/** Charts with one line per model (or task): names on the left, marks in the middle, numbers on the right. */

import { LABEL_SIZE, MUTED, RULE, TICK_SIZE, counted, el, hint, label, type ChartOptions } from "./svg"
import { roomFor, shortenAll, textWidth, visible } from "./names"

/** Most lines that a drawing has, where nothing else is asked for. */
export const MOST_ROWS = 200

const ROOMY = 60
const GAP = 10

/** Where the lines of a chart stand. */
export interface Rows {
  /** How many are drawn. */
  count: number
  labels: string[]
  /** Room for them. */
  room: number
  /** Ends of the plot. */
  left: number
  right: number
  top: number
  bottom: number
  /** Height of a line. */
  step: number
  /** Right end of the numbers, which are aligned at it. */
  numbers: number
  /** Middle of a line. */
  y: (row: number) => number
}

/** What the layout of lines depends on. */
export interface RowSettings {
  names: readonly string[]
  options: ChartOptions
  top: number
  /** The numbers that are written at the end of the lines. */
  numbers?: readonly string[]
  /** Height of a line, where the usual one is too low. */
  step?: number
  /** Room for a sign before each number. */
  signs?: number
}

/** Lay out the lines; names take up to 36 % of the width. */
export function layRows({ names, options, top, numbers = [], step, signs = 0 }: RowSettings): Rows {
  const count = Math.min(names.length, options.limit ?? MOST_ROWS)
  const drawn = names.slice(0, count)
  const room = roomFor(drawn, LABEL_SIZE, Math.floor(options.width * (options.width < 480 ? 0.34 : 0.3)))
  const size = step ?? (count <= ROOMY ? 24 : 18)
  const digits = numbers.length === 0 ? 0 : Math.max(...numbers.slice(0, count).map((text) => textWidth(text, LABEL_SIZE)))
  const left = room + GAP
  const right = options.width - (digits > 0 ? digits + GAP + signs : 8)
  return {
    count,
    labels: shortenAll(drawn, room, LABEL_SIZE),
    room,
    left,
    right: Math.max(right, left + 40),
    top,
    bottom: top + size * count,
    step: size,
    numbers: options.width - 1,
    y: (row) => top + size * (row + 0.5),
  }
}

/** One line: what the pointer meets, its name, its marks, its number. */
export function row(
  rows: Rows,
  index: number,
  words: { name: string; says: string; number?: string; labels?: readonly [string, string] },
  ...marks: Node[]
): SVGGElement {
  const y = rows.y(index)
  const name = visible(words.name)
  const group = el(
    "g",
    { class: "rb-row", "data-position": index },
    hint(`${name}: ${words.says}`),
    el("rect", {
      class: "rb-hit",
      x: 0,
      y: y - rows.step / 2,
      width: rows.numbers + 1,
      height: rows.step,
      fill: "transparent",
    }),
    ...(words.labels ?? [rows.labels[index] ?? ""]).map((text, line, lines) =>
      label(rows.left - GAP, y + 15 * (line - (lines.length - 1) / 2), text, { "text-anchor": "end" }),
    ),
    ...marks,
  )
  if (words.number !== undefined) {
    group.append(label(rows.numbers, y, words.number, { "text-anchor": "end", class: "rb-number" }))
  }
  return group
}

/** A thin line across the plot, on which the marks of a line stand. */
export function track(rows: Rows, index: number): SVGLineElement {
  const y = rows.y(index)
  return el("line", { x1: rows.left, x2: rows.right, y1: y, y2: y, stroke: RULE })
}

/** Says how many lines are not drawn; nothing where all are. */
export function leftOut(total: number, rows: Rows, noun: string): SVGTextElement[] {
  if (total <= rows.count) return []
  const text = `${counted(total - rows.count, noun)} more: see the data below.`
  return [label(rows.left, rows.bottom + 14, text, { fill: MUTED, "font-size": TICK_SIZE })]
}

/** Height below the last line. */
export function footRoom(total: number, rows: Rows): number {
  return total > rows.count ? 28 : 8
}

/**
 * Lines take the focus and are chosen by pointer or keyboard, where the page wants to know.
 * One of them is in the order of the tab key; arrows, Home and End move between them.
 */
export function chooseRows(
  svg: SVGSVGElement,
  groups: readonly SVGGElement[],
  positions: readonly number[],
  onSelect: ((position: number) => void) | undefined,
): void {
  if (!onSelect) return
  svg.classList.add("rb-choose")
  groups.forEach((group, i) => {
    group.setAttribute("role", "button")
    group.setAttribute("tabindex", i === 0 ? "0" : "-1")
    group.addEventListener("click", () => onSelect(positions[i]!))
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault()
        onSelect(positions[i]!)
        return
      }
      moveFocus(event, groups, i)
    })
  })
}

/** Arrows, Home and End move the focus within a list of marks. */
export function moveFocus(event: KeyboardEvent, marks: readonly SVGElement[], from: number): void {
  const last = marks.length - 1
  const to = {
    ArrowDown: Math.min(from + 1, last),
    ArrowRight: Math.min(from + 1, last),
    ArrowUp: Math.max(from - 1, 0),
    ArrowLeft: Math.max(from - 1, 0),
    Home: 0,
    End: last,
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  focusMark(marks, to)
}

/** Move the one tab stop of a list of marks, and the focus with it. */
export function focusMark(marks: readonly SVGElement[], to: number): void {
  marks.forEach((other, i) => other.setAttribute("tabindex", i === to ? "0" : "-1"))
  marks[to]?.focus()
}
