/** One model over all tasks: its rank interval on each, marked by category. */

import { axisTitle, rankAxis, rankScale } from "./axes"
import { distinct, key, kinds, mark, type KeyEntry, type Kind } from "./kinds"
import { sayRanks, showRanks } from "./numbers"
import { ends, span } from "./rankintervals"
import { chooseRows, footRoom, layRows, leftOut, row, track } from "./rows"
import { SECOND, counted, drawing, el, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface ModelRanks {
  tasks: readonly string[]
  best: readonly number[]
  worst: readonly number[]
  /** Category of each task; null where there is none. */
  categories: readonly (string | null)[]
  /** Number of models. */
  size: number
  /** By width (narrow first), by position (middle of the interval, best first), or as given. */
  sort: "width" | "position" | "given"
  /** Interval for a new task, drawn as a band behind all lines. */
  newTask?: { best: number; worst: number } | null
  /** All categories of the board, so that a category looks the same for every model. */
  allCategories?: readonly string[]
}

/** Rank intervals of one model over tasks. `onSelect` gets the position of the task in the input. */
export function modelRanks(input: ModelRanks, options: ChartOptions): SVGSVGElement {
  const { tasks, best, worst, categories, newTask } = input
  if (tasks.length === 0) return emptyDrawing(options, "There are no tasks to draw.")
  const order = sorted(input)
  const all = kinds(input.allCategories ?? distinct(categories))
  const byName = new Map(all.map((kind) => [kind.name, kind]))
  const plain: Kind = kinds([""])[0]!
  const used = new Set(categories)
  const entries: KeyEntry[] = all
    .filter((kind) => used.has(kind.name))
    .map((kind) => ({ text: kind.name, sign: (x, y) => mark(kind, x, y) }))
  if (newTask) {
    const text = `New task: ${showRanks(newTask.best, newTask.worst)}`
    entries.push({ text, sign: (x, y) => band(x - 8, y - 7, 16, 14) })
  }
  const legend = key(entries, 0, 0, options.width)
  const names = order.map((i) => tasks[i]!)
  const numbers = order.map((i) => showRanks(best[i]!, worst[i]!))
  const rows = layRows({ names, options, top: legend.height + 44, numbers, signs: categories.some((one) => one !== null) ? 12 : 0 })
  const scale = rankScale(input.size, rows.left, rows.right)
  const groups = order.slice(0, rows.count).map((i, k) => {
    const kind = byName.get(categories[i] ?? "") ?? plain
    const where = categories[i] === null || categories[i] === undefined ? "" : ` (${categories[i]})`
    const says = `${sayRanks(best[i]!, worst[i]!)}${where}`
    const bar = span(scale, best[i]!, worst[i]!, rows.y(k), kind.color, 5)
    return row(rows, k, { name: tasks[i]!, says, number: numbers[k] }, track(rows, k), bar, ...(where ? [mark(kind, rows.right + 10, rows.y(k), 44)] : []))
  })
  const behind: Node[] = []
  if (newTask) {
    const [x1, x2] = ends(scale, newTask.best, newTask.worst)
    behind.push(band(x1, rows.top, x2 - x1, rows.bottom - rows.top))
  }
  const summary =
    `${counted(tasks.length, "task")}, one line each, ${SORTS[input.sort]}. Rank 1, the best, is at the left and rank ${input.size} at the right.` +
    (all.length > 0 ? " Colour and shape show the category." : "") +
    (newTask ? ` On a new task: ${sayRanks(newTask.best, newTask.worst)}.` : "")
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(tasks.length, rows), interactive: options.onSelect !== undefined },
    summary,
    ...behind,
    legend.group,
    axisTitle(rows.left, legend.height + 8, "Rank, 1 is best"),
    rankAxis(scale, input.size, rows.top, rows.bottom),
    ...groups,
    ...leftOut(tasks.length, rows, "task"),
  )
  chooseRows(svg, groups, order, options.onSelect)
  return svg
}

/** The numbers behind it, in the order of the lines. */
export function modelRanksTable(input: ModelRanks): DataTable {
  return {
    columns: ["Task", "Category", "Best rank", "Worst rank"],
    rows: sorted(input).map((i) => [input.tasks[i]!, input.categories[i] ?? null, input.best[i]!, input.worst[i]!]),
  }
}

const SORTS = {
  width: "the narrowest interval first",
  position: "the best position first",
  given: "in the order of the table",
}

function sorted({ tasks, best, worst, sort }: ModelRanks): number[] {
  const order = tasks.map((_, i) => i)
  if (sort === "given") return order
  const width = (i: number): number => worst[i]! - best[i]!
  const middle = (i: number): number => worst[i]! + best[i]!
  const [first, then] = sort === "width" ? [width, middle] : [middle, width]
  return order.sort((a, b) => first(a) - first(b) || then(a) - then(b) || a - b)
}

function band(x: number, y: number, width: number, height: number): SVGGElement {
  const box = { x, y, width, height }
  const edge = { y1: y, y2: y + height, stroke: SECOND, "stroke-dasharray": "3 3" }
  return el(
    "g",
    { class: "rb-band" },
    el("rect", { ...box, fill: SECOND, "fill-opacity": 0.1 }),
    el("line", { x1: x, x2: x, ...edge }),
    el("line", { x1: x + width, x2: x + width, ...edge }),
  )
}
