/** The familiar picture of critical-difference diagrams: models by score, and bars over those not told apart. */

import { numberAxis, axisTitle } from "./axes"
import { showNumber, suitableDecimals } from "./numbers"
import { trackBetween, valueScale, whisker } from "./panels"
import { chooseRows, footRoom, layRows, leftOut, row } from "./rows"
import { visible } from "./names"
import { MUTED, SECOND, counted, drawing, el, emptyDrawing, hint, round, type ChartOptions, type DataTable } from "./svg"

export interface Lanes {
  /** Best score first. */
  models: readonly string[]
  score: readonly (number | null)[]
  low?: readonly (number | null)[] | null
  high?: readonly (number | null)[] | null
  scoreName: string
  direction?: "higher" | "lower"
  /** Longest runs of neighbours in which no model was shown better than another: first and last position. */
  runs: readonly (readonly [first: number, last: number])[]
}

/** Longest runs of neighbours in which no pair was shown to differ; `shown[i][j]`: i was shown better than j. */
export function unseparatedRuns(shown: readonly ArrayLike<boolean | number>[]): [number, number][] {
  const size = shown.length
  const runs: [number, number][] = []
  let covered = -1
  for (let first = 0; first < size; first += 1) {
    let last = Math.max(first, covered)
    const joins = (next: number): boolean => {
      for (let i = first; i < next; i += 1) if (shown[i]![next] || shown[next]![i]) return false
      return true
    }
    while (last + 1 < size && joins(last + 1)) last += 1
    if (last > covered) {
      if (last > first) runs.push([first, last])
      covered = last
    }
  }
  return runs
}

/** Scores, and lanes beside them that join models which were not told apart. */
export function lanes(input: Lanes, options: ChartOptions): SVGSVGElement {
  const { models, score, runs } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const low = input.low ?? models.map(() => null)
  const high = input.high ?? models.map(() => null)
  const decimals = suitableDecimals(score, models.map((_, i) => ((high[i] ?? NaN) - (low[i] ?? NaN)) / 2))
  const numbers = options.width < 420 ? [] : score.map((value) => showNumber(value, decimals))
  const rows = layRows({ names: models, options, top: 44, numbers })
  const drawn = runs.filter(([first]) => first < rows.count)
  const column = columns(drawn)
  const count = Math.max(1, ...column.map((k) => k + 1))
  const room = (rows.right - rows.left) * 0.42
  const unit = Math.min(16, Math.max(4, room / count))
  const laneLeft = rows.right - unit * count
  const plot = { left: rows.left, right: laneLeft - 18 }
  const scale = valueScale([...score, ...low, ...high], plot.left, plot.right)
  const groups = models.slice(0, rows.count).map((name, i) => {
    const mates = drawn.filter(([first, last]) => first <= i && i <= last)
    const [from, to] = [Math.min(i, ...mates.map(([first]) => first)), Math.max(i, ...mates.map(([, last]) => last))]
    const says =
      `${input.scoreName} ${showNumber(score[i] ?? null, decimals)}; ` +
      (mates.length === 0 ? "in no lane" : `shares a lane with ${counted(to - from, "model")}`)
    const marks = [trackBetween(plot.left, rows.right, rows.y(i)), ...whisker(scale, rows.y(i), score[i], low[i], high[i])]
    return row(rows, i, numbers[i] === undefined ? { name, says } : { name, says, number: numbers[i]! }, ...marks)
  })
  const bars = drawn.map(([first, last], k) => {
    const x = laneLeft + unit * (column[k]! + 0.5)
    const [y1, y2] = [rows.y(first), rows.y(Math.min(last, rows.count - 1))]
    const words = `Not told apart: ${visible(models[first]!)} to ${visible(models[last]!)} (${last - first + 1} models)`
    const cap = Math.min(4, unit / 2 - 0.5)
    const d = `M${round(x - cap)} ${round(y1)}h${round(2 * cap)}M${round(x)} ${round(y1)}V${round(y2)}M${round(x - cap)} ${round(y2)}h${round(2 * cap)}`
    return el("path", { class: "rb-lane", d, stroke: SECOND, "stroke-width": Math.min(3, unit / 2.5), fill: "none" }, hint(words))
  })
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(models.length, rows), interactive: options.onSelect !== undefined },
    `${counted(models.length, "model")}, best score first${input.direction === "lower" ? " (lower is better)" : ""}. Each of the ${counted(runs.length, "lane")} at the right joins neighbours ` +
      "of which none was shown better than another. Models without a common lane need not be told apart: the partial order says which are.",
    axisTitle(plot.left, 8, input.scoreName),
    axisTitle(rows.right, 8, "Not told apart", "end"),
    numberAxis(scale, rows.top, rows.bottom),
    ...groups,
    ...bars,
    ...(runs.length === 0 ? [el("text", { x: rows.right, y: 30, fill: MUTED, "text-anchor": "end", "font-size": 11 }, "none")] : []),
    ...leftOut(models.length, rows, "model"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it: scores, and the lanes that each model is in. */
export function lanesTable({ models, score, scoreName, runs }: Lanes): DataTable {
  return {
    columns: ["Model", scoreName, "Lanes"],
    rows: models.map((model, i) => [
      model,
      score[i] ?? null,
      runs.flatMap(([first, last], k) => (first <= i && i <= last ? [k + 1] : [])).join(" "),
    ]),
  }
}

/** The first column in which a run does not touch an earlier one. */
function columns(runs: readonly (readonly [number, number])[]): number[] {
  const ends: number[] = []
  return runs.map(([first, last]) => {
    const free = ends.findIndex((end) => end < first)
    const k = free >= 0 ? free : ends.length
    ends[k] = last
    return k
  })
}
