/** Averages over the chosen tasks, with paired contrasts: the rules of the package, in the browser. */

import { pairIndex } from "../data"
import { type Correction, type Statistics, mayBeBest, ranksEach, ranksOf, relationAll } from "./holm"
import { type Bounds, anywhere } from "./merges"
import { type Fitness, fitnessOf, fitnessOfSum } from "./skewness"
import { criticalValue } from "./tails"

const EPS = 2 ** -52
const NO_SPREAD = 1e-12 // of the score; below, an error is rounding
const MOST_ROWS = 1022 // beyond, 2 to the power of -rows is no normal number

/** Scores of one task; higher is better, on the scale that is averaged. */
export interface TaskScores {
  mean: Float64Array
  se: Float64Array
  /** Degrees of freedom behind `se`, one per model. */
  df: Float64Array
  pairs: TaskPairs | null
  /** Of each model, its scores on the rows, where they may be joined with others. */
  columns?: readonly Float64Array[] | null
}

/** Pairs (0,1), (0,2), …, (1,2), … of one task. */
export interface TaskPairs {
  difference: Float64Array
  se: Float64Array
  df: number | Float64Array
  rows: number | Float64Array
}

export interface Average {
  /** Higher is better; NaN for a model without a score on every task that counts. */
  score: Float64Array
  se: Float64Array
  df: Float64Array
  /** Positions of the models that have an average. */
  present: number[]
  /** Contrasts among them. */
  contrasts: Contrasts
  /** What the rows say of a t-test on them. */
  fitness: Fitness
}

export interface Contrasts extends Statistics {
  difference: Float64Array
  se: Float64Array
}

export interface AverageRanks {
  bounds: Bounds
  /** Pairs of all models that hold at once. */
  shown: Uint8Array
}

/** Average over exactly these tasks: variances of contrasts add up. */
export function averageItems(tasks: readonly TaskScores[], weights: readonly number[]): Average {
  const models = tasks[0]!.mean.length
  const shares = sharesOf(weights)
  const sums = [0, 1, 2].map(() => new Float64Array(models)) as [Float64Array, Float64Array, Float64Array]
  const [score, variance, perDf] = sums
  tasks.forEach((task, t) => {
    const share = shares[t]!
    for (let i = 0; i < models; i++) {
      score[i]! += share * task.mean[i]!
      addVariance(variance, perDf, i, share ** 2 * task.se[i]! ** 2, task.df[i]!)
    }
  })
  const present = positions(score)
  const size = present.length
  const contrasts = emptyContrasts(size)
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      setPair(contrasts, a, b, contrastOf(tasks, shares, pairIndex(present[a]!, present[b]!, models)))
    }
  }
  return {
    score,
    se: variance.map(Math.sqrt),
    df: variance.map((value, i) => satterthwaite(value, perDf[i]!)),
    present,
    contrasts,
    fitness: fitnessOfItems(tasks, shares, present, contrasts),
  }
}

function fitnessOfItems(
  tasks: readonly TaskScores[],
  shares: readonly number[],
  present: readonly number[],
  { size, se }: Contrasts,
): Fitness {
  const [first] = tasks
  if (tasks.length === 1 && first?.columns) return fitnessOf(among(first.columns, present))
  const parts = tasks.flatMap(({ columns, pairs }, t) => {
    if (!columns || !pairs) return []
    const error = (a: number, b: number) => shares[t]! * errorOf(pairs, pairIndex(present[a]!, present[b]!, columns.length))
    return [{ columns: among(columns, present), share: shares[t]!, error }]
  })
  return fitnessOfSum(parts, size, (a, b) => se[a * size + b]!)
}

interface Contrast {
  difference: number
  se: number
  statistic: number
  df: number
}

