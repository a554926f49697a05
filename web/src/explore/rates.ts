/** Exact arithmetic on error rates: 0.3 means 3/10, not the binary number nearest to it. */

export interface Fraction {
  top: bigint
  bottom: bigint
}

/** An error rate; a number stands for its decimals. */
export type Rate = number | Fraction

/** The number as it is written, such as 0.05 or 5e-7. */
export function exactRate(rate: Rate): Fraction {
  if (typeof rate !== "number") return rate
  const [digits = "0", power = "0"] = String(rate).split("e")
  const [whole = "0", decimals = ""] = digits.split(".")
  const shift = Number(power) - decimals.length
  const top = BigInt(whole + decimals)
  const scale = 10n ** BigInt(Math.abs(shift))
  return shift < 0 ? { top, bottom: scale } : { top: top * scale, bottom: 1n }
}

/** floor((N + 1) alpha / 2): the order statistic of the quantile merge; 0: says nothing. */
export function orderIndex(tasks: number, alpha: Rate): number {
  const rate = exactRate(alpha)
  return Number((BigInt(tasks + 1) * rate.top) / (2n * rate.bottom))
}

/** floor((N + 1) alpha): how many of N + 1 intervals the joint merge may leave out. */
export function jointIndex(tasks: number, alpha: Rate): number {
  const rate = exactRate(alpha)
  return Number((BigInt(tasks + 1) * rate.top) / rate.bottom)
}

/** Fewest tasks with which a merge can say more than "rank 1 to M". */
export function fewestTasks(merge: Merge, alpha: number): number {
  const rate = exactRate(alpha)
  const sides = merge === "joint" ? 1n : 2n
  const count = (sides * rate.bottom + rate.top - 1n) / rate.top - 1n
  return Math.max(1, Number(count))
}

/**
 * The rate at which task intervals of the given level are merged, so that the guarantee is no less
 * than 1 - alphaOverall / (1 - alpha / 2): a whole number of the N + 1 intervals may be left out.
 */
export function rateWithin(tasks: number, alphaOverall: number, alpha: number, side: number): Fraction {
  const [overall, both, one] = [exactRate(alphaOverall), exactRate(alpha), exactRate(side)]
  // (1 - side) (N + 1) alphaOverall / (1 - alpha / 2), over a common denominator.
  const top = (one.bottom - one.top) * BigInt(tasks + 1) * overall.top * 2n * both.bottom
  const bottom = one.bottom * overall.bottom * (2n * both.bottom - both.top)
  // A side is written with some 16 digits, which must not cost one interval.
  const need = (1_000_000_000n * top + bottom) / (1_000_000_000n * bottom)
  const most = BigInt(tasks)
  return { top: need < most ? need : most, bottom: BigInt(tasks + 1) }
}

export type Merge = "joint" | "quantile" | "union"

/** Probability with which the interval of a new task holds; `side` is that of the task ranks. */
export function mergeGuarantee(merge: Merge, tasks: number, alpha: Rate, side: number): number {
  const parts = {
    joint: jointIndex(tasks, alpha),
    quantile: 2 * orderIndex(tasks, alpha),
    union: Math.min(2, tasks + 1),
  }[merge]
  const error = exactRate(side)
  // 1 - (parts / (N + 1)) / (1 - side), on one line over a common denominator.
  const bottom = BigInt(tasks + 1) * (error.bottom - error.top)
  const top = bottom - BigInt(parts) * error.bottom
  return top <= 0n ? 0 : Number(top) / Number(bottom)
}
