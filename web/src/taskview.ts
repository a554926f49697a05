/** One task: the scores of all models, their rank intervals, and how well it separates them. */

import { type Distributions, distributions, distributionsTable, rankIntervals, rankIntervalsTable } from "./charts"
import { taskNoun } from "./board"
import { type Context, modelLink } from "./context"
import { type OutcomesData, type Packed, unpack } from "./data"
import { bdi, freshId, h, spoken } from "./dom"
import { figure } from "./figure"
import { healthPictures } from "./figures"
import { count, level, plural, sayRanks, scoreTexts, showNumber, showRanks } from "./numbers"
import type { View } from "./panel"

export function taskView(context: Context, task: number): View {
  const { board, names, address } = context
  const data = board.data.tasks[task]!
  const go = (at: number) => () => address.set({ task: names.taskKey(at) })
  return {
    title: `Task ${data.name}`,
    body: h(
      "div",
      {},
      h("h2", { tabindex: "-1" }, bdi(data.name)),
      facts(context, task),
      h("p", {}, separation(context, task)),
      h("section", {}, scoreFigure(context, task)),
      h("section", {}, rankFigure(context, task)),
      ...healthFigures(context, task),
      h("section", {}, scoreTable(context, task)),
      ...notes(context, task),
    ),
    previous: task > 0 ? go(task - 1) : null,
    next: task + 1 < board.data.tasks.length ? go(task + 1) : null,
  }
}

function facts({ board }: Context, task: number): HTMLElement {
  const data = board.data.tasks[task]!
  const scored = board.data.models.filter((_, model) => !Number.isNaN(board.cell(task, model).mean)).length
  const list = h("dl", { class: "facts" })
  const add = (term: string, value: string | null): void => {
    if (value) list.append(h("div", {}, h("dt", {}, term), h("dd", {}, value)))
  }
  add("Models", String(scored))
  if (data.n > 0 && data.kind !== "estimates") add(taskNoun(data).replace(/^./, (c) => c.toUpperCase()), count(data.n))
  add("Category", data.category)
  add("Family", data.family)
  add("Metric", data.metric)
  add("Better is", data.direction)
  if (board.data.tasks.length > 1) add("Weight", String(Number(data.weight.toPrecision(3))))
  return list
}

/** How wide the intervals are, in words. */
function separation({ board }: Context, task: number): string {
  const widths = board.data.models.map((_, model) => {
    const cell = board.cell(task, model)
    return cell.worst - cell.best + 1
  })
  const size = board.size
  if (size < 2) return "There is one model, so there is nothing to rank."
  const mean = widths.reduce((a, b) => a + b) / size
  const open = widths.filter((width) => width === size).length
  const exact = widths.filter((width) => width === 1).length
  const parts = [`On this task a model may have ${showNumber(mean, 1)} of ${plural(size, "rank")}, on the mean over models`]
  if (exact) parts.push(`${plural(exact, "model")} ${exact === 1 ? "has" : "have"} a single rank`)
  if (open) parts.push(`for ${plural(open, "model")} no rank is excluded`)
  const share = (size - mean) / (size - 1)
  const word = share > 0.75 ? "It separates these models well." : share > 0.4 ? "It separates them in part." : "It says little about their order."
  return `${parts.join("; ")}. ${word}`
}

function scoreFigure(context: Context, task: number): HTMLElement {
  const { board, address, names } = context
  const data = board.data.tasks[task]!
  const order = board.taskOrder(task)
  const cells = order.map((model) => board.cell(task, model))
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null)
  const ends = board.scoreEnds(task)
  const input = {
    models: order.map((model) => board.data.models[model]!),
    mean: cells.map((cell) => known(cell.mean)),
    low: order.map((model) => known(ends.low[model]!)),
    high: order.map((model) => known(ends.high[model]!)),
    scoreName: data.kind === "votes" ? "Log strength" : "Score",
    direction: data.direction,
    bins: binsOf(context, task, order),
  }
  const spread = input.bins ? `Behind it, how the scores of ${taskNoun(data)} are spread. ` : ""
  return figure({
    id: freshId("task-scores"),
    title: `Scores on ${data.name}`,
    caption: `Score and its own ${data.approximate ? "approximate" : level(data.alpha)} interval, each model by itself. ${spread}Whether two models differ is not read from overlap: it was tested on their differences.`,
    draw: (options) => distributions(input, options),
    table: () => distributionsTable(input),
    onSelect: (at) => address.set({ model: names.modelKey(order[at]!), task: undefined }),
  }).element
}

