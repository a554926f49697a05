/** Numbers as the tables write them. */

import type { Board } from "./board"
import { MISSING, edgesOf, showNumber, suitableDecimals, thousands } from "./charts/numbers"

export { MISSING, sayRanks, showNumber, showRanks, suitableDecimals } from "./charts/numbers"

/** Scores of a task with their own intervals, one text per model. */
export function scoreTexts(board: Board, task: number): string[] {
  const means = board.data.models.map((_, model) => board.cell(task, model).mean)
  const { low, high } = board.scoreEnds(task)
  return intervalTexts(means, low, high, board.data.tasks[task]!.decimals)
}

/** Numbers of one column with what stands behind ±, all with the same decimals. */
export function pairedTexts(
  values: readonly number[], errors: readonly number[], decimals: number | null = suitableDecimals(values, errors),
): string[] {
  const edges = edgesOf(values)
  return values.map((value, i) => {
    const shown = showNumber(value, decimals, edges)
    const error = errors[i]!
    return Number.isFinite(error) && shown !== MISSING ? `${shown} ±${plain(error, decimals)}` : shown
  })
}

/** Numbers of one column with their intervals: ± where both sides are equal everywhere, else both ends. */
export function intervalTexts(
  values: readonly number[], low: ArrayLike<number>, high: ArrayLike<number>, given?: number | null,
): string[] {
  const half = values.map((_, i) => (high[i]! - low[i]!) / 2)
  const decimals = given === undefined ? suitableDecimals(values, half) : given
  const tolerance = 0.5 * 10 ** -(decimals ?? 7)
  const lopsided = (value: number, i: number) => Math.abs(high[i]! - value - (value - low[i]!)) > tolerance
  if (!values.some(lopsided)) return pairedTexts(values, half, decimals)
  const show = (value: number) => showNumber(value, decimals, edgesOf(values))
  return values.map((value, i) => {
    const shown = show(value)
    return Number.isFinite(half[i]!) ? `${shown} [${show(low[i]!)}, ${show(high[i]!)}]` : shown
  })
}

/** A length without the rule for 0, 1 and 100. */
function plain(error: number, decimals: number | null): string {
  return showNumber(error, decimals, Number(error.toFixed(decimals ?? 0)) === 0 ? undefined : [])
}

/** A difference with its sign, with more decimals where it would vanish. */
export function signed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return MISSING
  // A difference that is not zero is never written as if it were.
  let places = decimals
  while (value !== 0 && places < decimals + 4 && Number(value.toFixed(places)) === 0) places++
  const shown = Math.abs(value).toFixed(places)
  if (Number(shown) === 0) return shown
  return `${value > 0 ? "+" : "−"}${shown}`
}

/** A whole number with its thousands set apart. */
export function count(value: number): string {
  return thousands(Math.round(value).toString())
}

/** 0.05 as "95 %": the level that belongs to an error rate. */
export function level(alpha: number): string {
  return `${Number((100 * (1 - alpha)).toFixed(4))}\u00a0%`
}

/** A probability as a percentage, rounded down to one decimal: it promises no more than holds. */
export function guaranteed(probability: number): string {
  const tenths = Math.floor(Number((probability * 1000).toFixed(9)))
  return `${tenths / 10}\u00a0%`
}

/** A share of draws as a whole percentage. */
export function chance(share: number | null): string {
  if (share === null || Number.isNaN(share)) return MISSING
  const percent = Math.round(share * 100)
  if (percent === 0 && share > 0) return "<1\u00a0%"
  return percent === 100 && share < 1 ? ">99\u00a0%" : `${percent}\u00a0%`
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`
}
