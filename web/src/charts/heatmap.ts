/** All models on all tasks: the rank interval in every cell, shaded by its middle. */

import { cellText, cursor, each, lattice, layGrid, shades } from "./cells"
import { key } from "./kinds"
import { sayRanks, showRanks } from "./numbers"
import { visible } from "./names"
import { BAR, INK, PAPER, boxes, counted, drawing, el, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface HeatMap {
  /** In the order of the lines. */
  models: readonly string[]
  tasks: readonly string[]
  /** Tasks by models: `best[t][m]` belongs to `tasks[t]` and `models[m]`. */
  best: readonly ArrayLike<number>[]
  worst: readonly ArrayLike<number>[]
  /** Number of ranks, where only a part of the models is given. */
  size?: number
}

/** The table of intervals as a picture. `onSelect` gets the position of the model. */
export function heatMap(input: HeatMap, options: ChartOptions): SVGSVGElement {
  const { models, tasks, best, worst } = input
  if (models.length === 0 || tasks.length === 0) return emptyDrawing(options, "There are no intervals to draw.")
  const size = input.size ?? models.length
  const legend = key(
    [
      { text: "Good ranks", sign: (x, y) => swatch(x, y, 0.52) },
      { text: "Poor ranks", sign: (x, y) => swatch(x, y, 0.06) },
      { text: `Line: the interval, from 1 to ${size}`, sign: strip },
    ],
    0,
    0,
    options.width,
  )
  const longest = showRanks(size, size * 10).slice(0, 2 * String(size).length + 1)
  const grid = layGrid({ rowNames: models, columnNames: tasks, columns: tasks.length, options, top: legend.height, longest, high: 26 })
  const middle = (m: number, t: number): number => (best[t]![m]! + worst[t]![m]!) / 2
  const share = (m: number, t: number): number => (size <= 1 ? 1 : Math.max(0.06, 1 - (middle(m, t) - 1) / (size - 1)))
  const lines: [number, number, number, number][] = []
  const texts: Node[] = []
  const inside = grid.wide - 4
  each(grid, (m, t) => {
    const [low, high] = [best[t]![m]!, worst[t]![m]!]
    const length = Math.max(2, (inside * (high - low + 1)) / size)
    const x = Math.min(grid.left + t * grid.wide + 2 + (inside * (low - 1)) / size, grid.left + (t + 1) * grid.wide - 2 - length)
    lines.push([x, grid.top + (m + 1) * grid.high - (grid.written ? 6 : grid.high / 2 + 1.5), length, 3])
    if (grid.written) texts.push(cellText(grid, m, t, showRanks(low, high), 3))
  })
  const says = (m: number, t: number): string =>
    `${visible(models[m]!)} on ${visible(tasks[t]!)}: ${sayRanks(best[t]![m]!, worst[t]![m]!)}`
  const { onSelect } = options
  const pointer = cursor(
    grid,
    says,
    onSelect ? (m) => onSelect(m) : undefined,
  )
  return drawing(
    options,
    { width: grid.width, height: grid.height, interactive: true },
    `${counted(models.length, "model")} in lines, ${counted(tasks.length, "task")} in columns. Each cell holds a rank interval; ` +
      "the darker, the nearer its middle is to rank 1. The line in a cell shows where the interval lies.",
    legend.group,
    ...shades(grid, share),
    lattice(grid),
    // In cells without text the line is the only sign: a rim of paper lifts it off dark cells.
    el("path", { d: boxes(lines), fill: grid.written ? BAR : INK, stroke: PAPER, "stroke-width": grid.written ? 0 : 0.75, "paint-order": "stroke" }),
    ...texts,
    ...grid.names,
    pointer,
  )
}

/** The numbers behind it: one line per model and task. */
export function heatMapTable({ models, tasks, best, worst }: HeatMap): DataTable {
  return {
    columns: ["Model", "Task", "Best rank", "Worst rank"],
    rows: models.flatMap((model, m) => tasks.map((task, t) => [model, task, best[t]![m]!, worst[t]![m]!])),
  }
}

function swatch(x: number, y: number, opacity: number): SVGRectElement {
  return el("rect", { x: x - 9, y: y - 6, width: 18, height: 12, fill: BAR, "fill-opacity": opacity, stroke: BAR, "stroke-width": 0.75 })
}

function strip(x: number, y: number): SVGRectElement {
  return el("rect", { x: x - 6, y: y - 1.5, width: 12, height: 3, fill: BAR })
}
