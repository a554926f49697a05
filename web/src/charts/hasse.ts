/** The Hasse diagram: better models above, a line where one was shown better than the other. */

import { layLanes, layLayers, downSets, type Edge, type Point } from "./layers"
import { roomFor, shortenAll, textWidth, visible } from "./names"
import { readout } from "./readout"
import { focusMark, moveFocus } from "./rows"
import {
  BAR,
  INK,
  LABEL_SIZE,
  MUTED,
  PAPER,
  RULE,
  SECOND,
  counted,
  drawing,
  el,
  emptyDrawing,
  hint,
  label,
  round,
  type ChartOptions,
  type DataTable,
} from "./svg"

export interface Hasse {
  /** Best score first. */
  models: readonly string[]
  /** Lines of the diagram: positions (better, worse) with no model between. */
  edges: readonly Edge[]
}

const BOX = 24
const SIDE = 8 // room left and right of a name
const SIGN = 12 // room for the triangle of a model above or below
const LEAST_NAME = 64

interface Placed {
  points: Point[]
  labels: string[]
  /** Left end and width of what the pointer meets. */
  boxes: { x: number; width: number }[]
  lines: string[]
  /** Positions in reading order. */
  order: number[]
  height: number
  boxed: boolean
  /** Room for the names. */
  room: number
}

/**
 * The diagram in layers, or with one line per model where a layer is too wide.
 * A model that has the focus, or is pointed at, shows what is above and below; Enter, Space and clicks hold that,
 * Escape lets go. `onSelect` is called with a model that is held.
 */
export function hasse(input: Hasse, options: ChartOptions): SVGSVGElement {
  const { models, edges } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const placed = inLayers(input, options) ?? inLanes(input, options)
  const down = downSets(models.length, edges)
  const up = models.map((_, i) => new Set(models.flatMap((_, j) => (down[j]!.has(i) ? [j] : []))))
  const usual = edges.length > 150 ? 0.35 : 0.6
  const lines = placed.lines.map((d) => el("path", { d, fill: "none", stroke: MUTED, "stroke-opacity": usual, "stroke-width": 1.25 }))
  const nodes = models.map((name, i) => node(placed, i, `${visible(name)}: ${says(i)}`))
  const prompt = "Point, or use the arrow keys, to see what is above and below a model."
  const words = readout(placed.height + 8, options.width, prompt)
  const svg = drawing(
    options,
    { width: options.width, height: placed.height + 10 + words.height, interactive: true },
    `${counted(models.length, "model")}, better ones above, joined by ${counted(edges.length, "line")}. ` +
      "A model was shown better than every model that can be reached from it by going down along lines. " +
      "Models not joined so were not shown to differ.",
    el("g", { class: "rb-edges" }, ...lines),
    ...placed.order.map((i) => nodes[i]!),
    words.element,
  )
  let held: number | null = null
  const show = (chosen: number | null): void => {
    nodes.forEach((group, i) => {
      const state = chosen === null ? "" : i === chosen ? "chosen" : up[chosen]!.has(i) ? "above" : down[chosen]!.has(i) ? "below" : "other"
      dress(group, state)
    })
    edges.forEach(([a, b], k) => {
      const part = chosen === null ? "" : (a === chosen || down[chosen]!.has(a)) && down[chosen]!.has(b) ? "below" : (b === chosen || up[chosen]!.has(b)) && up[chosen]!.has(a) ? "above" : "other"
      const line = lines[k]!
      line.setAttribute("stroke", part === "below" ? BAR : part === "above" ? SECOND : MUTED)
      line.setAttribute("stroke-opacity", part === "" ? String(usual) : part === "other" ? "0.12" : "1")
      line.setAttribute("stroke-width", part === "above" || part === "below" ? "2" : "1.25")
    })
    words.say(chosen === null ? null : `${visible(models[chosen]!)}: ${says(chosen)}`)
  }
  const hold = (i: number): void => {
    held = held === i ? null : i
    nodes.forEach((group, k) => group.setAttribute("aria-pressed", String(k === held)))
    show(held ?? i)
    if (held !== null) options.onSelect?.(i)
  }
  const reading = placed.order.map((i) => nodes[i]!)
  placed.order.forEach((i, k) => {
    const group = nodes[i]!
    group.setAttribute("tabindex", k === 0 ? "0" : "-1")
    group.addEventListener("pointerenter", () => show(i))
    group.addEventListener("pointerleave", () => show(held))
    group.addEventListener("focus", () => show(i))
    group.addEventListener("blur", () => show(held))
    group.addEventListener("click", () => {
      focusMark(reading, k)
      hold(i)
    })
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault()
        hold(i)
      } else if (event.key === "Escape" && held !== null) {
        hold(held)
        show(null)
      } else moveFocus(event, reading, k)
    })
  })
  return svg

  function says(i: number): string {
    const [better, worse] = [down[i]!.size, up[i]!.size]
    const open = models.length - 1 - better - worse
    return `shown better than ${better}, shown worse than ${worse}, not told apart from ${open}`
  }
}

/** The lines of the diagram: better and worse model. */
export function hasseTable({ models, edges }: Hasse): DataTable {
  return { columns: ["Better", "Worse"], rows: edges.map(([better, worse]) => [models[better]!, models[worse]!]) }
}

