/** The board as the page works with it: unpacked, with the questions that views ask of it. */

import { type Numbers, type PageData, type TaskData, type SharedRowsData, pairIndex, unpack, unpackBits, unpackShared } from "./data"
import type { TaskPairs, TaskScores } from "./explore/averages"
import { criticalValue } from "./explore/tails"

export interface Interval {
  best: number
  worst: number
}

export interface TaskCell extends Interval {
  mean: number
  se: number
}

export interface PairCell {
  /** First minus second, higher is better. */
  difference: number
  se: number
  df: number
  n: number
  ahead: number | null
  behind: number | null
  binary: boolean
}

export class Board {
  readonly size: number
  readonly categories: string[]
  readonly families: string[]
  private readonly pairTables: (PairTable | null)[] = []
  private readonly columnTables = new Map<number, Float64Array[]>()
  private readonly unpacked = new Map<string, Numbers>()
  private shownBetter: Uint8Array | null = null

  constructor(readonly data: PageData) {
    this.size = data.models.length
    this.categories = distinct(data.tasks.map((task) => task.category))
    this.families = distinct(data.tasks.map((task) => task.family))
  }

  get best(): Numbers {
    return this.numbers("best")
  }

  get worst(): Numbers {
    return this.numbers("worst")
  }

  get mean(): Numbers {
    return this.numbers("mean")
  }

  get se(): Numbers {
    return this.numbers("se")
  }

  /** Unpacked when it is asked for first: the first screen needs none of it. */
  private numbers(name: "best" | "worst" | "mean" | "se"): Numbers {
    const known = this.unpacked.get(name)
    if (known) return known
    const found = unpack(this.data[name])
    this.unpacked.set(name, found)
    return found
  }

  /** Models times models: 1 where the first was shown better. */
  get shown(): Uint8Array {
    if (this.shownBetter) return this.shownBetter
    return (this.shownBetter = unpackBits(this.data.shownBetter, this.size ** 2))
  }

  /** Ends of the intervals that new-task intervals are made of, tasks times models. */
  get merged(): { best: Numbers; worst: Numbers } {
    const { merged } = this.data
    return merged ? { best: unpack(merged.best), worst: unpack(merged.worst) } : { best: this.best, worst: this.worst }
  }

  get hasPairs(): boolean {
    return this.data.pairs !== null
  }

  /** Interval and score of a model on a task. */
  cell(task: number, model: number): TaskCell {
    const at = task * this.size + model
    return { best: this.best[at]!, worst: this.worst[at]!, mean: this.mean[at]!, se: this.se[at]! }
  }

  /** Ends of each model's own interval of its score on a task, at the level of the task; NaN without one. */
  scoreEnds(task: number): { low: ArrayLike<number>; high: ArrayLike<number> } {
    const { ends } = this.data.tasks[task]!
    if (ends) return { low: unpack(ends.low), high: unpack(ends.high) }
    const half = this.halfWidths(task)
    const at = (sign: number) => half.map((one, model) => this.cell(task, model).mean + sign * one)
    return { low: at(-1), high: at(1) }
  }

  private halfWidths(task: number): number[] {
    const { alpha, df } = this.data.tasks[task]!
    const freedom = df !== null && typeof df !== "number" ? unpack(df) : null
    const shared = freedom ? null : criticalValue(alpha / 2, typeof df === "number" ? df : Infinity)
    return this.data.models.map((_, model) => {
      const se = this.se[task * this.size + model]!
      return se > 0 ? (shared ?? criticalValue(alpha / 2, freedom![model]!)) * se : NaN
    })
  }

  /** Models that were shown worse than this one, in the order of the board. */
  beats(model: number): number[] {
    return this.data.order.filter((other) => this.shown[model * this.size + other])
  }

  /** Models that were shown better than this one, in the order of the board. */
  beatenBy(model: number): number[] {
    return this.data.order.filter((other) => this.shown[other * this.size + model])
  }

  /** Models neither shown better nor worse. */
  tiedWith(model: number): number[] {
    const apart = (a: number, b: number) => this.shown[a * this.size + b]
    return this.data.order.filter(
      (other) => other !== model && !apart(model, other) && !apart(other, model),
    )
  }

  /** The tasks of a category that count. */
  tasksIn(category: string): number[] {
    const { tasks } = this.data
    return [...tasks.keys()].filter((i) => tasks[i]!.category === category && tasks[i]!.weight > 0)
  }

  /** Positions of the models on a task, best score first. */
  taskOrder(task: number): number[] {
    const sign = this.data.tasks[task]!.direction === "higher" ? 1 : -1
    const value = (model: number) => {
      const mean = sign * this.cell(task, model).mean
      return Number.isNaN(mean) ? -Infinity : mean
    }
    return [...this.data.models.keys()].sort((a, b) => value(b) - value(a) || a - b)
  }

  /** What is known about two models on a task; null where the page has no pairs. */
  pair(task: number, one: number, two: number): PairCell | null {
    const table = this.pairTable(task)
    if (!table) return null
    const swap = one > two
    const at = swap ? pairIndex(two, one, this.size) : pairIndex(one, two, this.size)
    const sign = swap ? -1 : 1
    const [ahead, behind] = swap ? [table.behind, table.ahead] : [table.ahead, table.behind]
    return {
      difference: sign * table.difference[at]!,
      se: table.se[at]!,
      df: pick(table.df, at),
      n: pick(table.rows, at),
      ahead: ahead?.[at] ?? null,
      behind: behind?.[at] ?? null,
      binary: table.binary,
    }
  }