function contrastOf(tasks: readonly TaskScores[], shares: readonly number[], pair: number): Contrast {
  let difference = 0
  let varied = false
  const [ahead, variance, perDf] = [[0, 0], [0], [0]]
  tasks.forEach(({ pairs }, t) => {
    if (!pairs) throw new Error("This average needs the pairs of every task.")
    const share = shares[t]!
    const own = (share * errorOf(pairs, pair)) ** 2
    difference += share * pairs.difference[pair]!
    addVariance(variance, perDf, 0, own, at(pairs.df, pair))
    if (!isConstant(pairs, pair)) varied ||= own > 0
    else ahead[pairs.difference[pair]! > 0 ? 0 : 1]! += at(pairs.rows, pair)
  })
  const total = variance[0]!
  const df = satterthwaite(total, perDf[0]!)
  const [rows, others] = ahead as [number, number]
  // Without spread, rows on which one of them is always ahead count as in a sign test.
  if (Number.isFinite(total) && !varied && rows > 0 !== others > 0) {
    return { difference, se: 0, statistic: signTest(rows + others, Infinity) * (rows ? 1 : -1), df: Infinity }
  }
  const se = Math.sqrt(total)
  return { difference, se, statistic: Number.isFinite(total) && total > 0 ? difference / se : 0, df }
}

/** Whether two models differ by the same on each row of a task; one row, as of published scores, shows nothing. */
function isConstant(pairs: TaskPairs, pair: number): boolean {
  return pairs.se[pair] === 0 && pairs.difference[pair] !== 0 && at(pairs.rows, pair) >= 2
}

/** Error of a difference on one task: of one that is always the same, that by which t says what a sign test does. */
function errorOf(pairs: TaskPairs, pair: number): number {
  if (!isConstant(pairs, pair)) return pairs.se[pair]!
  return Math.abs(pairs.difference[pair]!) / signTest(at(pairs.rows, pair), at(pairs.df, pair))
}

/**
 * Tasks with the same rows as one: their weighted average, row by row.
 * @param tasks of each task, and in it of each model, the scores on the rows
 */
export function joinTasks(tasks: readonly (readonly Float64Array[])[], weights: readonly number[]): TaskScores {
  const shares = sharesOf(weights)
  const columns = tasks[0]!.map((first, model) => {
    const column = new Float64Array(first.length)
    tasks.forEach((task, t) => {
      const [own, share] = [task[model]!, shares[t]!]
      for (let k = 0; k < column.length; k++) column[k]! += share * own[k]!
    })
    return column
  })
  const { score, se, df, present, contrasts } = averageRows(columns)
  const [models, rows] = [columns.length, columns[0]!.length]
  const empty = (): Float64Array => new Float64Array((models * (models - 1)) / 2).fill(NaN)
  const pairs = { difference: empty(), se: empty(), df: rows - 1, rows }
  present.forEach((one, a) =>
    present.forEach((two, b) => {
      if (a >= b) return
      const pair = pairIndex(one, two, models)
      pairs.difference[pair] = contrasts.difference[a * present.length + b]!
      pairs.se[pair] = contrasts.se[a * present.length + b]!
    }),
  )
  return { mean: score, se, df, columns, pairs }
}

/**
 * Average over a population of tasks: the tasks themselves are the sample, or their families.
 * @param families code of the family of each task; null where tasks count by themselves
 */
export function averageTasks(
  tasks: readonly TaskScores[],
  weights: readonly number[],
  families: readonly number[] | null = null,
): Average {
  const perTask = tasks.map((task) => task.mean)
  const rows = families ? familyRows(perTask, weights, families) : perTask
  const columns = Array.from(rows[0]!, (_, model) => Float64Array.from(rows, (row) => row[model]!))
  if (!families) weighColumns(columns, weights)
  const made = averageRows(columns)
  return { ...made, fitness: fitnessOf(among(columns, made.present)) }
}

/** The paired t-test on rows, of which each model has a column; one that lacks some has no average. */
function averageRows(columns: readonly Float64Array[]): Omit<Average, "fitness"> {
  const models = columns.length
  const count = columns[0]!.length
  const present = positions(columns.map((column) => meanOf(column)))
  const size = present.length
  const df = Math.max(count - 1, 0)
  const score = new Float64Array(models).fill(NaN)
  const se = new Float64Array(models).fill(NaN)
  const largest = new Float64Array(size)
  present.forEach((model, a) => {
    const column = columns[model]!
    const mean = meanOf(column)
    let squares = 0
    for (const value of column) {
      squares += (value - mean) ** 2
      largest[a] = Math.max(largest[a]!, Math.abs(value))
    }
    score[model] = mean
    se[model] = Math.sqrt(squares / Math.max(count - 1, 1) / Math.max(count, 1))
  })
  const contrasts = emptyContrasts(size)
  contrasts.df = df
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      const scale = Math.max(largest[a]!, largest[b]!)
      setPair(contrasts, a, b, pairedT(columns[present[a]!]!, columns[present[b]!]!, scale, df))
    }
  }
  return { score, se, df: new Float64Array(models).fill(df), present, contrasts }
}

