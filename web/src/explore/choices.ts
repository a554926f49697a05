/** A choice of tasks, weights and levels, as it stands in the address. */

import type { Board } from "../board"
import type { State } from "../state"
import type { Choice } from "./recompute"

/** The choice that the board was made with. */
export function published(board: Board): Choice {
  const { explore, tasks, average } = board.data
  return {
    tasks: [...tasks.keys()],
    weights: tasks.map((task) => task.weight),
    alpha: explore.average?.alpha ?? average?.alpha ?? 0.05,
    alphaOverall: explore.alphaOverall ?? 0.2,
  }
}

export function readChoice(board: Board, state: State): Choice {
  const choice = published(board)
  const out = new Set((state.out ?? "").split("_").filter(Boolean).map(Number))
  choice.tasks = choice.tasks.filter((task) => !out.has(task))
  for (const part of (state.w ?? "").split("_").filter(Boolean)) {
    const [task = NaN, weight = NaN] = part.split(":").map(Number)
    if (task in choice.weights && weight >= 0 && Number.isFinite(weight)) choice.weights[task] = weight
  }
  const { average, alphasOverall, merge } = board.data.explore
  if (average?.alphas.includes(Number(state.a))) choice.alpha = Number(state.a)
  if (merge && merge !== "union" && alphasOverall.includes(Number(state.ao))) choice.alphaOverall = Number(state.ao)
  return choice
}

export function writeChoice(board: Board, choice: Choice): Pick<Record<keyof State, string | undefined>, "out" | "w" | "a" | "ao"> {
  const usual = published(board)
  const kept = new Set(choice.tasks)
  const out = usual.tasks.filter((task) => !kept.has(task))
  const moved = usual.tasks.filter((task) => choice.weights[task] !== usual.weights[task])
  return {
    out: out.join("_") || undefined,
    w: moved.map((task) => `${task}:${Number(choice.weights[task]!.toPrecision(6))}`).join("_") || undefined,
    a: choice.alpha === usual.alpha ? undefined : String(choice.alpha),
    ao: choice.alphaOverall === usual.alphaOverall ? undefined : String(choice.alphaOverall),
  }
}

/** What is different from the published board, in words; empty where nothing is. */
export function changes(board: Board, choice: Choice, level: (alpha: number) => string): string[] {
  const usual = published(board)
  const found: string[] = []
  const gone = usual.tasks.length - choice.tasks.length
  if (gone) found.push(`${gone} of ${usual.tasks.length} tasks left out`)
  const kept = new Set(choice.tasks)
  const moved = usual.tasks.filter((task) => kept.has(task) && choice.weights[task] !== usual.weights[task])
  if (moved.length) found.push(`weights of ${moved.length === 1 ? "1 task" : `${moved.length} tasks`} changed`)
  if (choice.alpha !== usual.alpha) found.push(`level of the average ${level(choice.alpha)} instead of ${level(usual.alpha)}`)
  if (choice.alphaOverall !== usual.alphaOverall) {
    found.push(`level of the new task ${level(choice.alphaOverall)} instead of ${level(usual.alphaOverall)}`)
  }
  return found
}