/** Shares of scores in bins, in the order of the lines. */
function binsOf({ board }: Context, task: number, order: readonly number[]): Distributions["bins"] {
  const found = board.data.pairs?.[task]?.bins
  if (!found) return null
  const counts = unpack(found.counts)
  const size = found.edges.length - 1
  const share = order.map((model) => {
    const row = Float64Array.from(counts.subarray(model * size, (model + 1) * size))
    const total = row.reduce((a, b) => a + b, 0)
    return total ? row.map((value) => value / total) : row
  })
  return { edges: found.edges, share }
}

function rankFigure(context: Context, task: number): HTMLElement {
  const { board, address, names } = context
  const data = board.data.tasks[task]!
  const order = board.taskOrder(task)
  const cells = order.map((model) => board.cell(task, model))
  const input = {
    models: order.map((model) => board.data.models[model]!),
    best: cells.map((cell) => cell.best),
    worst: cells.map((cell) => cell.worst),
    name: `Rank on this task (${data.claim})`,
  }
  return figure({
    id: freshId("task-ranks"),
    title: `Ranks on ${data.name}`,
    caption: "The ranks that are not excluded for each model on this task. Choose a model to open it.",
    draw: (options) => rankIntervals(input, options),
    table: () => rankIntervalsTable(input),
    onSelect: (at) => address.set({ model: names.modelKey(order[at]!), task: undefined }),
  }).element
}

/** On a board of one task they stand among its pictures. */
function healthFigures(context: Context, task: number): HTMLElement[] {
  if (context.board.data.lead === "task") return []
  return healthPictures(context, task).map(({ key, settings }) =>
    h("section", {}, figure({ id: freshId(`task-${key}`), ...settings() }).element),
  )
}

function scoreTable(context: Context, task: number): HTMLElement {
  const { board } = context
  const data = board.data.tasks[task]!
  const texts = scoreTexts(board, task)
  const outcomes = outcomesOf(data.counts)
  const rows = board.taskOrder(task).map((model) => {
    const cell = board.cell(task, model)
    return h(
      "tr",
      {},
      h("td", { class: "ranks" }, ...spoken(showRanks(cell.best, cell.worst), sayRanks(cell.best, cell.worst))),
      h("th", { scope: "row" }, modelLink(context, model)),
      h("td", { class: "score" }, texts[model]!),
      ...outcomes.map(({ of }) => h("td", { class: "count" }, count(of(model)))),
    )
  })
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "Rank on this task", h("small", {}, data.claim)),
    h("th", { scope: "col" }, "Model"),
    h("th", { scope: "col" }, data.kind === "votes" ? "Log strength" : "Score", h("small", {}, data.scoreNote)),
    ...outcomes.map(({ title }) => h("th", { scope: "col", class: "count" }, title, ...(title === "Scored" ? [h("small", {}, `of ${count(data.counts!.expected)}`)] : []))),
  )
  const table = h("table", { class: "answers" }, h("thead", {}, head), h("tbody", {}, ...rows))
  return h("div", { class: "scroll", role: "group", "aria-label": "Scores and ranks on this task", tabindex: "0" }, table)
}

/** What became of the rows, as columns; only what happened to some model. */
function outcomesOf(counts: OutcomesData | null): { title: string; of: (model: number) => number }[] {
  if (!counts) return []
  const given: [string, Packed | null][] = [
    ["Score 0", counts.zeros],
    ["Unscored", counts.unscored],
    ["Failed", counts.errors],
    ["Missing", counts.missing],
  ]
  const columns = given.flatMap(([title, packed]) => {
    if (!packed) return []
    const values = unpack(packed)
    return [{ title, of: (model: number): number => values[model]! }]
  })
  if (!columns.length) return []
  const lost = columns.filter(({ title }) => title !== "Score 0")
  const scored = (model: number): number => lost.reduce((left, { of }) => left - of(model), counts.expected)
  return [{ title: "Scored", of: scored }, ...columns]
}

function notes({ board }: Context, task: number): HTMLElement[] {
  const found = board.data.notes.filter((note) => note.tasks.includes(task))
  if (!found.length) return []
  const list = found.map((note) => h("li", {}, `${note.text} `, h("code", {}, note.code)))
  return [h("section", {}, h("h3", {}, "Notes on this task"), h("ul", { class: "notes" }, ...list))]
}
