/** How well each task separates the models: the widths of its rank intervals. */

import { axisTitle, numberAxis } from "./axes"
import { scaleLinear } from "d3-scale"
import { showNumber } from "./numbers"
import { chooseRows, footRoom, layRows, leftOut, row, track } from "./rows"
import { BAR, SECOND, counted, drawing, el, emptyDrawing, round, type ChartOptions, type DataTable } from "./svg"

export interface Widths {
  tasks: readonly string[]
  /** Tasks by models: ranks that the interval excludes nobody from, worst − best. */
  widths: readonly ArrayLike<number>[]
  /** Number of models. */
  size: number
}

/** One dot per width, the larger the more models have it; a line at the median. Narrow is good. */
export function widths(input: Widths, options: ChartOptions): SVGSVGElement {
  const { tasks, size } = input
  if (tasks.length === 0) return emptyDrawing(options, "There are no tasks to draw.")
  const medians = input.widths.map(median)
  const numbers = medians.map((value) => showNumber(value, Number.isInteger(value) ? 0 : 1))
  const rows = layRows({ names: tasks, options, top: 44, numbers })
  const scale = scaleLinear([0, Math.max(size - 1, 1)], [rows.left + 9, rows.right - 9])
  const groups = tasks.slice(0, rows.count).map((name, t) => {
    const counts = new Map<number, number>()
    for (const width of Array.from(input.widths[t]!)) counts.set(width, (counts.get(width) ?? 0) + 1)
    const y = rows.y(t)
    const most = Math.max(1, ...counts.values())
    const radius = (count: number): number => Math.max(1.5, Math.min(9, rows.step / 2 - 2) * Math.sqrt(count / Math.max(most, 6)))
    const dots = [...counts].map(([width, count]) => disc(scale(width), y, radius(count))).join("")
    const x = scale(medians[t]!)
    const line = el("line", { x1: x, x2: x, y1: y - rows.step / 2 + 2, y2: y + rows.step / 2 - 2, stroke: SECOND, "stroke-width": 2.5 })
    const says = `median width ${numbers[t]!}, from ${smallest(input.widths[t]!)} to ${largest(input.widths[t]!)}`
    return row(rows, t, { name, says, number: numbers[t]! }, track(rows, t), el("path", { d: dots, fill: BAR, "fill-opacity": 0.55 }), line)
  })
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(tasks.length, rows), interactive: options.onSelect !== undefined },
    `${counted(tasks.length, "task")}, one line each: how wide the rank intervals of the models are. ` +
      "A width of 0 is a rank that is known; dots are larger where more models have that width; the upright line and the number are the median.",
    axisTitle(rows.left, 8, "Width (worst − best)"),
    axisTitle(rows.numbers, 8, "Median", "end"),
    numberAxis(scale, rows.top, rows.bottom, (value) => (Number.isInteger(value) ? String(value) : "")),
    ...groups,
    ...leftOut(tasks.length, rows, "task"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it: how many models have each width on each task. */
export function widthsTable({ tasks, widths: all }: Widths): DataTable {
  const rows = tasks.flatMap((task, t) => {
    const counts = new Map<number, number>()
    for (const width of Array.from(all[t]!)) counts.set(width, (counts.get(width) ?? 0) + 1)
    return [...counts].sort((a, b) => a[0] - b[0]).map(([width, count]) => [task, width, count])
  })
  return { columns: ["Task", "Width", "Models"], rows }
}

function disc(x: number, y: number, radius: number): string {
  const [r, across] = [round(radius), round(2 * radius)]
  return `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${across} 0a${r} ${r} 0 1 0 ${-across} 0z`
}

function median(values: ArrayLike<number>): number {
  const sorted = Array.from(values).sort((a, b) => a - b)
  const half = sorted.length / 2
  if (sorted.length === 0) return 0
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!
}

function smallest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => Math.min(a, b), Infinity)
}

function largest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => Math.max(a, b), 0)
}
