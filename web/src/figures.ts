/** From the data of the page to its pictures: which there are, and what each is drawn from. */

import * as charts from "./charts"
import type { Context } from "./context"
import { type HealthData, unpack } from "./data"
import type { FigureSettings } from "./figure"
import { type Average } from "./explore/averages"
import { mergeRanks } from "./explore/merges"
import { categoryLinks, categoryMeans } from "./explore/categories"
import { expectedShare, leaveOneOut } from "./explore/leaveoneout"
import { rateOf } from "./explore/recompute"
import { type Rate, jointIndex } from "./explore/rates"
import { criticalValue } from "./explore/tails"
import { commonClaim } from "./modelview"
import { level } from "./numbers"
import { chosen } from "./pins"

/** One picture: its key in the address, its short name, and what makes it. */
export interface Picture {
  key: string
  name: string
  settings: () => Omit<FigureSettings, "id">
}

/** Pictures of all models: which are ticked or found changes nothing in them. */
export const OF_ALL: ReadonlySet<string> = new Set(["order", "widths", "weights", "levels", "neighbours", "health"])

/** The pictures that this board has, in the order in which they are offered. */
export function picturesOf(context: Context): Picture[] {
  return [
    intervals(context),
    beside(context),
    probabilities(context),
    laneBars(context),
    order(context),
    pairs(context),
    heat(context),
    widthsOfTasks(context),
    weights(context),
    levels(context),
    foreseen(context),
    votes(context),
    ...(context.board.data.lead === "task" ? healthPictures(context, 0) : []),
  ].filter((picture): picture is Picture => picture !== null)
}

/** Neighbours and findings of the votes of a task; none where these were not looked at. */
export function healthPictures(context: Context, task: number): Picture[] {
  const { board } = context
  const found = board.data.health?.[task]
  if (!found) return []
  const { models, elo } = board.data
  const pictures: Picture[] = []
  if (found.neighbours.length) pictures.push(neighbourPicture(found, models, elo !== null))
  if (found.findings.length) pictures.push(findingPicture(found))
  return pictures
}

function neighbourPicture(found: HealthData, models: readonly string[], elo: boolean): Picture {
  const scale = elo ? 400 / Math.LN10 : 1
  const input: charts.Neighbours = {
    pairs: found.neighbours.map((pair) => ({
      ahead: models[pair.ahead]!,
      behind: models[pair.behind]!,
      difference: scale * (pair.difference ?? NaN),
      se: scale * (pair.se ?? NaN),
      votes: pair.votes,
    })),
    unit: elo ? "Elo points" : "log odds",
    z: criticalValue(found.alpha / 2, Infinity),
  }
  return {
    key: "neighbours",
    name: "Votes needed",
    settings: () => ({
      title: "Votes that would tell neighbours apart",
      caption:
        `How far each model is ahead of the next one, with its interval (${level(found.alpha)}, one pair by itself). The number: further votes ` +
        `between the two that would show a difference as large as this one in ${Math.round(100 * found.power)}\u00a0% of repetitions.`,
      draw: (options) => charts.neighbours(input, options),
      table: () => charts.neighboursTable(input),
      limit: 250,
    }),
  }
}

function findingPicture(found: HealthData): Picture {
  return {
    key: "health",
    name: "Health of votes",
    settings: () => ({
      title: "Health of the votes",
      caption: "What was looked at in the votes. A tick: nothing found; a triangle: a reason to be careful.",
      draw: (options) => charts.health(found, options),
      table: () => charts.healthTable(found),
    }),
  }
}

function openModel({ address, names }: Context, models: readonly number[]): (at: number) => void {
  return (at) => address.set({ model: names.modelKey(models[at]!) })
}

/** The models that are shown. */
function named(context: Context): { models: number[]; names: string[] } {
  const { board } = context
  const models = chosen(context)
  return { models, names: models.map((model) => board.data.models[model]!) }
}

function take<T>(values: readonly T[], models: readonly number[]): T[] {
  return models.map((model) => values[model]!)
}

function intervals(context: Context): Picture {
  const { leadRanks, newTask } = context.board.data
  const { models, names } = named(context)
  const input: charts.RankIntervals = {
    models: names,
    best: take(leadRanks.best, models),
    worst: take(leadRanks.worst, models),
    name: `${leadRanks.title} (${leadRanks.words})`,
    size: context.board.size,
    second: newTask && {
      name: `${newTask.title} (${newTask.words})`,
      best: take(newTask.best, models),
      worst: take(newTask.worst, models),
    },
  }
  return {
    key: "intervals",
    name: "Rank intervals",
    settings: () => ({
      title: "Where each model may stand",
      caption: "Every bar spans the ranks that the evidence does not exclude. Choose a model to open it.",
      draw: (options) => charts.rankIntervals(input, options),
      table: () => charts.rankIntervalsTable(input),
      onSelect: openModel(context, models),
      limit: 250,
    }),
  }
}

