/** Means of the categories of tasks, and what those with rows in common share. */

import type { Board } from "../board"
import { type Average, covariance } from "./averages"
import { averageOf } from "./recompute"

export interface CategoryMean {
  name: string
  /** Share of the average. */
  share: number
  average: Average
}

/** Two categories with rows in common: their means are not independent. */
export interface Link {
  first: number
  second: number
  /** Covariance of the difference of two models in the first with that in the second. */
  covariance: (one: number, two: number) => number
}

/** Means of each category on the scale that is averaged; null where they cannot be made here. */
export function categoryMeans(board: Board): CategoryMean[] | null {
  const { explore, tasks } = board.data
  if (explore.average?.rule !== "items" || tasks.some((task) => task.category === null)) return null
  const weights = tasks.map((task) => task.weight)
  const total = weights.reduce((a, b) => a + b, 0)
  return board.categories.map((name) => {
    const members = counted(board, name)
    const share = members.reduce((sum, task) => sum + weights[task]!, 0) / total
    return { name, share, average: averageOf(board, members, weights)! }
  })
}

/** The pairs of categories that have rows in common. */
export function categoryLinks(board: Board): Link[] {
  const { categories, data } = board
  const members = categories.map((name) => counted(board, name))
  return categories.flatMap((_, first) =>
    categories.flatMap((__, second) => {
      if (second <= first) return []
      const groups = (data.sharedRows ?? []).flatMap(({ tasks }) => {
        const [one, two] = [first, second].map((c) => members[c]!.filter((task) => tasks.includes(task)))
        return one!.length && two!.length ? [[one!, two!] as const] : []
      })
      if (!groups.length) return []
      const parts = groups.map(([one, two]) => [rowsOf(board, members[first]!, one), rowsOf(board, members[second]!, two)] as const)
      const known = new Map<number, number>()
      const between = (one: number, two: number): number => {
        const pair = one * board.size + two
        if (!known.has(pair)) known.set(pair, parts.reduce((sum, [a, b]) => sum + covariance(a, b, one, two), 0))
        return known.get(pair)!
      }
      return [{ first, second, covariance: between }]
    }),
  )
}

/** What each row of `tasks`, which have the same ones, adds to the mean of all `members` of a category, by model. */
function rowsOf(board: Board, members: readonly number[], tasks: readonly number[]): Float64Array[] {
  const { tasks: about } = board.data
  const total = members.reduce((sum, task) => sum + about[task]!.weight, 0)
  return board.data.models.map((_, model) => {
    const columns = tasks.map((task) => board.columns(task)![model]!)
    return columns[0]!.map((__, k) => tasks.reduce((sum, task, t) => sum + (about[task]!.weight / total) * columns[t]![k]!, 0))
  })
}

function counted({ data: { tasks } }: Board, category: string): number[] {
  return [...tasks.keys()].filter((task) => tasks[task]!.category === category && tasks[task]!.weight > 0)
}