function inLayers({ models, edges }: Hasse, options: ChartOptions): Placed | null {
  // Short names first let layers fit that long ones would burst.
  for (const most of [220, 160, 120, 90, LEAST_NAME]) {
    const room = roomFor(models, LABEL_SIZE, most)
    const labels = shortenAll(models, room, LABEL_SIZE)
    const widths = labels.map((text) => Math.ceil(textWidth(text, LABEL_SIZE)) + 2 * SIDE)
    const layout = layLayers({ widths, edges, width: options.width - 2, boxHeight: BOX, gap: 14 })
    if (!layout) continue
    return {
      points: layout.points.map(({ x, y }) => ({ x: x + 1, y: y + 2 })),
      labels,
      boxes: widths.map((width, i) => ({ x: layout.points[i]!.x + 1 - width / 2, width })),
      lines: layout.lines.map((points) =>
        curve(points.map(({ x, y }, k) => ({ x: x + 1, y: y + 2 + (k === 0 ? BOX / 2 - 1 : k === points.length - 1 ? 1 - BOX / 2 : 0) }))),
      ),
      order: layout.layers.flat(),
      height: layout.height + 4,
      boxed: true,
      room,
    }
  }
  return null
}

function inLanes({ models, edges }: Hasse, options: ChartOptions): Placed {
  const layout = layLanes(models.length, edges)
  const share = options.width < 480 ? 0.5 : 0.4
  const room = roomFor(models, LABEL_SIZE, Math.floor(options.width * share) - 2 * SIDE)
  const labels = shortenAll(models, room, LABEL_SIZE)
  const side = options.width - room - 2 * SIDE - SIGN
  const unit = Math.min(24, (side - 24) / layout.lanes)
  const row: number[] = []
  layout.order.forEach((i, k) => (row[i] = k))
  const points = models.map((_, i) => ({ x: 8 + unit * layout.lane[i]!, y: 2 + BOX * (row[i]! + 0.5) }))
  return {
    points,
    labels,
    boxes: points.map(() => ({ x: 0, width: 24 + unit * layout.lanes + room + 2 * SIDE + SIGN })),
    lines: edges.map(([a, b]) => curve([points[a]!, points[b]!])),
    order: layout.order,
    height: BOX * models.length + 4,
    boxed: false,
    room,
  }
}

function curve(points: readonly Point[]): string {
  const [start, ...rest] = points
  let d = `M${round(start!.x)} ${round(start!.y)}`
  let from = start!
  for (const to of rest) {
    const middle = round((from.y + to.y) / 2)
    d += `C${round(from.x)} ${middle} ${round(to.x)} ${middle} ${round(to.x)} ${round(to.y)}`
    from = to
  }
  return d
}

function node(placed: Placed, i: number, words: string): SVGGElement {
  const { x, y } = placed.points[i]!
  const box = placed.boxes[i]!
  const group = el("g", { class: "rb-node", role: "button", "aria-pressed": "false", "data-position": i }, hint(words))
  if (placed.boxed) {
    group.append(
      el("rect", { class: "rb-box", x: box.x, y: y - BOX / 2 + 1, width: box.width, height: BOX - 2, rx: 4, fill: PAPER, stroke: MUTED }),
      el("path", { class: "rb-above", d: triangle(box.x, y, -1), fill: SECOND, visibility: "hidden" }),
      el("path", { class: "rb-below", d: triangle(box.x, y, 1), fill: BAR, visibility: "hidden" }),
      label(x, y, placed.labels[i]!, { "text-anchor": "middle" }),
    )
    return group
  }
  const text = box.width - 2 * SIDE - SIGN - placed.room
  group.append(
    el("rect", { class: "rb-hit", x: box.x, y: y - BOX / 2, width: box.width, height: BOX, fill: "transparent" }),
    el("line", { x1: x + 6, x2: text - 6, y1: y, y2: y, stroke: RULE, "stroke-dasharray": "1 3" }),
    el("circle", { class: "rb-box", cx: x, cy: y, r: 5, fill: PAPER, stroke: INK, "stroke-width": 1.5 }),
    el("path", { class: "rb-above", d: triangle(text + 4, y, -1), fill: SECOND, visibility: "hidden" }),
    el("path", { class: "rb-below", d: triangle(text + 4, y, 1), fill: BAR, visibility: "hidden" }),
    label(text + SIGN, y, placed.labels[i]!),
  )
  return group
}

type State = "" | "chosen" | "above" | "below" | "other"

function dress(group: SVGGElement, state: State): void {
  group.setAttribute("opacity", state === "other" ? "0.4" : "1")
  const box = group.querySelector(".rb-box")
  box?.setAttribute("stroke", { "": MUTED, chosen: INK, above: SECOND, below: BAR, other: MUTED }[state])
  box?.setAttribute("stroke-width", state === "chosen" ? "2.5" : "1")
  for (const side of ["above", "below"]) {
    group.querySelector(`.rb-${side}`)?.setAttribute("visibility", side === state ? "visible" : "hidden")
  }
  group.querySelector("text")?.setAttribute("font-weight", state === "chosen" ? "700" : "400")
}

function triangle(x: number, y: number, direction: 1 | -1): string {
  return `M${round(x - 4)} ${round(y - 3 * direction)}h8l-4 ${7 * direction}z`
}
