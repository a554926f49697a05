/** The scores of one task: how they are spread for each model, with mean and interval. */

import { axisTitle, numberAxis } from "./axes"
import { showNumber, suitableDecimals } from "./numbers"
import { shorten } from "./names"
import { known, valueScale, whisker } from "./panels"
import { chooseRows, footRoom, layRows, leftOut, row, track } from "./rows"
import { BAR, TICK_SIZE, boxes, counted, drawing, el, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface Distributions {
  /** In the order of the lines. */
  models: readonly string[]
  mean: readonly (number | null)[]
  low: readonly (number | null)[]
  high: readonly (number | null)[]
  scoreName: string
  direction: "higher" | "lower"
  /** Histograms of the scores of items: edges of the bins, and the share of items in each, per model. */
  bins?: { edges: readonly number[]; share: readonly ArrayLike<number>[] } | null
}

/** Mean and interval of every model on one task; behind them the histogram of its scores, where it is known. */
export function distributions(input: Distributions, options: ChartOptions): SVGSVGElement {
  const { models, mean, low, high, bins } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const decimals = suitableDecimals(mean, mean.map((_, i) => ((high[i] ?? NaN) - (low[i] ?? NaN)) / 2))
  const numbers = mean.map((value) => showNumber(value, decimals))
  const rows = layRows({ names: models, options, top: 44, numbers, ...(bins ? { step: 34 } : {}) })
  const shown = [...mean, ...low, ...high].filter((_, k) => k % models.length < rows.count)
  const scale = valueScale([...shown, ...(bins?.edges ?? [])], rows.left, rows.right)
  const tallest = Math.max(1e-9, ...(bins?.share ?? []).map((share) => Array.from(share).reduce((a, b) => Math.max(a, b), 0)))
  const groups = models.slice(0, rows.count).map((name, i) => {
    const base = bins ? rows.y(i) + 9 : rows.y(i)
    const marks: Node[] = []
    if (bins) {
      const parts = Array.from(bins.share[i] ?? []).map((share, k): [number, number, number, number] => {
        const tall = (share / tallest) * 22
        const [x1, x2] = [scale(bins.edges[k]!), scale(bins.edges[k + 1]!)]
        return [x1 + 0.5, base - tall, Math.max(x2 - x1 - 1, 0.5), tall]
      })
      marks.push(el("path", { d: boxes(parts), fill: BAR, "fill-opacity": 0.3 }))
      marks.push(el("line", { x1: rows.left, x2: rows.right, y1: base, y2: base, stroke: "var(--rb-rule, #dfe3e7)" }))
    } else marks.push(track(rows, i))
    marks.push(...whisker(scale, base, mean[i], low[i], high[i]))
    const ends = known(low[i]) && known(high[i]) ? `, ${showNumber(low[i]!, decimals)} to ${showNumber(high[i]!, decimals)}` : ""
    return row(rows, i, { name, says: `${input.scoreName} ${numbers[i]!}${ends}`, number: numbers[i]! }, ...marks)
  })
  const better = input.direction === "higher" ? "higher is better" : "lower is better"
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(models.length, rows), interactive: options.onSelect !== undefined },
    `${counted(models.length, "model")}, one line each: ${input.scoreName} with its interval, ${better}.` +
      (bins ? " Behind it, how the scores of single items are spread." : ""),
    axisTitle(rows.left, 8, shorten(`${input.scoreName} (${better})`, rows.numbers - rows.left, TICK_SIZE)),
    numberAxis(scale, rows.top, rows.bottom),
    ...groups,
    ...leftOut(models.length, rows, "model"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it. */
export function distributionsTable({ models, mean, low, high, scoreName, bins }: Distributions): DataTable {
  const edges = bins?.edges ?? []
  return {
    columns: ["Model", scoreName, "Low", "High", ...edges.slice(1).map((edge, k) => `Share in ${edges[k]!} to ${edge}`)],
    rows: models.map((model, i) => [
      model,
      mean[i] ?? null,
      low[i] ?? null,
      high[i] ?? null,
      ...(bins ? Array.from(bins.share[i] ?? []) : []),
    ]),
  }
}