function beside(context: Context): Picture | null {
  const { board } = context
  const { data } = board
  const { models, names } = named(context)
  const ranks = data.leadRanks
  const common = { models: names, best: take(ranks.best, models), worst: take(ranks.worst, models), rankName: ranks.title, size: board.size }
  const settings = (input: charts.AggregateRank): Omit<FigureSettings, "id"> => ({
    title: `${input.scoreName} beside rank`,
    caption: data.lead === "aggregate" && data.average?.isRange
      ? "Left the average with the range of its draws, right the ranks counted in them. Neither is a confidence interval."
      : "Left the score with its interval, right the ranks that follow from tested differences. Overlap at the left does not mean that two models are tied.",
    draw: (options) => charts.aggregateRank(input, options),
    table: () => charts.aggregateRankTable(input),
    onSelect: openModel(context, models),
    limit: 250,
  })
  const scores = leadScores(context)
  if (!scores) return null
  const of = (values: readonly (number | null)[]) => take(values, models)
  const input = { ...common, ...scores, score: of(scores.score), low: of(scores.low), high: of(scores.high) }
  const name = data.lead === "task" && data.tasks[0]!.kind === "votes" ? "Rating beside rank" : "Score beside rank"
  return { key: "scores", name, settings: () => settings(input) }
}

type LeadScores = Pick<charts.AggregateRank, "score" | "low" | "high" | "scoreName" | "direction">

/** Scores of all models with their intervals, as the board shows them; null on a board about a new task. */
export function leadScores({ board, part }: Context): LeadScores | null {
  if (part) return part
  const { data } = board
  if (data.lead === "aggregate" && data.average) {
    const { score, low, high, title, direction } = data.average
    return { score, low, high, scoreName: title, direction }
  }
  if (data.lead !== "task") return null
  const task = data.tasks[0]!
  const ends = board.scoreEnds(0)
  const scale = data.elo ? 400 / Math.LN10 : 1
  const mean = data.elo ? unpack(data.elo) : board.mean
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null)
  const at = (end: ArrayLike<number>) => data.models.map((_, model) => known(mean[model]! + scale * (end[model]! - board.mean[model]!)))
  return { score: data.models.map((_, model) => known(mean[model]!)), low: at(ends.low), high: at(ends.high), scoreName: task.scoreTitle, direction: task.direction }
}

function probabilities(context: Context): Picture | null {
  const packed = context.board.data.shares?.rankProbability
  if (!packed) return null
  const { models, names } = named(context)
  const size = context.board.size
  return {
    key: "probabilities",
    name: "Rank probabilities",
    settings: () => {
      const all = unpack(packed)
      const input = { models: names, probability: models.map((model) => all.subarray(model * size, (model + 1) * size)) }
      return {
        title: "Probability of every rank",
        caption: `Share of simulated repetitions of the evaluation in which a model reaches a rank${context.board.data.lead === "aggregate" ? " on the average" : ""}. It describes the uncertainty; it is not a confidence statement.`,
        draw: (options) => charts.rankProbability(input, options),
        table: () => charts.rankProbabilityTable(input),
        onSelect: openModel(context, models),
      }
    },
  }
}

function laneBars(context: Context): Picture | null {
  const { board } = context
  if (board.size < 2 || board.size > 250 || board.data.lead === "new_task") return null
  const { models, names } = named(context)
  const runs = charts.unseparatedRuns(relation(context, models))
  const { average, tasks, lead } = board.data
  const score = lead === "aggregate" && average ? take(average.score, models) : models.map((model) => board.mean[model]!)
  const input = {
    models: names,
    score: score.map((value) => (value === null || Number.isNaN(value) ? null : value)),
    scoreName: lead === "aggregate" && average ? average.title : tasks[0]!.scoreTitle,
    direction: lead === "aggregate" && average ? average.direction : tasks[0]!.direction,
    runs,
  }
  return {
    key: "lanes",
    name: "Groups",
    settings: () => ({
      title: "Groups that are not told apart",
      caption: "A bar joins neighbours of which no two were told apart, as in a critical-difference diagram, but by tests of each pair that hold all at once.",
      draw: (options) => charts.lanes(input, options),
      table: () => charts.lanesTable(input),
      onSelect: openModel(context, models),
    }),
  }
}

function relation({ board }: Context, models: readonly number[]): Uint8Array[] {
  return models.map((one) => Uint8Array.from(models, (two) => board.shown[one * board.size + two]!))
}

