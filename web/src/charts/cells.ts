/** Charts that are tables of cells: names at two sides, a cursor for pointer and keyboard, a line that reads it out. */

import { rankTicks } from "./ticks"
import { legible, roomFor, shortenAll, textWidth, visible } from "./names"
import { readout } from "./readout"
import { BAR, INK, LABEL_SIZE, MUTED, TICK_SIZE, boxes, el, label, round, type ChartOptions } from "./svg"

/** Most cells that are drawn. */
export const MOST_CELLS = 12_000

const GAP = 8
const NAMED = 14 // least width of a column with a name above it

/** What stands below the cells until one is pointed at. */
export const PROMPT = "Point, or use the arrow keys, to read a cell."

/** Where the cells stand. */
export interface Grid {
  rows: number
  columns: number
  left: number
  top: number
  /** Width and height of a cell. */
  wide: number
  high: number
  /** Whether the texts fit into their cells. */
  written: boolean
  /** Size of the drawing, with the line that reads a cell out. */
  width: number
  height: number
  /** Height of the line that reads a cell out, and its width. */
  foot: number
  readable: number
  names: Node[]
}

export interface GridSettings {
  rowNames: readonly string[]
  /** Names of the columns; null where they are ranks from 1 on. */
  columnNames: readonly string[] | null
  columns: number
  options: ChartOptions
  top: number
  /** The longest text of a cell. */
  longest: string
  /** Columns are the same as rows: where names do not fit above them, both get numbers. */
  square?: boolean
  /** Height of a cell with text. */
  high?: number
}

/** Lay out the cells: as wide as the room allows, and never so narrow that names touch. */
export function layGrid(settings: GridSettings): Grid {
  const { rowNames, columnNames, columns, options } = settings
  const rows = Math.min(rowNames.length, options.limit ?? Infinity, Math.max(1, Math.floor(MOST_CELLS / columns)))
  const drawn = rowNames.slice(0, rows)
  const room = roomFor(drawn, LABEL_SIZE, Math.floor(options.width * (options.width < 480 ? 0.34 : 0.26)))
  const left = room + GAP
  const offered = (options.width - left - 8) / columns
  const numbered = settings.square === true && offered < NAMED
  const least = numbered ? 8 : columnNames ? NAMED : 6
  const wide = Math.min(64, Math.max(least, offered))
  const needed = textWidth(settings.longest, 10) + 4
  const written = wide >= needed
  const high = written ? (settings.high ?? 24) : Math.max(15, Math.min(24, wide))
  const head = columnNames && !numbered ? columnHead(columnNames, wide) : rankHead(columns, wide)
  const top = settings.top + head.height
  const front = numbered ? textWidth(`${rows} `, LABEL_SIZE) : 0
  const names: Node[] = shortenAll(drawn, room - front, LABEL_SIZE).map((text, i) =>
    label(left - GAP, top + high * (i + 0.5), numbered ? `${i + 1} ${text}` : text, { "text-anchor": "end" }),
  )
  head.place(left, top).forEach((node) => names.push(node))
  if (rows < rowNames.length) {
    const text = `${rowNames.length - rows} more rows: see the data below.`
    names.push(label(left, top + high * rows + 14, text, { fill: MUTED, "font-size": TICK_SIZE }))
  }
  const more = rows < rowNames.length ? 22 : 0
  const foot = readout(0, options.width, PROMPT).height
  return {
    rows,
    columns,
    left,
    top,
    wide,
    high,
    written,
    // The last number of an axis of ranks stands out by half.
    width: Math.max(options.width, Math.ceil(left + wide * columns) + (columnNames && !numbered ? 1 : 8)),
    height: top + high * rows + more + 10 + foot,
    foot,
    readable: options.width,
    names,
  }
}

interface Head {
  height: number
  place: (left: number, bottom: number) => Node[]
}

function columnHead(names: readonly string[], wide: number): Head {
  const across = names.every((name) => textWidth(visible(name.slice(0, 40)), TICK_SIZE) <= wide - 8)
  if (across) {
    return {
      height: 24,
      place: (left, bottom) =>
        names.map((name, i) =>
          label(left + wide * (i + 0.5), bottom - 11, visible(name), { "text-anchor": "middle", "font-size": TICK_SIZE }),
        ),
    }
  }
  const room = roomFor(names, TICK_SIZE, 120)
  const texts = shortenAll(names, room, TICK_SIZE)
  return {
    height: room + 10,
    place: (left, bottom) =>
      texts.map((text, i) => {
        const x = left + wide * (i + 0.5)
        const turned = { transform: `rotate(-90 ${Math.round(x * 100) / 100} ${bottom - 6})`, "font-size": TICK_SIZE }
        return label(x, bottom - 6, text, turned)
      }),
  }
}

function rankHead(columns: number, wide: number): Head {
  return {
    height: 22,
    place: (left, bottom) =>
      rankTicks(columns, wide * columns).map((rank) =>
        label(left + wide * (rank - 0.5), bottom - 10, String(rank), {
          "text-anchor": "middle",
          "font-size": TICK_SIZE,
          fill: MUTED,
        }),
      ),
  }
}

