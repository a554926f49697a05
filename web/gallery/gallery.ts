/** Every chart, drawn from the data that gallery.mjs puts into the page. Not shipped. */

import * as charts from "../src/charts"
import { figure, type FigureSettings } from "../src/figure"

interface Board {
  name: string
  models: string[]
  tasks: string[]
  categories: (string | null)[]
  best: number[][]
  worst: number[][]
  mean: (number | null)[][]
  se: (number | null)[][]
  direction: ("higher" | "lower")[]
  elo: (number | null)[] | null
  elo_se: number[] | null
  shown: number[][]
  edges: [number, number][]
  score: (number | null)[]
  overall?: { best: number[]; worst: number[] }
  leftout?: charts.LeftOut & { series: charts.LeftOut["series"] }
  alphas?: number[]
  sens?: Record<string, (number | null)[]>
  agg?: {
    score: (number | null)[]
    low: (number | null)[]
    high: (number | null)[]
    best: number[]
    worst: number[]
    direction: "higher" | "lower"
    rp: (number | null)[][] | null
    dom: (number | null)[][] | null
  }
  cat?: { categories: string[]; score: (number | null)[][]; dse: number[][][]; weights: number[] }
  votes?: number[][]
  health?: charts.Health["findings"]
  neighbours?: charts.Neighbours["pairs"]
}

type Drawn = Pick<FigureSettings, "title" | "draw" | "table"> & { choose?: boolean }

function pictures(board: Board): Drawn[] {
  const { models, tasks, best, worst } = board
  const size = models.length
  const all: Drawn[] = []
  const add = <I>(title: string, input: I, draw: (input: I, options: charts.ChartOptions) => SVGSVGElement, table: (input: I) => charts.DataTable): void => {
    all.push({ title, draw: (options) => draw(input, options), table: () => table(input) })
  }
  const low = board.mean[0]!.map((value, i) => (value === null ? null : value - 1.96 * (board.se[0]![i] ?? NaN)))
  const high = board.mean[0]!.map((value, i) => (value === null ? null : value + 1.96 * (board.se[0]![i] ?? NaN)))
  if (board.agg && board.overall) {
    const lead = { models, best: board.agg.best, worst: board.agg.worst, name: "Rank on the average" }
    add("Where each model may stand", { ...lead, second: { ...board.overall, name: "Rank on a new task" } }, charts.rankIntervals, charts.rankIntervalsTable)
    add("Average score beside its ranks", { ...board.agg, models, scoreName: "Average score", rankName: "Rank" }, charts.aggregateRank, charts.aggregateRankTable)
  }
  add(`Rank on ${tasks[0]}`, { models, best: best[0]!, worst: worst[0]!, name: `Rank on ${tasks[0]}` }, charts.rankIntervals, charts.rankIntervalsTable)
  if (tasks.length > 1) {
    const m = Math.min(3, size - 1)
    const one = { tasks, categories: board.categories, size, best: best.map((b) => b[m]!), worst: worst.map((w) => w[m]!), sort: "width" as const, newTask: board.overall ? { best: board.overall.best[m]!, worst: board.overall.worst[m]! } : null }
    add(`${models[m]} on every task, by width`, one, charts.modelRanks, charts.modelRanksTable)
    add(`${models[m]} on every task, by position`, { ...one, sort: "position" as const }, charts.modelRanks, charts.modelRanksTable)
    add("Rank on each task", { models, tasks, best, worst }, charts.heatMap, charts.heatMapTable)
    add("How well tasks separate the models", { tasks, size, widths: best.map((b, t) => b.map((low, i) => worst[t]![i]! - low)) }, charts.widths, charts.widthsTable)
  }
  if (board.agg?.rp) add("Probability of each rank", { models, probability: board.agg.rp }, charts.rankProbability, charts.rankProbabilityTable)
  add("Pairs", { models, shownBetter: board.shown }, charts.dominance, charts.dominanceTable)
  if (board.agg?.dom) add("Pairs with probabilities", { models, shownBetter: board.shown, probability: board.agg.dom }, charts.dominance, charts.dominanceTable)
  add("What was shown: the partial order", { models, edges: board.edges }, charts.hasse, charts.hasseTable)
  add("Lanes of models not told apart", { models, score: board.agg?.score ?? board.score, low: board.agg?.low ?? low, high: board.agg?.high ?? high, scoreName: "Average score", runs: charts.unseparatedRuns(board.shown) }, charts.lanes, charts.lanesTable)
  if (board.cat?.categories.length === 3) {
    add("Whose weights make whom win", { models, categories: board.cat.categories, score: board.cat.score, differenceSe: board.cat.dse, z: 2, weights: board.cat.weights }, charts.simplex, charts.simplexTable)
  }
  if (board.sens) {
    add("What the error rate costs", { alphas: board.alphas!, alpha: 0.2, most: size - 1, series: Object.entries(board.sens).map(([name, width]) => ({ name, width })) }, charts.sensitivity, charts.sensitivityTable)
  }
  if (board.leftout) {
    add("Would the intervals have foreseen each task?", { models, series: board.leftout.series, expected: board.leftout.expected }, charts.leftOut, charts.leftOutTable)
  }
  add(`Scores on ${tasks[0]}`, { models, mean: board.mean[0]!, low, high, scoreName: `Score on ${tasks[0]}`, direction: board.direction[0]! }, charts.distributions, charts.distributionsTable)
  const edges = Array.from({ length: 13 }, (_, k) => k / 12)
  const share = models.map((_, i) => edges.slice(1).map((e) => Math.exp(-((e - 0.8 + i / 60) ** 2) * 18) / 5))
  add(`Scores of items on ${tasks[0]} (made up)`, { models, mean: models.map((_, i) => 0.76 - i / 60), low: models.map((_, i) => 0.74 - i / 60), high: models.map((_, i) => 0.78 - i / 60), scoreName: "Score", direction: "higher" as const, bins: { edges, share } }, charts.distributions, charts.distributionsTable)
  if (board.elo) {
    const ends = (sign: number): (number | null)[] => board.elo!.map((value, i) => (value === null ? null : value + sign * 1.96 * board.elo_se![i]!))
    add("Elo beside ranks", { models, score: board.elo, low: ends(-1), high: ends(1), best: best[0]!, worst: worst[0]!, scoreName: "Elo", rankName: "Rank", direction: "higher" as const }, charts.aggregateRank, charts.aggregateRankTable)
  }
  if (board.votes) add("Votes of each pair", { models, votes: board.votes }, charts.votesPerPair, charts.votesPerPairTable)
  if (board.neighbours) add("How far neighbours are apart", { pairs: board.neighbours, unit: "log odds", z: 1.96 }, charts.neighbours, charts.neighboursTable)
  if (board.health) add("Health of the votes", { findings: board.health }, charts.health, charts.healthTable)
  return all
}

const boards = JSON.parse(document.getElementById("boards")!.textContent!) as Board[]
const place = document.querySelector("main")!
for (const board of boards) {
  const head = document.createElement("h2")
  head.textContent = board.name
  place.append(head)
  pictures(board).forEach(({ title, draw, table }, k) => {
    const made = figure({ id: `${board.name}-${k}`, title, caption: "What is seen, and what it does not say.", draw, table, onSelect: (i) => (document.title = `chosen ${i}`) })
    place.append(made.element)
  })
}