/** Covariance of the mean difference of two models on rows with that on the same rows of something else. */
export function covariance(
  columns: readonly Float64Array[],
  others: readonly Float64Array[],
  one: number,
  two: number,
): number {
  const differences = [columns, others].map((some) => some[one]!.map((value, k) => value - some[two]![k]!))
  const [first, second] = differences as [Float64Array, Float64Array]
  const [mean, mean2] = [meanOf(first), meanOf(second)]
  const total = first.reduce((sum, value, k) => sum + (value - mean) * (second[k]! - mean2), 0)
  return total / (first.length * (first.length - 1))
}

function meanOf(column: Float64Array): number {
  let total = 0
  for (const value of column) total += value
  return total / column.length
}

function among(columns: readonly Float64Array[], present: readonly number[]): Float64Array[] {
  return present.map((model) => columns[model]!)
}

function pairedT(one: Float64Array, two: Float64Array, scale: number, df: number): Contrast {
  const count = one.length
  let difference = 0
  for (let k = 0; k < count; k++) difference += one[k]! - two[k]!
  difference /= count
  let squares = 0
  let farthest = 0
  for (let k = 0; k < count; k++) {
    const off = one[k]! - two[k]! - difference
    squares += off * off
    farthest = Math.max(farthest, Math.abs(off))
  }
  if (count < 2) return { difference, se: NaN, statistic: 0, df }
  if (farthest <= 8 * EPS * scale) {
    const zero = Math.abs(difference) <= 8 * EPS * scale
    const statistic = zero ? 0 : signTest(count, df) * Math.sign(difference)
    return { difference: zero ? 0 : difference, se: 0, statistic, df }
  }
  const se = Math.sqrt(squares / (count * (count - 1)))
  return { difference, se, statistic: difference / se, df }
}

/** Weighted mean of the tasks of each family; families in the order of their codes. */
function familyRows(
  rows: readonly Float64Array[],
  weights: readonly number[],
  families: readonly number[],
): Float64Array[] {
  const codes = [...new Set(families)].sort((a, b) => a - b)
  return codes.map((code) => {
    const members = families.flatMap((family, t) => (family === code ? [t] : []))
    const shares = sharesOf(members.map((t) => weights[t]!))
    const mean = new Float64Array(rows[0]!.length)
    members.forEach((t, k) => rows[t]!.forEach((value, i) => (mean[i]! += shares[k]! * value)))
    return mean
  })
}

// A share of the error rate goes to the set of the models that may be first, where there are enough models.
const BEST_SHARE = 0.2
const FEWEST_SPLIT = 8

/** Rank intervals on an average, and what holds for all models at once. */
export function averageRanks(
  average: Average,
  correction: Correction,
  scope: "each" | "all",
  alpha: number,
): AverageRanks {
  const models = average.score.length
  const { present, contrasts } = average
  const size = present.length
  if (tooFew(average, correction)) return { bounds: anywhere(models), shown: new Uint8Array(models * models) }
  const together = scope === "all" && correction !== "none"
  const split = together && size >= FEWEST_SPLIT
  const relation = relationAll(contrasts, correction, split ? alpha * (1 - BEST_SHARE) : alpha)
  const shown = new Uint8Array(models * models)
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) {
      if (relation[a * size + b]) shown[present[a]! * models + present[b]!] = 1
    }
  }
  if (together) {
    const bounds = ranksOf(shown, models)
    if (split && relation.includes(1)) {
      const best = mayBeBest(contrasts, alpha * BEST_SHARE)
      const first = present.filter((model, a) => bounds.best[model] === 1 && best[a])
      // Of a model that nobody is shown better than by itself, the set may still say that it is not first.
      if (first.length) for (const model of present) if (!first.includes(model)) bounds.best[model] = Math.max(bounds.best[model]!, 2)
    }
    return { bounds, shown }
  }
  const bounds = anywhere(models)
  // One side of a pair has all of alpha where no model is chosen in advance.
  const among = ranksEach(contrasts, correction, scope === "all" ? 2 * alpha : alpha)
  present.forEach((model, a) => {
    bounds.best[model] = among.best[a]!
    bounds.worst[model] = models - (size - among.worst[a]!)
  })
  return { bounds, shown }
}