  /** Scores of a task on the scale that is averaged, higher is better. */
  scores(task: number): TaskScores {
    const { offset, factor } = this.scale(task)
    const table = this.pairTable(task)
    const from = task * this.size
    const mean = Float64Array.from(this.mean.subarray(from, from + this.size), (v) => (v - offset) * factor)
    const se = Float64Array.from(this.se.subarray(from, from + this.size), (v) => v * Math.abs(factor))
    const df = table ? table.modelDf : Infinity
    return {
      mean,
      se,
      df: typeof df === "number" ? new Float64Array(this.size).fill(df) : df,
      pairs: table && scaled(table, Math.abs(factor)),
      columns: this.columns(task),
    }
  }

  /** The rows that a task shares with others; undefined where it has rows of its own. */
  sharedRows(task: number): SharedRowsData | undefined {
    return this.data.sharedRows?.find(({ tasks }) => tasks.includes(task))
  }

  /** Of each model, its scores on the rows of a task, on the scale that is averaged, where the task shares them. */
  columns(task: number): Float64Array[] | null {
    const known = this.columnTables.get(task)
    const shared = this.sharedRows(task)
    if (known || !shared) return known ?? null
    const { rows, tasks, levels, scores } = shared
    const { offset, factor } = this.scale(task)
    const values = levels?.length === 2 ? unpackBits(scores, tasks.length * rows * this.size) : unpack(scores)
    const levelled = levels && Float64Array.from(levels, (level) => level ?? NaN)
    const from = tasks.indexOf(task) * rows * this.size
    const table = this.data.models.map((_, model) => {
      const column = new Float64Array(rows)
      for (let k = 0; k < rows; k++) {
        const at = values[from + k * this.size + model]!
        column[k] = ((levelled ? levelled[at]! : at) - offset) * factor
      }
      return column
    })
    this.columnTables.set(task, table)
    return table
  }

  private scale(task: number): { offset: number; factor: number } {
    const rule = this.data.explore.average
    const sign = this.data.tasks[task]!.direction === "higher" ? 1 : -1
    return { offset: rule?.offset[task] ?? 0, factor: rule?.factor[task] ?? sign }
  }

  private pairTable(task: number): PairTable | null {
    const given = this.data.pairs?.[task]
    if (!given) return null
    const known = this.pairTables[task]
    if (known) return known
    const table: PairTable = {
      difference: given.difference
        ? Float64Array.from(unpack(given.difference))
        : this.differences(task),
      se: Float64Array.from(unpack(given.se)),
      df: unpackShared(given.df),
      rows: unpackShared(given.n),
      modelDf: unpackShared(given.modelDf),
      ahead: given.ahead && unpack(given.ahead),
      behind: given.behind && unpack(given.behind),
      binary: given.binary,
    }
    this.pairTables[task] = table
    return table
  }

  /** With every score known, differences are those of the means. */
  private differences(task: number): Float64Array {
    const sign = this.data.tasks[task]!.direction === "higher" ? 1 : -1
    const mean = this.mean.subarray(task * this.size, (task + 1) * this.size)
    const table = new Float64Array((this.size * (this.size - 1)) / 2)
    let at = 0
    for (let i = 0; i < this.size; i++) {
      for (let j = i + 1; j < this.size; j++) table[at++] = sign * (mean[i]! - mean[j]!)
    }
    return table
  }
}

interface PairTable extends TaskPairs {
  modelDf: number | Float64Array
  ahead: Numbers | null
  behind: Numbers | null
  binary: boolean
}

function scaled(table: PairTable, factor: number): TaskPairs {
  if (factor === 1) return table
  return {
    ...table,
    difference: table.difference.map((value) => value * factor),
    se: table.se.map((value) => value * factor),
  }
}

function distinct(values: (string | null)[]): string[] {
  return [...new Set(values.filter((value): value is string => value !== null))].sort()
}

function pick(values: number | Float64Array, at: number): number {
  return typeof values === "number" ? values : values[at]!
}

/** What to type to compare two models where the page has no pairs. */
export function compareLine(data: PageData, one: number, two: number): string {
  const inputs = data.inputs.length ? data.inputs : ["INPUT"]
  const words = ["rankbars", "compare", ...inputs.slice(0, 4).map(quoted)]
  return [...words, "--models", quoted(data.models[one]!), "--models", quoted(data.models[two]!)].join(" ")
}

/** What to type for a board of some models only: another board, titled as one, with the options of this one to be added. */
export function rankLine(data: PageData, models: readonly number[]): string {
  const inputs = data.inputs.length ? data.inputs : ["INPUT"]
  const chosen = models.flatMap((model) => ["--models", quoted(data.models[model]!)])
  return ["rankbars", "rank", ...inputs.slice(0, 4).map(quoted), ...chosen, "--title", quoted(`Ranked among ${models.length} of ${data.models.length} models, chosen by a reader`)].join(" ")
}

function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** What an average is a sample of, where its own few or skewed rows may matter. */
export function unitNoun({ explore, sharedRows, tasks }: PageData): string {
  if (explore.average?.rule === "items" && sharedRows) return taskNoun(tasks[sharedRows[0]!.tasks[0]!]!)
  return explore.average?.families ? "families" : "tasks"
}

export function taskNoun(task: TaskData): string {
  return { items: "items", folds: "folds", runs: "runs", estimates: "scores", votes: "votes" }[task.kind]
}
