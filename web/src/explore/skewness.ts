/** Whether a t-test suits rows that are a sample: the rule by which the package chooses what decides. */

/** Too few rows show nothing; where a few of them weigh heavily, the package resamples them. */
export type Fitness = "usual" | "few" | "skewed"

export const FEWEST_ROWS = 5
const SKEWED = 0.25
const MOST_ROWS = 10000 // with more, single rows do not weigh heavily
const MOST_MODELS = 300 // of more, as many evenly spaced ones stand for the field
const MOST_CELLS = 5e7 // rows times pairs of models that are looked at
const NO_SPREAD = 1e-9 // of the largest variance: less is rounding

/** What rows without gaps say; answers of 0 and 1 have rules of their own. */
export function fitnessOf(rows: readonly Float64Array[]): Fitness {
  const models = rows[0]?.length ?? 0
  if (rows.length > MOST_ROWS || rows.length < 2 || models < 2 || isBinary(rows)) return "usual"
  if (rows.length < FEWEST_ROWS) return "few"
  return skewnessIndex(rows) > SKEWED ? "skewed" : "usual"
}

/** The 90th percentile over pairs of |skewness| / √n of their differences; 0 where nothing varies. */
export function skewnessIndex(rows: readonly Float64Array[]): number {
  const looked = spacedModels(rows[0]!.length, rows.length)
  const pairs: { variance: number; third: number }[] = []
  looked.forEach((a, k) => {
    for (const b of looked.slice(k + 1)) pairs.push(moments(rows, a, b))
  })
  const largest = pairs.reduce((most, { variance }) => Math.max(most, variance), 0)
  const sizes = pairs
    .filter(({ variance }) => variance > NO_SPREAD * largest)
    .map(({ variance, third }) => Math.abs(third) / variance ** 1.5 / Math.sqrt(rows.length))
  if (!sizes.length) return 0
  sizes.sort((a, b) => a - b)
  const place = 0.9 * (sizes.length - 1)
  const [below, above] = [sizes[Math.floor(place)]!, sizes[Math.ceil(place)]!]
  return below + (above - below) * (place - Math.floor(place))
}

function spacedModels(models: number, rows: number): number[] {
  const most = Math.min(MOST_MODELS, Math.floor(Math.sqrt(MOST_CELLS / Math.max(rows, 1))))
  if (models <= most) return [...Array(models).keys()]
  return Array.from({ length: most }, (_, k) => (k === most - 1 ? models - 1 : Math.floor(k * ((models - 1) / (most - 1)))))
}

/** Second and third central moment of the difference of two models. */
function moments(rows: readonly Float64Array[], a: number, b: number): { variance: number; third: number } {
  let mean = 0
  for (const row of rows) mean += row[a]! - row[b]!
  mean /= rows.length
  let [variance, third] = [0, 0]
  for (const row of rows) {
    const off = row[a]! - row[b]! - mean
    variance += off * off
    third += off * off * off
  }
  return { variance: variance / rows.length, third: third / rows.length }
}

function isBinary(rows: readonly Float64Array[]): boolean {
  return rows.every((row) => row.every((value) => value === 0 || value === 1 || value === -1))
}
