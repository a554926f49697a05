/** The board for a choice of tasks, weights and levels: what Explore shows. */

import type { Board } from "../board"
import {
  type Average,
  type TaskScores,
  averageHalf,
  averageItems,
  averageRanks,
  averageTasks,
  joinTasks,
  sharesOf,
  tooFew,
} from "./averages"
import { type Bounds, mergeRanks } from "./merges"
import { type Merge, type Rate, fewestTasks, jointIndex, mergeGuarantee, rateWithin } from "./rates"

export interface Choice {
  /** Positions of the tasks that count. */
  tasks: number[]
  /** One weight per task of the board, 0 or more. */
  weights: number[]
  alpha: number
  alphaOverall: number
}

export interface AverageAnswer {
  /** In the units that the page shows; NaN for a model without a score on every task. */
  score: number[]
  /** Ends of intervals; NaN for a model whose scores do not vary at all. */
  low: number[]
  high: number[]
  bounds: Bounds
  /** Models whose interval begins with 1. */
  first: number[]
  /** Whether tasks or families are too few to show that any model is better. */
  few: boolean
}

export interface Answer {
  newTask: Bounds | null
  /** Probability that one new-task interval holds; null where nothing is promised. */
  guarantee: number | null
  /** Tasks it takes to say anything at this level, where these are too few. */
  needs: number | null
  /** Null where there is none, or where `resampled`. */
  average: AverageAnswer | null
  /** Whether the package would resample the tasks or families of this choice, which is not done here. */
  resampled: boolean
}

/** What the package would say for this choice, had it been made beforehand. */
export function recompute(board: Board, choice: Choice): Answer {
  const merge = board.data.explore.merge
  const tasks = choice.tasks
  const needs = merge && tasksNeeded(board, merge, choice.alphaOverall)
  const found = averageAnswer(board, choice)
  return {
    newTask: merge && tasks.length ? newTaskRanks(board, choice) : null,
    guarantee: merge && tasks.length ? promise(board, choice) : null,
    needs: needs && tasks.length < needs && merge !== "union" ? needs : null,
    average: found === "resampled" ? null : found,
    resampled: found === "resampled",
  }
}

function tasksNeeded(board: Board, merge: Merge, alphaOverall: number): number {
  let count = fewestTasks(merge, alphaOverall)
  // Task intervals of a lower level need more tasks before one of them may be left out.
  while (board.data.explore.split && jointIndex(count, rateOf(board, count, alphaOverall)) === 0) count++
  return count
}

function newTaskRanks(board: Board, choice: Choice): Bounds {
  const { best, worst } = board.merged
  const rate = rateOf(board, choice.tasks.length, choice.alphaOverall)
  return mergeRanks(board.data.explore.merge!, best, worst, board.size, choice.tasks, rate)
}

/** The rate of the merge, for so many tasks and the rate that is asked for. */
export function rateOf(board: Board, tasks: number, alphaOverall: number): Rate {
  const { split } = board.data.explore
  return split ? rateWithin(tasks, alphaOverall, split.alpha, split.side) : alphaOverall
}

function promise(board: Board, choice: Choice): number | null {
  const { explore, tasks } = board.data
  if (explore.split) {
    if (!explore.split.holds) return null
    const rate = rateOf(board, choice.tasks.length, choice.alphaOverall)
    return mergeGuarantee(explore.merge!, choice.tasks.length, rate, explore.split.side)
  }
  const sides = choice.tasks.map((task) => tasks[task]!.side)
  if (!explore.observed && sides.includes(null)) return null
  const side = explore.observed ? 0 : Math.max(...sides.map(Number))
  return mergeGuarantee(explore.merge!, choice.tasks.length, choice.alphaOverall, side)
}

function averageAnswer(board: Board, choice: Choice): AverageAnswer | "resampled" | null {
  const rule = board.data.explore.average
  const shown = board.data.average
  const tasks = choice.tasks.filter((task) => choice.weights[task]! > 0)
  if (!rule || !shown || tasks.length < 2) return null
  const average = averageOf(board, tasks, choice.weights)
  if (!average) return null
  if (average.fitness === "skewed" && rule.correction !== "none") return "resampled"
  const { bounds } = averageRanks(average, rule.correction, rule.scope, choice.alpha)
  const half = averageHalf(average, choice.alpha)
  const sign = shown.direction === "lower" ? -1 : 1
  const score = Array.from(average.score, (value) => sign * value)
  const [least, greatest] = shown.bounds
  return {
    score,
    // The true value lies within the scale, so nothing is lost by cutting there.
    low: score.map((value, i) => Math.max(value - half[i]!, least ?? -Infinity)),
    high: score.map((value, i) => Math.min(value + half[i]!, greatest ?? Infinity)),
    bounds,
    first: board.data.order.filter((model) => bounds.best[model] === 1),
    few: tooFew(average, rule.correction),
  }
}

/** The average of these tasks; null where none can be made. */
export function averageOf(board: Board, tasks: number[], weights: readonly number[]): Average | null {
  const rule = board.data.explore.average
  if (!rule) return null
  const chosen = tasks.map((task) => weights[task]!)
  if (rule.rule === "items") {
    const parts = partsOf(board, tasks, chosen)
    return averageItems(parts.map(({ scores }) => scores), parts.map(({ weight }) => weight))
  }
  const scores = tasks.map((task) => board.scores(task))
  const shares = sharesOf(chosen)
  const families = rule.families && tasks.map((task) => rule.families![task]!)
  if (families && new Set(families).size < 2) return null
  return averageTasks(scores, shares, families)
}

/** What is averaged over exactly these tasks: those that share rows are one, with the weight of all of them. */
function partsOf(board: Board, tasks: readonly number[], weights: readonly number[]): { scores: TaskScores; weight: number }[] {
  const groups = new Map<unknown, number[]>()
  tasks.forEach((task, k) => {
    const group = board.sharedRows(task) ?? task
    groups.set(group, [...(groups.get(group) ?? []), k])
  })
  return [...groups.values()].map((members) => {
    const own = members.map((k) => weights[k]!)
    const [first] = members
    const scores = members.length === 1 ? board.scores(tasks[first!]!) : joinTasks(members.map((k) => board.columns(tasks[k]!)!), own)
    return { scores, weight: own.reduce((a, b) => a + b) }
  })
}
