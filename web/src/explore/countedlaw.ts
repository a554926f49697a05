/** The law of the t of right and wrong answers, counted over every share of items that may differ. */

import { criticalValue } from "./tails"

/** Rows up to which the law is counted. */
const MOST_COUNTED = 200
const SHARES = 512
const SAME = 1e-9

interface Answers {
  difference: number
  se: number
  df: number
  n: number
  ahead: number | null
  behind: number | null
  binary: boolean
}

/** The t as the counted law has it; as it is where t is looked up. */
export function countedStatistic(pair: Answers): number {
  const { ahead, behind, n, difference, se } = pair
  const plain = difference / se
  if (!pair.binary || ahead === null || behind === null || n > MOST_COUNTED || !(se > 0)) return plain
  // Weights, or rows in clusters, make another difference of the same answers, or fewer units.
  if (ahead === behind || Math.abs(difference * n - (ahead - behind)) > 1e-6) return plain
  const p = largestTail(n, Math.max(ahead, behind), Math.min(ahead, behind))
  return Math.sign(difference) * criticalValue(p, pair.df)
}

/** Largest probability, over all shares of items that differ, of a t as large as observed. */
export function largestTail(n: number, won: number, lost: number): number {
  const ratio = (won - lost) / Math.sqrt(won + lost)
  const logs = logFactorials(n)
  const sums = new Float64Array(SHARES)
  for (let m = 1; m <= n; m++) {
    const needed = Math.ceil((m + ratio * Math.sqrt(m)) / 2 - SAME * m)
    let tail = 0
    for (let k = m; k >= needed; k--) tail += Math.exp(logs[m]! - logs[k]! - logs[m - k]! - m * Math.LN2)
    if (tail === 0) continue
    const weights = shareWeights(n, m, logs)
    for (let at = 0; at < SHARES; at++) sums[at]! += tail * weights[at]!
  }
  return sums.reduce((most, one) => Math.max(most, one), 0)
}

const known = new Map<string, Float64Array>()

/** Probability that m of n items differ, at every share. */
function shareWeights(n: number, m: number, logs: Float64Array): Float64Array {
  const key = `${n} ${m}`
  const kept = known.get(key)
  if (kept) return kept
  const made = Float64Array.from({ length: SHARES }, (_, at) => {
    const share = at === SHARES - 1 ? 1 : Math.sin((Math.PI * (at + 1)) / (2 * SHARES)) ** 2
    const rest = n - m === 0 ? 0 : (n - m) * Math.log1p(-share)
    return Math.exp(logs[n]! - logs[m]! - logs[n - m]! + m * Math.log(share) + rest)
  })
  known.set(key, made)
  return made
}

function logFactorials(n: number): Float64Array {
  const logs = new Float64Array(n + 1)
  for (let k = 1; k <= n; k++) logs[k] = logs[k - 1]! + Math.log(k)
  return logs
}
