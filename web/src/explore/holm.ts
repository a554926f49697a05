/** Holm's and Bonferroni's decisions on a matrix of statistics, and the ranks that follow. */

import { type Bounds, anywhere } from "./merges"
import { criticalValue, upperTail } from "./tails"

export type Correction = "holm" | "bonferroni" | "none"

/** Statistics of all ordered pairs, row-major: [i, j] is evidence that i is better than j. */
export interface Statistics {
  size: number
  statistic: Float64Array
  /** Shared by all pairs, or of each. */
  df: number | Float64Array
}

const SMALLEST = Number.MIN_VALUE

/** Each model by itself: two families of pairs, each at alpha / 2. */
export function ranksEach(pairs: Statistics, correction: Correction, alpha: number): Bounds {
  const { size, statistic, df } = pairs
  const bounds = anywhere(size)
  if (size < 2) return bounds
  const level = alpha / 2
  const steps = levelsOf(correction, level, size - 1)
  const critical = typeof df === "number" ? steps.map((rate) => positiveCritical(rate, df)) : null
  const row = new Float64Array(size - 1)
  for (const side of [1, -1]) {
    for (let model = 0; model < size; model++) {
      let filled = 0
      for (let other = 0; other < size; other++) {
        if (other === model) continue
        const cell = model * size + other
        const value = side * statistic[cell]!
        // Without shared degrees of freedom p-values are compared: small ones come first.
        row[filled++] = critical || typeof df === "number" ? -value : oneSided(value, df[cell]!)
      }
      row.sort()
      let shown = 0
      while (shown < filled && decided(row[shown]!, shown)) shown++
      if (side === 1) bounds.worst[model] = size - shown
      else bounds.best[model] = 1 + shown
    }
  }
  return bounds

  function decided(value: number, step: number): boolean {
    return critical ? -value >= critical[step]! : value <= steps[step]!
  }
}

/** Pairs (better, worse) that all hold at once, as a matrix; closed, without cycles. */
export function relationAll(pairs: Statistics, correction: Correction, alpha: number): Uint8Array {
  const { size, statistic, df } = pairs
  const shown = new Uint8Array(size * size)
  const family = size * (size - 1)
  const candidates: { cell: number; value: number }[] = []
  for (let cell = 0; cell < size * size; cell++) {
    const value = statistic[cell]!
    if (!(value > 0)) continue
    const rank = typeof df === "number" ? -value : oneSided(value, df[cell]!)
    if (typeof df === "number" || rank <= alpha) candidates.push({ cell, value: rank })
  }
  candidates.sort((a, b) => a.value - b.value)
  const kept = correction === "none" ? "holm" : correction
  for (let step = 0; step < candidates.length; step++) {
    const level = kept === "holm" ? alpha / (family - step) : alpha / family
    const { cell, value } = candidates[step]!
    const holds = typeof df === "number" ? -value >= positiveCritical(level, df) : value <= level
    if (!holds) break
    shown[cell] = 1
  }
  return closeOrder(shown, size)
}

/** Models that may be the best: no other is shown better in the family of one candidate, at the whole of alpha. */
export function mayBeBest(pairs: Statistics, alpha: number): boolean[] {
  const { size, statistic, df } = pairs
  const level = alpha / (size - 1)
  const critical = typeof df === "number" ? positiveCritical(level, df) : 0
  return Array.from({ length: size }, (_, model) => {
    for (let other = 0; other < size; other++) {
      const cell = other * size + model
      const value = statistic[cell]!
      if (other === model || !(value > 0)) continue
      if (typeof df === "number" ? value >= critical : oneSided(value, df[cell]!) <= level) return false
    }
    return true
  })
}

/** Best and worst rank from a relation: the one rule. */
export function ranksOf(shown: Uint8Array, size: number): Bounds {
  const bounds = anywhere(size)
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (shown[i * size + j]) {
        bounds.worst[i]!--
        bounds.best[j]!++
      }
    }
  }
  return bounds
}

function levelsOf(correction: Correction, level: number, count: number): number[] {
  return Array.from({ length: count }, (_, step) => {
    if (correction === "none") return level
    return level / (correction === "holm" ? count - step : count)
  })
}

function positiveCritical(level: number, df: number): number {
  return Math.max(criticalValue(level, df), SMALLEST)
}

/** A statistic of zero or below says nothing in favour of "better". */
function oneSided(value: number, df: number): number {
  return value > 0 ? upperTail(value, df) : 1
}

/** Pairs on a cycle count as not shown; everything that follows from the rest is. */
function closeOrder(shown: Uint8Array, size: number): Uint8Array {
  const closed = closure(shown, size)
  const kept = shown.slice()
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (closed[i * size + j] && closed[j * size + i]) kept[i * size + j] = 0
    }
  }
  return closure(kept, size)
}

function closure(relation: Uint8Array, size: number): Uint8Array {
  const closed = relation.slice()
  for (let middle = 0; middle < size; middle++) {
    for (let i = 0; i < size; i++) {
      if (!closed[i * size + middle]) continue
      for (let j = 0; j < size; j++) {
        if (closed[middle * size + j]) closed[i * size + j] = 1
      }
    }
  }
  return closed
}
