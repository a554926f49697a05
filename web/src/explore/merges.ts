/** From ranks on the chosen tasks to the rank on a new one, model by model. */

import { type Merge, type Rate, jointIndex, orderIndex } from "./rates"

export interface Bounds {
  best: Int32Array
  worst: Int32Array
}

/**
 * Rank prediction intervals.
 * @param best, worst ends of the interval of each model on each task, tasks times models
 * @param tasks positions of the chosen tasks
 */
export function mergeRanks(
  merge: Merge,
  best: ArrayLike<number>,
  worst: ArrayLike<number>,
  models: number,
  tasks: readonly number[],
  alpha: Rate,
): Bounds {
  const bounds = anywhere(models)
  const lows = new Int32Array(tasks.length)
  const highs = new Int32Array(tasks.length)
  for (let model = 0; model < models; model++) {
    tasks.forEach((task, k) => {
      lows[k] = best[task * models + model]!
      highs[k] = worst[task * models + model]!
    })
    const [low, high] = MERGES[merge](lows, highs, models, alpha)
    bounds.best[model] = low
    bounds.worst[model] = high
  }
  return bounds
}

/** Intervals that say nothing. */
export function anywhere(models: number): Bounds {
  return { best: new Int32Array(models).fill(1), worst: new Int32Array(models).fill(models) }
}

type Rule = (lows: Int32Array, highs: Int32Array, ranks: number, alpha: Rate) => [number, number]

const MERGES: Record<Merge, Rule> = {
  quantile(lows, highs, ranks, alpha) {
    const k = orderIndex(lows.length, alpha)
    if (k === 0) return [1, ranks]
    return [lows.slice().sort()[k - 1]!, highs.slice().sort()[highs.length - k]!]
  },
  union(lows, highs) {
    return [lows.reduce((a, b) => Math.min(a, b)), highs.reduce((a, b) => Math.max(a, b))]
  },
  joint(lows, highs, ranks, alpha) {
    const need = jointIndex(lows.length, alpha)
    if (need === 0) return [1, ranks]
    const accepted = acceptedRanks(lows, highs, ranks, need)
    const first = accepted.indexOf(true)
    return first < 0 ? [1, ranks] : [first + 1, accepted.lastIndexOf(true) + 1]
  },
}

/**
 * Which single ranks conform to the intervals seen. The depth of an interval is the smaller of
 * two counts: those that reach as far towards the best rank, and towards the last one, itself
 * included. A rank is accepted if, together with the intervals at most as deep, it is not one of
 * the `need` least typical of all.
 */
function acceptedRanks(lows: Int32Array, highs: Int32Array, ranks: number, need: number): boolean[] {
  const count = lows.length
  const low = new Int32Array(ranks + 2) // how many intervals begin at this rank or before it
  const high = new Int32Array(ranks + 2) // how many end at this rank or after it
  for (let i = 0; i < count; i++) {
    low[lows[i]!]!++
    high[highs[i]!]!++
  }
  for (let rank = 1; rank < ranks + 2; rank++) low[rank]! += low[rank - 1]!
  for (let rank = ranks; rank >= 0; rank--) high[rank]! += high[rank + 1]!
  const atMost = new Int32Array(count + 2)
  const lowOnly = new Int32Array(count + 2)
  const highOnly = new Int32Array(count + 2)
  for (let i = 0; i < count; i++) {
    const reachLow = low[lows[i]!]!
    const reachHigh = high[highs[i]!]!
    const depth = Math.min(reachLow, reachHigh)
    atMost[depth]!++
    if (reachLow < reachHigh) lowOnly[depth]!++
    if (reachLow > reachHigh) highOnly[depth]!++
  }
  for (let depth = 1; depth < count + 2; depth++) atMost[depth]! += atMost[depth - 1]!
  return Array.from({ length: ranks }, (_, k) => {
    const before = low[k + 1]!
    const after = high[k + 1]!
    const depth = Math.min(before, after) + 1
    let asDeep = atMost[depth]!
    if (before <= after) asDeep -= lowOnly[depth]!
    if (after <= before) asDeep -= highOnly[depth]!
    return asDeep >= need
  })
}
