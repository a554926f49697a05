/** How probable each rank is for each model, counted in draws. */

import { cellText, cursor, each, lattice, layGrid, shades } from "./cells"
import { axisTitle } from "./axes"
import { showPercent } from "./numbers"
import { shorten, visible } from "./names"
import { BAR, RULE, TICK_SIZE, boxes, counted, drawing, el, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface RankProbability {
  /** In the order of the lines. */
  models: readonly string[]
  /** Models by ranks: `probability[m][r]` that model m has rank r + 1; NaN or null where not known. */
  probability: readonly ArrayLike<number | null>[]
}

/** The matrix of rank probabilities: the size of a square is the probability, or its percentage is written. */
export function rankProbability(input: RankProbability, options: ChartOptions): SVGSVGElement {
  const { models, probability } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const ranks = Math.max(...probability.map((row) => row.length))
  const grid = layGrid({ rowNames: models, columnNames: null, columns: ranks, options, top: 16, longest: ">99" })
  const at = (m: number, r: number): number => {
    const value = probability[m]![r]
    return value === null || value === undefined || Number.isNaN(value) ? 0 : value
  }
  const marks: Node[] = []
  if (grid.written) {
    marks.push(...shades(grid, at), lattice(grid))
    each(grid, (m, r) => {
      if (at(m, r) > 0) marks.push(cellText(grid, m, r, showPercent(at(m, r))))
    })
  } else {
    marks.push(guides(grid.rows, grid.left, grid.top, grid.wide * ranks, grid.high))
    marks.push(el("path", { d: boxes(bubbles()), fill: BAR }))
  }
  const { onSelect } = options
  const says = (m: number, r: number): string => `${visible(models[m]!)}, rank ${r + 1}: ${showPercent(probability[m]![r] ?? null)} %`
  return drawing(
    options,
    { width: grid.width, height: grid.height, interactive: true },
    `${counted(models.length, "model")} in lines, ranks 1 to ${ranks} in columns. ` +
      "Each cell holds the probability, in percent, that the model has the rank. It describes the draws and is not a guarantee.",
    axisTitle(0, 8, shorten(grid.written ? "Rank; in the cells its probability in percent" : "Rank; the larger the square, the more probable", options.width, TICK_SIZE)),
    ...marks,
    ...grid.names,
    cursor(
      grid,
      says,
      onSelect ? (m) => onSelect(m) : undefined,
    ),
  )

  function bubbles(): [number, number, number, number][] {
    const found: [number, number, number, number][] = []
    const most = Math.min(grid.wide, grid.high) - 1
    each(grid, (m, r) => {
      if (at(m, r) < 0.001) return
      const side = Math.max(1, most * Math.sqrt(at(m, r)))
      const [x, y] = [grid.left + grid.wide * (r + 0.5), grid.top + grid.high * (m + 0.5)]
      found.push([x - side / 2, y - side / 2, side, side])
    })
    return found
  }
}

/** The numbers behind it: one line per model, one column per rank. */
export function rankProbabilityTable({ models, probability }: RankProbability): DataTable {
  const ranks = Math.max(0, ...probability.map((row) => row.length))
  return {
    columns: ["Model", ...Array.from({ length: ranks }, (_, r) => `Rank ${r + 1}`)],
    rows: models.map((model, m) => [model, ...Array.from(probability[m]!, (value) => (Number.isNaN(value) ? null : value))]),
  }
}

function guides(rows: number, left: number, top: number, width: number, high: number): SVGPathElement {
  const d = Array.from({ length: rows }, (_, i) => `M${left} ${top + high * (i + 0.5)}h${width}`).join("")
  return el("path", { d, stroke: RULE })
}
