/** Three categories: which model wins under which weights, and where it is hardly ahead. */

import { key, kinds, mark, type Kind } from "./kinds"
import { showNumber, showPercent, suitableDecimals } from "./numbers"
import { legible, shorten, textWidth, visible } from "./names"
import {
  INK,
  LABEL_SIZE,
  MUTED,
  PAPER,
  RULE,
  drawing,
  el,
  emptyDrawing,
  label,
  round,
  type ChartOptions,
  type DataTable,
} from "./svg"
import { hatch } from "./patterns"
import { readout } from "./readout"

export interface Simplex {
  models: readonly string[]
  /** Three categories. */
  categories: readonly string[]
  /** Categories by models, higher is better; null for a model without a score, which is left out. */
  score: readonly (readonly (number | null)[])[]
  /** `[c][i][j]`: standard error of the difference of i and j in category c; null where not known. */
  differenceSe: readonly (readonly ArrayLike<number | null>[])[] | null
  /** Categories that are not independent, and the covariance of the difference of two models in one with that in the other. */
  linked?: readonly { first: number; second: number; covariance: (one: number, two: number) => number }[]
  /** The winner is hardly ahead where its lead is at most so many standard errors. */
  z: number
  /** Weights of the published average. */
  weights?: readonly number[] | null
}

/** How models stand at one point of the weights. */
export interface Duel {
  winner: number
  runnerUp: number
  margin: number
  /** Standard error of the margin; NaN where not known. */
  error: number
}

type Point = readonly [number, number]

const PROMPT = "Point, or use the arrow keys, to read a mix of weights."
const STEPS = 120
const SHADES = 0.28

/** Winner and runner-up under the weights given; null for fewer than two models with all scores. */
export function duelAt(input: Simplex, weights: readonly number[], models = complete(input)): Duel | null {
  let [winner, runnerUp] = [-1, -1]
  let [first, second] = [-Infinity, -Infinity]
  for (const m of models) {
    const total = weights.reduce((sum, w, c) => sum + w * input.score[c]![m]!, 0)
    if (total > first) [runnerUp, second, winner, first] = [winner, first, m, total]
    else if (total > second) [runnerUp, second] = [m, total]
  }
  if (runnerUp < 0) return null
  const se = input.differenceSe
  let variance = se ? weights.reduce((sum, w, c) => sum + (w * (se[c]![winner]![runnerUp] ?? NaN)) ** 2, 0) : NaN
  for (const { first: one, second: two, covariance } of input.linked ?? []) {
    const both = weights[one]! * weights[two]!
    if (both > 0) variance += 2 * both * covariance(winner, runnerUp)
  }
  return { winner, runnerUp, margin: first - second, error: Math.sqrt(Math.max(variance, 0)) }
}