/**
 * Shades in eight steps, one element each; `share` is 0 to 1, null for an empty cell.
 * Under text and signs a shade stays pale: ink on it keeps a contrast above 4.5 to 1, light and dark.
 */
export function shades(
  grid: Grid,
  share: (row: number, column: number) => number | null,
  pale = grid.written,
): SVGPathElement[] {
  const steps = 8
  const parts: [number, number, number, number][][] = Array.from({ length: steps + 1 }, () => [])
  each(grid, (row, column) => {
    const value = share(row, column)
    if (value === null) return
    const step = value <= 0 ? 0 : Math.max(1, Math.round(Math.min(value, 1) * steps))
    if (step > 0) parts[step]!.push([grid.left + column * grid.wide, grid.top + row * grid.high, grid.wide, grid.high])
  })
  const most = pale ? 0.52 : 0.95
  return parts
    .map((part, step) => el("path", { d: boxes(part), fill: BAR, "fill-opacity": (most * step) / steps }))
    .filter((_, step) => parts[step]!.length > 0)
}

/** A text in the middle of a cell. */
export function cellText(grid: Grid, row: number, column: number, text: string, lift = 0): SVGTextElement {
  const x = grid.left + grid.wide * (column + 0.5)
  const y = grid.top + grid.high * (row + 0.5) - lift
  return label(x, y, text, { "text-anchor": "middle", "font-size": 10, "pointer-events": "none" })
}

/** Lines between rows, so that the eye keeps its line. */
export function lattice(grid: Grid): SVGPathElement {
  let d = ""
  for (let row = 0; row <= grid.rows; row += 1) {
    d += `M${round(grid.left)} ${round(grid.top + row * grid.high)}h${round(grid.wide * grid.columns)}`
  }
  for (let column = 0; column <= grid.columns; column += 1) {
    d += `M${round(grid.left + column * grid.wide)} ${round(grid.top)}v${round(grid.high * grid.rows)}`
  }
  return el("path", { d, stroke: "var(--rb-paper, #ffffff)", "stroke-width": 1, fill: "none" })
}

/** Call for every cell, row by row. */
export function each(grid: Grid, visit: (row: number, column: number) => void): void {
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < grid.columns; column += 1) visit(row, column)
  }
}

/**
 * The cursor: one tab stop, moved by arrows, Home, End and the pointer; the line below reads out its cell.
 * `choose` is called on Enter, Space and clicks.
 */
export function cursor(
  grid: Grid,
  says: (row: number, column: number) => string,
  choose?: (row: number, column: number) => void,
): SVGGElement {
  const at = { row: 0, column: 0 }
  const frame = el("rect", {
    class: "rb-frame",
    width: grid.wide,
    height: grid.high,
    fill: "none",
    stroke: INK,
    "stroke-width": 2,
    visibility: "hidden",
  })
  const words = readout(grid.height - grid.foot, grid.readable, PROMPT)
  const surface = el("rect", {
    x: grid.left,
    y: grid.top,
    width: grid.wide * grid.columns,
    height: grid.high * grid.rows,
    fill: "transparent",
  })
  const group = el(
    "g",
    { class: "rb-cursor", tabindex: 0, role: choose ? "button" : "img", "aria-label": PROMPT },
    surface,
    frame,
  )
  const move = (row: number, column: number): void => {
    at.row = Math.max(0, Math.min(grid.rows - 1, row))
    at.column = Math.max(0, Math.min(grid.columns - 1, column))
    frame.setAttribute("x", String(round(grid.left + at.column * grid.wide)))
    frame.setAttribute("y", String(round(grid.top + at.row * grid.high)))
    frame.setAttribute("visibility", "visible")
    const text = says(at.row, at.column)
    group.setAttribute("aria-label", legible(text))
    words.say(text)
  }
  const under = (event: MouseEvent): void => {
    const box = surface.getBoundingClientRect()
    if (box.width === 0 || box.height === 0) return
    move(
      Math.floor(((event.clientY - box.top) / box.height) * grid.rows),
      Math.floor(((event.clientX - box.left) / box.width) * grid.columns),
    )
  }
  group.addEventListener("focus", () => move(at.row, at.column))
  group.addEventListener("pointermove", under)
  group.addEventListener("click", (event) => {
    under(event)
    choose?.(at.row, at.column)
  })
  group.addEventListener("keydown", (event) => {
    const to: Record<string, [number, number]> = {
      ArrowUp: [at.row - 1, at.column],
      ArrowDown: [at.row + 1, at.column],
      ArrowLeft: [at.row, at.column - 1],
      ArrowRight: [at.row, at.column + 1],
      Home: [at.row, 0],
      End: [at.row, grid.columns - 1],
      PageUp: [0, at.column],
      PageDown: [grid.rows - 1, at.column],
    }
    const target = to[event.key]
    if (target) move(...target)
    else if (choose && (event.key === "Enter" || event.key === " ")) choose(at.row, at.column)
    else return
    event.preventDefault()
  })
  // Beside the cursor, not in it: what is inside a button or an image is not heard when it changes.
  return el("g", {}, group, words.element)
}
