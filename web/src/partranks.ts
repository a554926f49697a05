/** Ranks of a part of the results, in the place of those of all: of one category, or of one task. */

import type { Board } from "./board"
import type { Direction, PartData, RanksData } from "./data"
import { published } from "./explore/choices"
import { recompute } from "./explore/recompute"
import type { Names } from "./names"
import { intervalTexts, level, scoreTexts } from "./numbers"

export interface PartRanks {
  /** What is seen above the table. */
  title: string
  level: string
  ranks: RanksData
  /** Models that have ranks here, best score first. */
  order: number[]
  scoreName: string
  scoreNote: string
  direction: Direction
  score: (number | null)[]
  low: (number | null)[]
  high: (number | null)[]
  texts: string[]
}

/** The ranks that a key of the address asks for; a sentence where they are not known; null for those of everything. */
export function partRanks(board: Board, names: Names, key: string | undefined): PartRanks | string | null {
  const [kind = "", ...rest] = (key ?? "").split(":")
  const word = rest.join(":")
  if (kind === "votes") {
    const part = board.data.parts?.[Number(word)]
    return part ? ofVotes(board, part) : null
  }
  if (kind === "category" && board.categories.includes(word)) return ofCategory(board, word)
  const task = kind === "task" ? names.task(word) : null
  return task === null || board.data.tasks.length < 2 ? null : ofTask(board, task)
}

function ofTask(board: Board, task: number): PartRanks {
  const { name, claim, scoreTitle, scoreNote, direction } = board.data.tasks[task]!
  const cells = board.data.models.map((_, model) => board.cell(task, model))
  const { low, high } = board.scoreEnds(task)
  const [best, worst] = [cells.map((cell) => cell.best), cells.map((cell) => cell.worst)]
  const order = board.taskOrder(task).filter((model) => !Number.isNaN(cells[model]!.mean))
  return {
    title: sentence(board, name, order, best, worst),
    level: `Rank on ${name}, one of ${board.data.tasks.length} tasks: ${claim}.`,
    ranks: { title: `Rank on ${name}`, words: claim, best, worst },
    order, scoreName: scoreTitle, scoreNote, direction, texts: scoreTexts(board, task),
    score: cells.map((cell) => known(cell.mean)), low: Array.from(low, known), high: Array.from(high, known),
  }
}

/** Averages over the tasks of a category are computed here, by the rules of the board. */
function ofCategory(board: Board, name: string): PartRanks | string {
  const { average, explore } = board.data
  const tasks = board.tasksIn(name)
  const found = recompute(board, { ...published(board), tasks }).average
  if (!found || found.few || !average) {
    return `Ranks on the average of ${name} are not computed here: its ${tasks.length} tasks are too few, or too uneven, for the rules of this board.`
  }
  const { best, worst } = found.bounds
  const sign = average.direction === "lower" ? 1 : -1
  const scored = board.data.order.filter((model) => !Number.isNaN(found.score[model]!))
  const order = scored.sort((a, b) => sign * (found.score[a]! - found.score[b]!))
  const who = average.scope === "all" ? "all models at once" : "each model"
  const words = `${level(published(board).alpha)} confidence, ${who}`
  const drawn = explore.average?.drawn ? ", with Holm's method" : ""
  return {
    title: sentence(board, name, order, best, worst),
    level: `Rank on the average of ${tasks.length} tasks, ${name}: ${words}, if this category was chosen before the results were seen. Computed here${drawn}.`,
    ranks: { title: `Rank on ${name}`, words, best: Array.from(best), worst: Array.from(worst) },
    order, scoreName: average.title, scoreNote: `± ${average.level}`, direction: average.direction, texts: intervalTexts(found.score, found.low, found.high),
    score: found.score.map(known), low: found.low.map(known), high: found.high.map(known),
  }
}

function ofVotes(board: Board, part: PartData): PartRanks {
  const { name, words, models, score, low, high } = part
  const spread = <T, U>(values: readonly T[], none: U): (T | U)[] => {
    const all = new Array<T | U>(board.size).fill(none)
    models.forEach((model, i) => (all[model] = values[i]!))
    return all
  }
  const [best, worst] = [spread(part.best, board.size), spread(part.worst, board.size)]
  const left = models.length < board.size ? ` Among the ${models.length} models that its votes put on one scale.` : ""
  return {
    title: sentence(board, name, models, best, worst),
    level: `Rank on ${part.votes} votes, ${name}: ${words}, by itself; categories may share votes.${left}`,
    ranks: { title: `Rank on ${name}`, words, best, worst },
    order: models, scoreName: board.data.tasks[0]!.scoreTitle, scoreNote: board.data.tasks[0]!.scoreNote, direction: "higher",
    texts: spread(intervalTexts(score, low.map(Number), high.map(Number), part.decimals), ""),
    score: spread(score, null), low: spread(low, null), high: spread(high, null),
  }
}

/** Who may be first on a part, as the sentence above the whole says it. */
function sentence({ data }: Board, name: string, order: readonly number[], best: ArrayLike<number>, worst: ArrayLike<number>): string {
  const first = order.filter((model) => best[model] === 1)
  const called = first.slice(0, 3).map((model) => data.models[model]!)
  if (first.length === 1) {
    const others = order.length - 1
    return worst[first[0]!] === 1 && others > 0
      ? `${called[0]} leads on ${name}: it is shown better than all ${others} others.`
      : `Only ${called[0]} may be first on ${name}.`
  }
  if (first.length === order.length) return `On ${name}, these results rule out no model as the first.`
  if (first.length > 3) return `${first.length} models may be first on ${name}.`
  return `${called.slice(0, -1).join(", ")} or ${called.at(-1)} may be first on ${name}.`
}

function known(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