/** The triangle of weights. It describes the data and tests nothing. */
export function simplex(input: Simplex, options: ChartOptions): SVGSVGElement {
  if (input.categories.length !== 3) return emptyDrawing(options, "This picture needs exactly three categories.")
  const regions = winnerRegions(input)
  if (regions.length === 0) return emptyDrawing(options, "Fewer than two models have scores in all three categories.")
  const side = Math.min(options.width - 60, 560)
  const height = (side * Math.sqrt(3)) / 2
  const winners = kinds(regions.map(({ model }) => visible(input.models[model]!)))
  const entries = regions.map(({ area }, k) => ({
    text: `${winners[k]!.name} (${showPercent(area)} %)`,
    sign: (x: number, y: number): Node => sample(winners[k]!, x, y),
  }))
  const hatchId = `${options.id}-hatch`
  const open = indeterminate(input)
  if (input.differenceSe) {
    entries.push({
      text: `Ahead by at most ${input.z} standard errors (${showPercent(open.share)} %)`,
      sign: (x, y) => el("rect", { x: x - 9, y: y - 6, width: 18, height: 12, fill: `url(#${hatchId})`, stroke: MUTED, "stroke-width": 0.75 }),
    })
  }
  if (input.weights) entries.push({ text: "Weights of the average", sign: (x, y) => target(x, y) })
  const legend = key(entries, 0, 0, options.width)
  const left = (options.width - side) / 2
  const top = legend.height + 26
  const place = ([a, b, c]: readonly number[]): Point => {
    const total = a! + b! + c!
    return [left + (side * (c! + a! / 2)) / total, top + height * (1 - a! / total)]
  }
  const path = (points: readonly (readonly number[])[]): string =>
    `${points.map((w, i) => `${i === 0 ? "M" : "L"}${place(w).map(round).join(" ")}`).join("")}z`
  const corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  const marks: Node[] = regions.map(({ corners: polygon }, k) =>
    el("path", { d: path(polygon), fill: winners[k]!.color, "fill-opacity": SHADES, stroke: INK, "stroke-width": 0.75, "stroke-linejoin": "round" }),
  )
  marks.push(el("path", { d: open.parts.map(path).join(""), fill: `url(#${hatchId})` }))
  marks.push(el("path", { d: path(corners), fill: "none", stroke: INK, "stroke-width": 1.25, "stroke-linejoin": "round" }))
  regions.forEach(({ corners: polygon, area }, k) => {
    if (area < 0.002) return
    const [x, y] = place(centroid(polygon))
    marks.push(el("circle", { cx: x, cy: y, r: 9, fill: PAPER, "fill-opacity": 0.85 }), mark(winners[k]!, x, y, 80))
  })
  if (input.weights) marks.push(target(...place(input.weights)))
  const names = input.categories.map(visible)
  const half = options.width / 2 - 8
  const bottom = top + height + 14
  const titles = [
    label(left + side / 2, top - 12, shorten(`only ${names[0]}`, options.width - 16, LABEL_SIZE), { "text-anchor": "middle", "font-weight": 600 }),
    label(0, bottom, shorten(`only ${names[1]}`, half, LABEL_SIZE), { "font-weight": 600 }),
    label(options.width, bottom, shorten(`only ${names[2]}`, half, LABEL_SIZE), { "text-anchor": "end", "font-weight": 600 }),
  ]
  // Short names stand below their corners.
  const [, one, two] = titles
  if (one && textWidth(one.textContent ?? "", LABEL_SIZE) < 2 * left) one.setAttribute("x", String(round(left - textWidth(one.textContent ?? "", LABEL_SIZE) / 2)))
  if (two && textWidth(two.textContent ?? "", LABEL_SIZE) < 2 * left) two.setAttribute("x", String(round(left + side + textWidth(two.textContent ?? "", LABEL_SIZE) / 2)))
  const widest = regions[0]!
  const summary =
    `A triangle of all weights of ${names.join(", ")}; a corner is one category alone. ` +
    `${regions.length === 1 ? "One model wins" : `${regions.length} models win`} somewhere; ${winners[0]!.name} on ${showPercent(widest.area)} % of it.` +
    (input.differenceSe ? ` On ${showPercent(open.share)} % (hatched) the winner is ahead by at most ${input.z} standard errors.` : "") +
    " It describes the data and tests nothing."
  const readoutY = bottom + 16
  return drawing(
    options,
    { width: options.width, height: readoutY + readout(0, options.width, PROMPT).height, interactive: true },
    summary,
    el("defs", {}, hatch(hatchId)),
    legend.group,
    ...marks,
    ...titles,
    pointer(input, options, { left, top, side, height, place, readoutY }),
  )
}

/** The numbers behind it: scores per category, and the share of all weights with which each model wins. */
export function simplexTable(input: Simplex): DataTable {
  const areas = new Map(winnerRegions(input).map(({ model, area }) => [model, area]))
  return {
    columns: ["Model", ...input.categories, "Share of weights with which it wins"],
    rows: input.models.map((name, m) => [name, ...input.categories.map((_, c) => input.score[c]?.[m] ?? null), areas.get(m) ?? 0]),
  }
}

interface Region {
  model: number
  /** Weights at the corners of the region. */
  corners: number[][]
  /** Share of the triangle. */
  area: number
}