/** Whether there are too few rows to show anything; what describes and promises nothing is shown all the same. */
export function tooFew(average: Average, correction: Correction): boolean {
  return average.fitness === "few" && correction !== "none"
}

/** Half the interval of each model's own average, one model at a time; NaN where scores do not vary. */
export function averageHalf(average: Average, alpha: number): Float64Array {
  return average.se.map((se, i) => {
    if (se === 0) return NaN // a sample without spread does not say how large the spread is
    const df = average.df[i]!
    const half = criticalValue(alpha / 2, Number.isNaN(df) ? 0 : df) * se
    return 2 * half <= NO_SPREAD * Math.abs(average.score[i]!) ? NaN : half
  })
}

/** Statistic whose upper tail is 2 to the power of -rows: the floor of an exact sign test. */
export function signTest(rows: number, df: number): number {
  return criticalValue(2 ** -Math.min(rows, MOST_ROWS), df)
}

/** Weights scaled to sum 1; by the largest first, so that no sum overflows. */
export function sharesOf(weights: readonly number[]): number[] {
  const finite = Number.isFinite(sum(weights)) ? weights : weights.map((weight) => weight / Math.max(...weights))
  const total = sum(finite)
  return finite.map((weight) => weight / total)
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0)
}

/**
 * Columns whose plain mean and plain error are those of the weighted mean, where weights differ. The tasks are one
 * sample, whatever their weight: its squared error is s² Σw², with w scaled to sum 1 and s the plain deviation.
 */
function weighColumns(columns: readonly Float64Array[], weights: readonly number[]): void {
  if (Math.max(...weights) === Math.min(...weights)) return
  const shares = sharesOf(weights)
  const stretch = Math.sqrt(weights.length * sum(shares.map((share) => share ** 2)))
  for (const column of columns) {
    const plain = meanOf(column)
    const mean = sum(shares.map((share, t) => share * column[t]!))
    column.forEach((value, t) => (column[t] = mean + stretch * (value - plain)))
  }
}

function addVariance(
  variance: number[] | Float64Array,
  perDf: number[] | Float64Array,
  i: number,
  value: number,
  df: number,
): void {
  variance[i]! += value
  perDf[i]! += value === 0 ? 0 : value ** 2 / df
}

function satterthwaite(variance: number, perDf: number): number {
  return perDf > 0 ? variance ** 2 / perDf : Infinity
}

function positions(score: ArrayLike<number> & Pick<number[], "keys">): number[] {
  return [...score.keys()].filter((i) => !Number.isNaN(score[i]!))
}

function emptyContrasts(size: number): Contrasts & { df: number | Float64Array } {
  const table = () => new Float64Array(size * size)
  return { size, difference: table(), se: table(), statistic: table(), df: table().fill(Infinity) }
}

function setPair(contrasts: Contrasts, a: number, b: number, found: Contrast): void {
  const { size } = contrasts
  const [here, there] = [a * size + b, b * size + a]
  contrasts.difference[here] = found.difference
  contrasts.difference[there] = 0 - found.difference
  contrasts.se[here] = contrasts.se[there] = found.se
  contrasts.statistic[here] = found.statistic
  contrasts.statistic[there] = 0 - found.statistic
  if (typeof contrasts.df !== "number") contrasts.df[here] = contrasts.df[there] = found.df
}

function at(values: number | Float64Array, index: number): number {
  return typeof values === "number" ? values : values[index]!
}
