/** Whether a t-test suits rows that are a sample: the rule by which the package chooses what decides. */

/** Too few rows show nothing; where a few of them weigh heavily, the package resamples them. */
export type Fitness = "usual" | "few" | "skewed"

export const FEWEST_ROWS = 5
const SKEWED = 0.25
const MOST_ROWS = 10000 // with more, single rows do not weigh heavily
const MOST_MODELS = 300 // of more, as many evenly spaced ones stand for the field
const MOST_CELLS = 5e7 // rows times pairs of models that are looked at
const MOST_IN_SUM = 200 // models, of averages over several tasks
const [FEW_ROWS, SEVERAL_ROWS] = [20, 50] // fewer do not tell an error well, nor how far scores with one end reach
const [MUCH, MANY] = [0.5, 0.1] // of the variance of a pair, of so large a share of the pairs
const NO_SPREAD = 1e-9 // of the largest variance: less is rounding

/** What rows without gaps say, of which each model has a column; answers of 0 and 1 have rules of their own. */
export function fitnessOf(columns: readonly Float64Array[]): Fitness {
  const rows = columns[0]?.length ?? 0
  if (rows > MOST_ROWS || rows < 2 || columns.length < 2 || isBinary(columns)) return "usual"
  if (rows < FEWEST_ROWS) return "few"
  return skewnessIndex(columns) > SKEWED ? "skewed" : "usual"
}

/** A task of an average, with the scores of each model on its rows. */
export interface Part {
  columns: readonly Float64Array[]
  share: number
  /** Error that the task gives to a contrast of the average. */
  error: (a: number, b: number) => number
}

/** What the rows of some tasks say of an average, whose contrasts have such errors. */
export function fitnessOfSum(parts: readonly Part[], models: number, error: (a: number, b: number) => number): Fitness {
  const rowsOf = ({ columns }: Part): number => columns[0]?.length ?? 0
  const graded = parts.filter((part) => rowsOf(part) >= 2 && rowsOf(part) <= MOST_ROWS && !isBinary(part.columns))
  if (!graded.length) return "usual"
  const looked = evenlySpaced(models, MOST_IN_SUM)
  const pairs = looked.flatMap((a, k) => looked.slice(k + 1).map((b) => [a, b] as const)).filter(([a, b]) => error(a, b) > 0)
  const sizes = pairs.map(([a, b]) => {
    const third = graded.reduce((sum, { columns, share }) => {
      return sum + share ** 3 * (moments(columns[a]!, columns[b]!).third / columns[a]!.length ** 2)
    }, 0)
    return Math.abs(third) / error(a, b) ** 3
  })
  // Tasks with few rows may carry most of the error of many pairs, and do not tell it well.
  const heavy = (some: readonly Part[]): boolean => {
    const own = (a: number, b: number): number => some.reduce((sum, part) => sum + part.error(a, b) ** 2, 0)
    return pairs.filter(([a, b]) => own(a, b) > MUCH * error(a, b) ** 2).length >= MANY * pairs.length
  }
  const few = graded.filter((part) => rowsOf(part) < FEW_ROWS)
  const tailed = graded.filter((part) => rowsOf(part) < SEVERAL_ROWS && part.columns.every((column) => column.every((value) => value <= 0)))
  if (!pairs.length) return "usual"
  return quantile(sizes) > SKEWED || few.some((part) => heavy([part])) || (tailed.length > 0 && heavy(tailed)) ? "skewed" : "usual"
}

/** The 90th percentile over pairs of |skewness| / √n of their differences; 0 where nothing varies. */
export function skewnessIndex(columns: readonly Float64Array[]): number {
  const rows = columns[0]!.length
  const looked = evenlySpaced(columns.length, Math.min(MOST_MODELS, Math.floor(Math.sqrt(MOST_CELLS / Math.max(rows, 1)))))
  const pairs: { variance: number; third: number }[] = []
  looked.forEach((a, k) => {
    for (const b of looked.slice(k + 1)) pairs.push(moments(columns[a]!, columns[b]!))
  })
  const largest = pairs.reduce((most, { variance }) => Math.max(most, variance), 0)
  const sizes = pairs
    .filter(({ variance }) => variance > NO_SPREAD * largest)
    .map(({ variance, third }) => Math.abs(third) / variance ** 1.5 / Math.sqrt(rows))
  return quantile(sizes)
}

/** The 90th percentile; 0 of nothing. */
function quantile(sizes: number[]): number {
  if (!sizes.length) return 0
  sizes.sort((a, b) => a - b)
  const place = 0.9 * (sizes.length - 1)
  const [below, above] = [sizes[Math.floor(place)]!, sizes[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}

/** So many of the models at most, to stand for all. */
function evenlySpaced(models: number, most: number): number[] {
  if (models <= most) return [...Array(models).keys()]
  return Array.from({ length: most }, (_, k) => (k === most - 1 ? models - 1 : Math.floor(k * ((models - 1) / (most - 1)))))
}

/** Second and third central moment of the difference of two models. */
function moments(one: Float64Array, two: Float64Array): { variance: number; third: number } {
  const count = one.length
  let mean = 0
  for (let k = 0; k < count; k++) mean += one[k]! - two[k]!
  mean /= count
  let [variance, third] = [0, 0]
  for (let k = 0; k < count; k++) {
    const off = one[k]! - two[k]! - mean
    variance += off * off
    third += off * off * off
  }
  return { variance: variance / count, third: third / count }
}

function isBinary(columns: readonly Float64Array[]): boolean {
  return columns.every((column) => column.every((value) => value === 0 || value === 1 || value === -1))
}
