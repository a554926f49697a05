/** Score beside rank interval: how much of the order that the scores suggest is shown. */

import { axisTitle, numberAxis, rankAxis, rankScale } from "./axes"
import { sayRanks, showNumber, showRanks, suitableDecimals } from "./numbers"
import { known, trackBetween, valueScale, whisker } from "./panels"
import { span } from "./rankintervals"
import { chooseRows, footRoom, layRows, leftOut, row } from "./rows"
import { shorten } from "./names"
import { TICK_SIZE, counted, drawing, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface AggregateRank {
  /** In the order of the lines. */
  models: readonly string[]
  /** Score (average, rating …) and its interval; null where there is none. */
  score: readonly (number | null)[]
  low: readonly (number | null)[]
  high: readonly (number | null)[]
  best: readonly number[]
  worst: readonly number[]
  /** What the score is: "Average score", "Elo". */
  scoreName: string
  /** What the ranks are: "Rank on the average". */
  rankName: string
  direction: "higher" | "lower"
  size?: number
}

/** Score with interval on the left, rank interval on the right. Also the ratings of votes. */
export function aggregateRank(input: AggregateRank, options: ChartOptions): SVGSVGElement {
  const { models, score, low, high, best, worst } = input
  if (models.length === 0) return emptyDrawing(options, "There are no models to draw.")
  const size = input.size ?? models.length
  const numbers = options.width < 480 ? [] : models.map((_, i) => showRanks(best[i]!, worst[i]!))
  const rows = layRows({ names: models, options, top: 44, numbers })
  const gap = options.width < 480 ? 16 : 32
  const half = (rows.right - rows.left - gap) / 2
  const scores = { left: rows.left, right: rows.left + half }
  const ranks = { left: rows.right - half, right: rows.right }
  const scale = valueScale([...score, ...low, ...high].filter((_, k) => k % models.length < rows.count), scores.left, scores.right)
  const ordinal = rankScale(size, ranks.left, ranks.right)
  const decimals = suitableDecimals(score, score.map((_, i) => halfWidth(low[i], high[i])))
  const groups = models.slice(0, rows.count).map((name, i) => {
    const y = rows.y(i)
    const says = `${input.scoreName} ${sayScore(input, i, decimals)}; ${input.rankName}: ${sayRanks(best[i]!, worst[i]!)}`
    return row(
      rows,
      i,
      numbers[i] === undefined ? { name, says } : { name, says, number: numbers[i]! },
      trackBetween(scores.left, scores.right, y),
      trackBetween(ranks.left, ranks.right, y),
      ...whisker(scale, y, score[i], low[i], high[i]),
      span(ordinal, best[i]!, worst[i]!, y),
    )
  })
  const better = input.direction === "higher" ? "higher is better" : "lower is better"
  const summary =
    `${counted(models.length, "model")}, one line each. Left: ${input.scoreName} with its interval, ${better}. ` +
    `Right: ${input.rankName}, from rank 1 at the left to rank ${size}.`
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(models.length, rows), interactive: options.onSelect !== undefined },
    summary,
    axisTitle(scores.left, 8, shorten(half > 240 ? `${input.scoreName} (${better})` : input.scoreName, half, TICK_SIZE)),
    axisTitle(ranks.left, 8, shorten(input.rankName, half, TICK_SIZE)),
    numberAxis(scale, rows.top, rows.bottom),
    rankAxis(ordinal, size, rows.top, rows.bottom),
    ...groups,
    ...leftOut(models.length, rows, "model"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it. */
export function aggregateRankTable(input: AggregateRank): DataTable {
  const { models, score, low, high, best, worst, scoreName, rankName } = input
  return {
    columns: ["Model", scoreName, `${scoreName}: low`, `${scoreName}: high`, `${rankName}: best`, `${rankName}: worst`],
    rows: models.map((name, i) => [name, score[i] ?? null, low[i] ?? null, high[i] ?? null, best[i]!, worst[i]!]),
  }
}

function sayScore({ score, low, high }: AggregateRank, i: number, decimals: number): string {
  const shown = showNumber(score[i] ?? null, decimals)
  if (!known(low[i]) || !known(high[i])) return shown
  return `${shown}, ${showNumber(low[i], decimals)} to ${showNumber(high[i], decimals)}`
}

function halfWidth(low: number | null | undefined, high: number | null | undefined): number | null {
  return known(low) && known(high) ? (high - low) / 2 : null
}
