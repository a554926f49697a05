/** Leave one task (or family) out at a time, and look whether the others foresaw it. */

import { mergeRanks } from "./merges"
import { type Merge, type Rate, mergeGuarantee } from "./rates"

export interface LeftOutShares {
  /** How many were left out, one at a time. */
  count: number
  /** Share of them inside, per model, with exact 95 % limits. */
  share: number[]
  low: number[]
  high: number[]
}

/**
 * Share of left-out units whose intervals lie inside the one made from all others; a unit counts
 * as inside if all its tasks are. The limits take units as independent, which they are not quite:
 * a guide, not a proof.
 * @param best, worst ends of the interval of each model on each task, tasks times models
 * @param rate error rate of the merge of so many tasks
 * @param units unit of each task: its own number, or that of its family; at least two differ
 */
export function leaveOneOut(
  merge: Merge,
  best: ArrayLike<number>,
  worst: ArrayLike<number>,
  models: number,
  units: readonly (number | string)[],
  rate: (tasks: number) => Rate,
): LeftOutShares {
  const inside = new Int32Array(models)
  const labels = [...new Set(units)]
  for (const label of labels) {
    const kept: number[] = []
    const left: number[] = []
    units.forEach((unit, task) => (unit === label ? left : kept).push(task))
    const made = mergeRanks(merge, best, worst, models, kept, rate(kept.length))
    for (let model = 0; model < models; model++) {
      const within = left.every((task) => {
        const at = task * models + model
        return made.best[model]! <= best[at]! && worst[at]! <= made.worst[model]!
      })
      if (within) inside[model]! += 1
    }
  }
  const count = labels.length
  const limits = new Map([...new Set(inside)].map((hits) => [hits, exactLimits(hits, count)]))
  return {
    count,
    share: Array.from(inside, (hits) => hits / count),
    low: Array.from(inside, (hits) => limits.get(hits)![0]),
    high: Array.from(inside, (hits) => limits.get(hits)![1]),
  }
}

/** Share that should lie inside at least, if tasks are alike. */
export function expectedShare(merge: Merge, tasks: number, alpha: Rate): number {
  return mergeGuarantee(merge, tasks - 1, alpha, 0)
}

/** Clopper and Pearson's limits of a share: each misses with at most half of `alpha`. */
export function exactLimits(hits: number, count: number, alpha = 0.05): [number, number] {
  const low = hits === 0 ? 0 : crossing((p) => atLeast(hits, count, p), alpha / 2)
  const high = hits === count ? 1 : 1 - crossing((q) => atLeast(count - hits, count, q), alpha / 2)
  return [low, high]
}

/** Probability of at least `hits` of `count`, each with probability p. */
function atLeast(hits: number, count: number, p: number): number {
  if (p <= 0) return 0
  if (p >= 1) return 1
  // Terms are summed in logarithms: (1 - p) ** count may be too small for a number.
  let log = count * Math.log1p(-p)
  let sum = hits === 0 ? Math.exp(log) : 0
  for (let k = 1; k <= count; k++) {
    log += Math.log((count - k + 1) / k) + Math.log(p) - Math.log1p(-p)
    if (k >= hits) sum += Math.exp(log)
  }
  return sum
}

/** Where a rising function of [0, 1] reaches a value. */
function crossing(rising: (p: number) => number, value: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (rising(middle) < value) low = middle
    else high = middle
  }
  return (low + high) / 2
}
