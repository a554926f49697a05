/** Where every model may stand: one bar per model, and a second line for another question. */

import { key, type KeyEntry } from "./kinds"
import { axisTitle, rankAxis, rankScale, type Scale } from "./axes"
import { sayRanks, showRanks } from "./numbers"
import { chooseRows, footRoom, layRows, leftOut, row, track } from "./rows"
import { BAR, SECOND, counted, drawing, el, emptyDrawing, round, type ChartOptions, type DataTable } from "./svg"

export interface RankIntervals {
  /** In the order of the lines, best first. */
  models: readonly string[]
  best: readonly number[]
  worst: readonly number[]
  /** What the bars are: "Rank on the average". */
  name: string
  /** A second interval per model, drawn as a thin line with stops. */
  second?: { name: string; best: readonly number[]; worst: readonly number[] } | null
  /** How many ranks there are, where only a part of the models is given. */
  size?: number
}

/** Rank intervals of all models, on a new task or on one task. */
export function rankIntervals(input: RankIntervals, options: ChartOptions): SVGSVGElement {
  const { models, best, worst, second } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const size = input.size ?? models.length
  const entries: KeyEntry[] = [{ text: input.name, sign: (x, y) => bar(x - 9, x + 9, y, BAR) }]
  if (second) entries.push({ text: second.name, sign: (x, y) => stopped(x - 9, x + 9, y) })
  const legend = key(entries, 0, 0, options.width)
  const numbers = models.map((_, i) => showRanks(best[i]!, worst[i]!))
  const rows = layRows({ names: models, options, top: legend.height + 44, numbers })
  const scale = rankScale(size, rows.left, rows.right)
  const groups = models.slice(0, rows.count).map((name, i) => {
    const y = rows.y(i)
    let says = `${input.name}, ${sayRanks(best[i]!, worst[i]!)}`
    const marks: Node[] = [track(rows, i), span(scale, best[i]!, worst[i]!, second ? y - 3 : y)]
    if (second) {
      says += `; ${second.name}, ${sayRanks(second.best[i]!, second.worst[i]!)}`
      const [x1, x2] = ends(scale, second.best[i]!, second.worst[i]!)
      marks.push(stopped(x1, x2, y + 6))
    }
    return row(rows, i, { name, says, number: numbers[i] }, ...marks)
  })
  const height = rows.bottom + footRoom(models.length, rows)
  const summary =
    `${counted(models.length, "model")}, one line each. Rank 1, the best, is at the left and rank ${size} at the right. ` +
    `The bar spans the ranks that are not excluded: ${input.name}.` +
    (second ? ` The thin line with stops: ${second.name}.` : "")
  const svg = drawing(
    options,
    { width: options.width, height, interactive: options.onSelect !== undefined },
    summary,
    legend.group,
    axisTitle(rows.left, legend.height + 8, "Rank, 1 is best"),
    rankAxis(scale, size, rows.top, rows.bottom),
    ...groups,
    ...leftOut(models.length, rows, "model"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it. */
export function rankIntervalsTable({ models, best, worst, name, second }: RankIntervals): DataTable {
  const columns = ["Model", `${name}: best`, `${name}: worst`]
  if (second) columns.push(`${second.name}: best`, `${second.name}: worst`)
  return {
    columns,
    rows: models.map((model, i) => [
      model,
      best[i]!,
      worst[i]!,
      ...(second ? [second.best[i]!, second.worst[i]!] : []),
    ]),
  }
}

const LEAST = 4

/** Ends of an interval of ranks; wide enough to be seen where there are many. */
export function ends(scale: Scale, best: number, worst: number): [number, number] {
  const [x1, x2] = [scale(best - 1), scale(worst)]
  if (x2 - x1 >= LEAST) return [x1, x2]
  const middle = (x1 + x2) / 2
  return [middle - LEAST / 2, middle + LEAST / 2]
}

/** The bar of a rank interval. */
export function span(scale: Scale, best: number, worst: number, y: number, color = BAR, high = 8): SVGRectElement {
  const [x1, x2] = ends(scale, best, worst)
  return bar(x1, x2, y, color, high)
}

function bar(x1: number, x2: number, y: number, color: string, high = 8): SVGRectElement {
  const box = { x: x1 + 0.5, y: y - high / 2, width: Math.max(x2 - x1 - 1, 2), height: high, rx: 2 }
  return el("rect", { ...box, fill: color })
}

function stopped(x1: number, x2: number, y: number): SVGPathElement {
  const d = `M${round(x1 + 1)} ${y - 3}v6M${round(x1 + 1)} ${y}H${round(x2 - 1)}M${round(x2 - 1)} ${y - 3}v6`
  return el("path", { d, stroke: SECOND, "stroke-width": 1.75, fill: "none" })
}