function order(context: Context): Picture | null {
  const { board } = context
  const packed = board.data.edges
  if (!packed || board.size < 2 || board.size > 80 || board.data.lead === "new_task") return null
  // Which lines are left out as they follow from others depends on all models.
  const models = board.data.order
  const names = models.map((model) => board.data.models[model]!)
  const place = new Map(models.map((model, i) => [model, i]))
  const flat = unpack(packed)
  const edges: charts.Edge[] = []
  for (let k = 0; k < flat.length; k += 2) edges.push([place.get(flat[k]!)!, place.get(flat[k + 1]!)!])
  const input = { models: names, edges }
  return {
    key: "order",
    name: "Who is above whom",
    settings: () => ({
      title: "Who was shown better than whom",
      caption: "A line leads down from a model to those it was shown better than; what follows from two lines is not drawn again. Models without a path between them are not told apart.",
      draw: (options) => charts.hasse(input, options),
      table: () => charts.hasseTable(input),
      onSelect: openModel(context, models),
    }),
  }
}

function pairs(context: Context): Picture | null {
  const { board } = context
  if (board.size < 2 || board.size > 130 || board.data.lead === "new_task") return null
  const { models, names } = named(context)
  const packed = board.data.shares?.dominance
  return {
    key: "pairs",
    name: "All pairs",
    settings: () => {
      const all = packed ? unpack(packed) : null
      const input = {
        models: names,
        shownBetter: relation(context, models),
        probability: all && models.map((one) => Float32Array.from(models, (two) => all[one * board.size + two]!)),
      }
      return {
        title: "Every model against every other",
        caption: "Which of two models was shown better; all statements hold at once." + (all ? " Numbers: how likely the model of the line is better, by draws or the error of the difference, in percent; a description." : ""),
        draw: (options) => charts.dominance(input, options),
        table: () => charts.dominanceTable(input),
        onSelect: openModel(context, models),
      }
    },
  }
}

function tasksByModels({ board }: Context, models: readonly number[], table: ArrayLike<number>): Uint32Array[] {
  return board.data.tasks.map((_, task) => Uint32Array.from(models, (model) => table[task * board.size + model]!))
}

function heat(context: Context): Picture | null {
  const { board } = context
  const { tasks } = board.data
  if (tasks.length < 2 || tasks.length * board.size > 20_000) return null
  const { models, names } = named(context)
  return {
    key: "heat",
    name: "Models by tasks",
    settings: () => {
      const input = {
        models: names,
        tasks: tasks.map((task) => task.name),
        best: tasksByModels(context, models, board.best),
        worst: tasksByModels(context, models, board.worst),
        size: board.size,
      }
      return {
        title: "Rank interval of every model on every task",
        caption: `The ranks that are not excluded: ${commonClaim(context)}.`,
        draw: (options) => charts.heatMap(input, options),
        table: () => charts.heatMapTable(input),
        onSelect: openModel(context, models),
      }
    },
  }
}

function widthsOfTasks(context: Context): Picture | null {
  const { board } = context
  const { tasks } = board.data
  if (tasks.length < 2 || board.size < 2) return null
  return {
    key: "widths",
    name: "Width by task",
    settings: () => {
      const widths = tasks.map((_, task) =>
        Uint32Array.from(board.data.models, (__, model) => {
          const cell = board.cell(task, model)
          return cell.worst - cell.best
        }),
      )
      const mean = widths.map((row) => row.reduce((a, b) => a + b) / board.size)
      const sorted = [...tasks.keys()].sort((a, b) => mean[a]! - mean[b]! || a - b)
      const input = { tasks: sorted.map((task) => tasks[task]!.name), widths: sorted.map((task) => widths[task]!), size: board.size }
      return {
        title: "How well each task separates the models",
        caption: "Width of the rank intervals (worst minus best rank), task by task, narrowest at the top; a dot is the larger the more models have that width.",
        draw: (options) => charts.widths(input, options),
        table: () => charts.widthsTable(input),
        onSelect: (at) => context.address.set({ task: context.names.taskKey(sorted[at]!) }),
        limit: 120,
      }
    },
  }
}

function weights(context: Context): Picture | null {
  const { board } = context
  if (board.categories.length !== 3 || board.size < 2) return null
  const { tasks, models } = board.data
  if (board.categories.some((name) => !tasks.some((task) => task.category === name && task.weight > 0))) return null
  const found = categoryMeans(board)
  if (!found) return null
  return {
    key: "weights",
    name: "Weights of categories",
    settings: () => {
      const input = {
        models,
        categories: board.categories,
        score: found.map(({ average }) => Array.from(average.score, (value) => (Number.isNaN(value) ? null : value))),
        differenceSe: found.map(({ average }) => spread(average, board.size)),
        z: Number(criticalValue(board.data.explore.average!.alpha / 2, Infinity).toFixed(2)),
        linked: categoryLinks(board),
        weights: found.map(({ share }) => share),
      }
      return {
        title: "Which weights make which model win",
        caption: "Every point of the triangle is a choice of weights for the three categories. Winners are chosen by the data at every point: this describes, it does not test.",
        draw: (options) => charts.simplex(input, options),
        table: () => charts.simplexTable(input),
      }
    },
  }
}