/** Where each model wins, largest region first: each is convex, cut out by a line per rival. */
export function winnerRegions(input: Simplex): Region[] {
  const models = complete(input)
  if (models.length < 2 || input.categories.length !== 3) return []
  const found: Region[] = []
  for (const m of models) {
    let polygon: number[][] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for (const rival of models) {
      if (rival === m || polygon.length === 0) continue
      const ahead = input.categories.map((_, c) => input.score[c]![m]! - input.score[c]![rival]!)
      // Of two equal models the first one counts.
      if (ahead.every((value) => value === 0)) {
        if (rival < m) polygon = []
        continue
      }
      polygon = clip(polygon, (w) => w.reduce((sum, value, c) => sum + value * ahead[c]!, 0))
    }
    const area = shareOf(polygon)
    if (area > 1e-9) found.push({ model: m, corners: polygon, area })
  }
  return found.sort((a, b) => b.area - a.area)
}

/** The part of a polygon in which a function, linear along its sides, is not negative. */
function clip(polygon: readonly number[][], height: (weights: readonly number[]) => number): number[][] {
  return clipBy(polygon, polygon.map(height))
}

function clipBy(polygon: readonly number[][], heights: readonly number[]): number[][] {
  const kept: number[][] = []
  polygon.forEach((from, i) => {
    const k = (i + 1) % polygon.length
    const [a, b] = [heights[i]!, heights[k]!]
    if (a >= 0) kept.push(from)
    if (a >= 0 !== b >= 0) {
      const t = a / (a - b)
      kept.push(from.map((value, c) => value + t * (polygon[k]![c]! - value)))
    }
  })
  return kept
}

function shareOf(polygon: readonly number[][]): number {
  let twice = 0
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length]!
    twice += p[0]! * q[1]! - q[0]! * p[1]!
  })
  return Math.abs(twice) // the whole triangle has area one half
}

function centroid(polygon: readonly number[][]): number[] {
  return [0, 1, 2].map((c) => polygon.reduce((sum, p) => sum + p[c]!, 0) / polygon.length)
}

/** Where the lead is at most `z` standard errors: small triangles, cut where the lead reaches that. */
function indeterminate(input: Simplex): { parts: number[][][]; share: number } {
  if (!input.differenceSe) return { parts: [], share: 0 }
  const models = complete(input)
  const lack: number[][] = []
  for (let i = 0; i <= STEPS; i += 1) {
    lack.push([])
    for (let j = 0; i + j <= STEPS; j += 1) {
      const duel = duelAt(input, weightsAt(i, j), models)
      // An unknown error counts as open.
      lack[i]!.push(duel && Number.isFinite(duel.error) ? input.z * duel.error - duel.margin : 1)
    }
  }
  const parts: number[][][] = []
  const add = (...nodes: [number, number][]): void => {
    const part = clipBy(nodes.map(([i, j]) => weightsAt(i, j)), nodes.map(([i, j]) => lack[i]![j]!))
    if (part.length > 2) parts.push(part)
  }
  const open = (i: number, j: number): boolean => lack[i]![j]! >= 0
  for (let i = 0; i < STEPS; i += 1) {
    for (let j = 0; i + j < STEPS; ) {
      // Lines of whole cells are one part; only where the lead changes are cells cut.
      let end = j
      while (i + end + 2 <= STEPS && open(i, end) && open(i + 1, end) && open(i, end + 1) && open(i + 1, end + 1)) end += 1
      if (end > j) {
        parts.push([weightsAt(i, j), weightsAt(i + 1, j), weightsAt(i + 1, end), weightsAt(i, end)])
        j = end
        continue
      }
      add([i, j], [i + 1, j], [i, j + 1])
      if (i + j + 2 <= STEPS) add([i + 1, j], [i + 1, j + 1], [i, j + 1])
      j += 1
    }
  }
  return { parts, share: Math.min(1, parts.reduce((sum, part) => sum + shareOf(part), 0)) }
}

function weightsAt(i: number, j: number): number[] {
  return [i / STEPS, j / STEPS, (STEPS - i - j) / STEPS]
}

function complete({ models, score, categories }: Simplex): number[] {
  return models.flatMap((_, m) => (categories.every((_c, c) => Number.isFinite(score[c]?.[m] ?? NaN)) ? [m] : []))
}

function sample(kind: Kind, x: number, y: number): SVGGElement {
  const box = { x: x - 9, y: y - 7, width: 18, height: 14 }
  return el("g", {}, el("rect", { ...box, fill: kind.color, "fill-opacity": SHADES }), mark(kind, x, y, 56))
}

function target(x: number, y: number): SVGGElement {
  return el(
    "g",
    {},
    el("circle", { cx: x, cy: y, r: 6, fill: PAPER, stroke: INK, "stroke-width": 2 }),
    el("circle", { cx: x, cy: y, r: 2, fill: INK }),
  )
}

interface Frame {
  left: number
  top: number
  side: number
  height: number
  place: (weights: readonly number[]) => Point
  readoutY: number
}

/** A point of the triangle that arrows and the pointer move; the lines below say what holds there. */
function pointer(input: Simplex, options: ChartOptions, frame: Frame): SVGGElement {
  const { left, top, side, height, place, readoutY } = frame
  let at = normal(input.weights ?? [1, 1, 1])
  const decimals = suitableDecimals(input.score.flat(), (input.differenceSe ?? []).flatMap((rows) => Array.from(rows[0] ?? [])))
  const ring = el("circle", { class: "rb-frame", r: 7, fill: "none", stroke: INK, "stroke-width": 2, visibility: "hidden" })
  const words = readout(readoutY, options.width, PROMPT)
  const surface = el("path", { d: `M${round(left + side / 2)} ${round(top)}l${round(side / 2)} ${round(height)}h${round(-side)}z`, fill: "transparent", stroke: RULE, "stroke-opacity": 0 })
  const group = el("g", { class: "rb-cursor", tabindex: 0, role: "img", "aria-label": PROMPT }, surface, ring)
  const move = (weights: readonly number[]): void => {
    at = normal(weights.map((w) => Math.max(0, w)))
    const [x, y] = place(at)
    ring.setAttribute("cx", String(round(x)))
    ring.setAttribute("cy", String(round(y)))
    ring.setAttribute("visibility", "visible")
    const text = says(at)
    group.setAttribute("aria-label", legible(text))
    words.say(text)
  }
  group.addEventListener("focus", () => move(at))
  const under = (event: MouseEvent): void => {
    const box = surface.getBoundingClientRect()
    if (box.width === 0 || box.height === 0) return
    const [u, v] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]
    const a = 1 - v
    const c = u - a / 2
    move([a, 1 - a - c, c])
  }
  group.addEventListener("pointermove", under)
  group.addEventListener("click", under)
  group.addEventListener("keydown", (event) => {
    const step = 0.05
    const moves: Record<string, number[]> = {
      ArrowUp: [step, -step / 2, -step / 2],
      ArrowDown: [-step, step / 2, step / 2],
      ArrowLeft: [0, step, -step],
      ArrowRight: [0, -step, step],
    }
    const by = moves[event.key]
    if (!by) return
    event.preventDefault()
    move(at.map((w, c) => w + by[c]!))
  })
  return el("g", {}, group, words.element)

  function says(weights: readonly number[]): string {
    const mix = weights.map((w, c) => `${Math.round(w * 100)} % ${visible(input.categories[c]!)}`).join(", ")
    const duel = duelAt(input, weights)
    if (!duel) return mix
    const [winner, second] = [visible(input.models[duel.winner]!), visible(input.models[duel.runnerUp]!)]
    const hardly = Number.isFinite(duel.error) && duel.margin <= input.z * duel.error ? " (hardly ahead)" : ""
    return `${winner} before ${second} by ${showNumber(duel.margin, decimals)}${hardly}: ${mix}`
  }
}

function normal(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0)
  return total > 0 ? weights.map((w) => w / total) : [1 / 3, 1 / 3, 1 / 3]
}