/** Standard errors of differences as a whole matrix; NaN for a model without an average. */
function spread(average: Average, size: number): Float64Array[] {
  const table = Array.from({ length: size }, () => new Float64Array(size).fill(NaN))
  const { present, contrasts } = average
  present.forEach((one, a) =>
    present.forEach((two, b) => (table[one]![two] = contrasts.se[a * contrasts.size + b]!)),
  )
  return table
}

function levels(context: Context): Picture | null {
  const { board } = context
  const { explore, tasks } = board.data
  if (!explore.merge || explore.merge === "union" || explore.alphaOverall === null || tasks.length < 3) return null
  const merge = explore.merge
  return {
    key: "levels",
    name: "Level and width",
    settings: () => {
      const { best, worst } = board.merged
      const all = [...tasks.keys()]
      const alphas = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, explore.alphaOverall!]
      const rising = [...new Set(alphas)].sort((a, b) => a - b)
      const width = rising.map((alpha) => {
        const bounds = mergeRanks(merge, best, worst, board.size, all, rateOf(board, all.length, alpha))
        return bounds.best.reduce((sum, low, i) => sum + bounds.worst[i]! - low, 0) / board.size
      })
      const input = { alphas: rising, series: [{ name: "New task", width }], alpha: explore.alphaOverall!, most: board.size - 1 }
      return {
        title: "What the level of the new-task intervals costs",
        caption: "Mean width of the intervals against their error rate. The level was fixed before; the picture shows how much depends on it.",
        draw: (options) => charts.sensitivity(input, options),
        table: () => charts.sensitivityTable(input),
      }
    },
  }
}

function foreseen(context: Context): Picture | null {
  const { board } = context
  const { explore, tasks } = board.data
  if (!explore.merge || explore.observed || tasks.length < 3 || tasks.length * board.size > 20_000) return null
  const merge = explore.merge
  const { models, names } = named(context)
  return {
    key: "foreseen",
    name: "Tasks left out",
    settings: () => {
      const alpha = explore.alphaOverall ?? 0.5 // the union does not use it
      const need = explore.split && jointIndex(tasks.length, rateOf(board, tasks.length, alpha))
      // The same share as of all tasks, in whole intervals.
      const share = (count: number): number => Math.min(Math.ceil((need! * (count + 1)) / (tasks.length + 1)), count)
      const rate = (count: number): Rate => (need ? { top: BigInt(share(count)), bottom: BigInt(count + 1) } : alpha)
      const { best, worst } = board.merged
      const shares = (units: readonly (number | string)[], name: string): charts.LeftOut["series"][number] => {
        const made = leaveOneOut(merge, best, worst, board.size, units, rate)
        return { name, share: take(made.share, models), low: take(made.low, models), high: take(made.high, models) }
      }
      const series = [shares([...tasks.keys()], "task")]
      const families = tasks.flatMap(({ family }) => family ?? [])
      const count = new Set(families).size
      if (families.length === tasks.length && count > 1 && count < tasks.length) series.push(shares(families, "family"))
      const input = { models: names, series, expected: expectedShare(merge, tasks.length, rate(tasks.length - 1)) }
      return {
        title: "Would the intervals have foreseen each task?",
        caption: "Every task is left out once: the share of tasks whose rank interval lies inside the one made from the others, with 95 % limits. Shares far below the dashed line speak against the assumption that a new task is like these.",
        draw: (options) => charts.leftOut(input, options),
        table: () => charts.leftOutTable(input),
        onSelect: openModel(context, models),
        limit: 250,
      }
    },
  }
}

function votes(context: Context): Picture | null {
  const { board } = context
  const { data } = board
  if (data.lead !== "task" || data.tasks[0]!.kind !== "votes" || !board.hasPairs || board.size > 250) return null
  const { models, names } = named(context)
  return {
    key: "votes",
    name: "Votes per pair",
    settings: () => {
      const table = models.map((one) => Float64Array.from(models, (two) => (one === two ? 0 : (board.pair(0, one, two)?.n ?? 0))))
      const input = { models: names, votes: table }
      return {
        title: "Votes per pair",
        caption: "How many votes compared each two models, ties included. Pairs without votes are compared through others.",
        draw: (options) => charts.votesPerPair(input, options),
        table: () => charts.votesPerPairTable(input),
      }
    },
  }
}
