/** One model: where it stands, its rank interval on every task, whom it beats, and a comparison. */

import { modelRanks, modelRanksTable } from "./charts"
import { compareView, settling } from "./compareview"
import { type Context, modelLink, modelLinks, rowOf } from "./context"
import { bdi, choice, freshId, h } from "./dom"
import { figure } from "./figure"
import { whenOpened } from "./folds"
import { chance, plural, showRanks } from "./numbers"
import type { View } from "./panel"

type Sort = "position" | "width" | "given"

const SORTS: [Sort, string][] = [
  ["position", "best position first"],
  ["width", "narrowest first"],
  ["given", "in order of their names"],
]

/** Models in a list before somebody asks for the rest. */
const MOST_SHOWN = 12

export function modelView(context: Context, model: number): View {
  const { board, names, address } = context
  const { data } = board
  const name = data.models[model]!
  const place = data.order.indexOf(model)
  const body = h("div", {}, h("h2", { tabindex: "-1" }, bdi(name)), ownPage(context, model), facts(context, model))
  const whyFirst = address.state.why !== undefined && board.size > 1
  // Who asked for it sees it first.
  if (whyFirst) body.append(relations(context, model))
  const later = (): void => {
    if (data.tasks.length > 1) body.append(taskRanks(context, model))
    if (board.size > 1) body.append(...(whyFirst ? [] : [relations(context, model)]), comparison(context, model))
    body.append(...notesOn(context, model))
  }
  const go = (at: number) => {
    const other = data.order[at]
    if (other === undefined) return null
    return () => address.set({ model: names.modelKey(other), vs: undefined })
  }
  return { title: `Model ${name}`, body, later, previous: place > 0 ? go(place - 1) : null, next: go(place + 1) }
}

/** On a site, a link to the page of the model; its address stands in its row. */
function ownPage({ rows }: Context, model: number): HTMLElement | null {
  const row = rows.get(model)
  const href = row?.dataset["page"] ?? row?.querySelector<HTMLAnchorElement>("th > a:not(.name, .mark)")?.href
  return href ? h("p", {}, h("a", { href }, "Its own page, with every board it is on")) : null
}

function notesOn(context: Context, model: number): HTMLElement[] {
  const notes = context.board.data.notes.filter((note) => note.models.includes(model))
  if (!notes.length) return []
  const list = notes.map((note) => h("li", {}, `${taskNames(context, note.tasks)}${note.text} `, h("code", {}, note.code)))
  return [h("section", {}, h("h3", {}, "Notes on this model"), h("ul", { class: "notes" }, ...list))]
}

function taskNames({ board }: Context, tasks: readonly number[]): string {
  if (!tasks.length) return ""
  const shown = tasks.slice(0, 3).map((task) => board.data.tasks[task]!.name)
  const more = tasks.length > 3 ? ` and ${tasks.length - 3} more` : ""
  return `${shown.join(", ")}${more}: `
}

function facts(context: Context, model: number): HTMLElement {
  const { board } = context
  const { leadRanks, newTask, shares, tier, coverage } = board.data
  const list = h("dl", { class: "facts" })
  const add = (term: string, value: string, words = ""): void => {
    list.append(h("div", {}, h("dt", {}, term), h("dd", {}, value, words ? h("small", {}, words) : null)))
  }
  add(leadRanks.title, showRanks(leadRanks.best[model]!, leadRanks.worst[model]!), `of ${board.size}; ${leadRanks.words}`)
  if (newTask) add(newTask.title, showRanks(newTask.best[model]!, newTask.worst[model]!), newTask.words)
  const score = rowOf(context, model)?.querySelector(".score")
  if (score) add(document.querySelector('#board-table [data-key="score"] button')?.textContent ?? "Score", score.textContent ?? "")
  if (tier) add("Tier", String(tier[model]))
  if (shares?.first) add("First in", chance(shares.first[model]!), "of draws; a description")
  if (shares?.top && board.size > shares.topCount) add(`Top ${shares.topCount} in`, chance(shares.top[model]!), "of draws")
  const share = coverage[model]
  if (share !== null && share !== undefined && share < 1) add("Scored", `${(100 * share).toFixed(1)}\u00a0%`, "of the expected rows")
  return list
}

function taskRanks(context: Context, model: number): HTMLElement {
  const { board, address, names } = context
  const { tasks, models, newTask } = board.data
  const id = freshId("model-ranks")
  const input = () => {
    const cells = tasks.map((_, task) => board.cell(task, model))
    return {
      tasks: tasks.map((task) => task.name),
      best: cells.map((cell) => cell.best),
      worst: cells.map((cell) => cell.worst),
      categories: tasks.map((task) => task.category),
      size: board.size,
      sort: sortOf(address.state.by),
      newTask: newTask ? { best: newTask.best[model]!, worst: newTask.worst[model]! } : null,
      allCategories: board.categories,
    }
  }
  const drawn = figure({
    id,
    title: `Rank of ${models[model]!} on each task`,
    caption: `Each line is one task: the ranks that are not excluded on it (${commonClaim(context)}). Choose a task to open it.`,
    draw: (options) => modelRanks(input(), options),
    table: () => modelRanksTable(input()),
    file: `${models[model]!} ranks`,
    onSelect: (task) => address.set({ task: names.taskKey(task), model: undefined, vs: undefined }),
  })
  const sorter = choice("Order of the tasks", SORTS, sortOf(address.state.by), (value) => {
    address.set({ by: value === "position" ? undefined : value }, "replace")
  })
  return h("section", {}, h("div", { class: "bar-of-tools" }, sorter), drawn.element)
}

function sortOf(by: string | undefined): Sort {
  return SORTS.find(([key]) => key === by)?.[0] ?? "position"
}

/** What the intervals of the tasks state, where they all state the same. */
export function commonClaim({ board }: Context): string {
  const claims = new Set(board.data.tasks.map((task) => task.claim))
  return claims.size === 1 ? [...claims][0]! : "at levels that differ between tasks"
}

/** Why the model has its ranks: who is shown better, who is not told apart, who is shown worse. */
function relations(context: Context, model: number): HTMLElement {
  const { board } = context
  const { leadRanks } = board.data
  if (context.part) {
    return h("section", { id: "why" }, h("p", { class: "quiet" }, "Single pairs of models are told apart on all results together: choose them above the table to see why."))
  }
  if (board.data.lead === "new_task") {
    return h("section", {}, h("p", { class: "quiet" }, "This board says nothing about single pairs of models."))
  }
  const part = (title: string, models: number[], none: string): HTMLElement => {
    const shown = models.slice(0, MOST_SHOWN)
    const rest = models.slice(MOST_SHOWN)
    const more = h("details", {}, h("summary", {}, `${rest.length} more`))
    if (rest.length) whenOpened(more, () => more.append(modelLinks(context, rest)))
    return h(
      "div",
      {},
      h("h3", {}, `${title} (${models.length})`),
      models.length ? modelLinks(context, shown) : h("p", { class: "quiet" }, none),
      rest.length ? more : null,
    )
  }
  const [above, within, below] = [board.beatenBy(model), board.tiedWith(model), board.beats(model)]
  const [best, worst] = [leadRanks.best[model]!, leadRanks.worst[model]!]
  const counts = `${plural(above.length, "model")} shown better, ${within.length} not told apart, ${below.length} shown worse`
  // Ranks of one model alone, and those of an average, may say more than the pairs do.
  const follows = best === above.length + 1 && worst === board.size - below.length
  return h(
    "section",
    { id: "why" },
    h("h3", { tabindex: "-1" }, `Why ${showRanks(best, worst)}?`),
    h("p", {}, follows ? `${counts}: rank ${best} at best, ${worst} at worst, of ${board.size}.` : `${counts}, of ${board.size - 1} others.`),
    h(
      "div",
      { class: "three" },
      part("Above: shown better", above, noneBetter(context, model)),
      part("Within: not told apart", within, "It is told apart from every other model."),
      part("Below: shown worse", below, "No model was shown worse."),
    ),
    settled(context, model, within),
    h(
      "p",
      { class: "quiet" },
      board.data.tier
        ? "All of these statements hold at once, with the ranks. Not told apart does not mean equal."
        : "All of these statements hold at once; the rank of a model is about that model alone, and may tell more or less apart. Not told apart does not mean equal.",
    ),
  )
}

/** What would tell the model apart from those that it is not told apart from, one pair at a time. */
function settled(context: Context, model: number, others: number[]): HTMLElement | null {
  const settle = others.length ? settling(context, model) : null
  if (!settle) return null
  const row = (other: number): HTMLElement => {
    const { difference, needs } = settle(other)
    return h("tr", {}, h("th", { scope: "row" }, modelLink(context, other)), h("td", {}, difference), h("td", {}, needs))
  }
  const body = h("tbody", {}, ...others.slice(0, MOST_SHOWN).map(row))
  const rest = others.slice(MOST_SHOWN)
  const more = h("button", { type: "button", class: "quietly" }, `Show ${rest.length} more`)
  more.addEventListener("click", () => {
    const added = rest.map(row)
    body.append(...added)
    more.remove()
    added[0]?.querySelector("a")?.focus()
  })
  const heads = ["Not told apart from", "Difference, + favours this model", "In all, to tell them apart"]
  return h("div", {},
    h("div", { class: "scroll", role: "group", "aria-label": "What would tell them apart", tabindex: "0" },
      h("table", { class: "numbers answers" }, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))), body)),
    rest.length ? more : null,
    h("p", { class: "quiet" }, "How much it takes to show a true difference as large as the one seen, in 80\u00a0% of repetitions, for one pair by itself; all pairs at once take more. The one seen is uncertain: a rough guide."))
}

function noneBetter({ board }: Context, model: number): string {
  if (board.data.leadRanks.best[model] === 1) return "No single model was shown better: it may be first."
  return "No single model was shown better, but the results rule out that it is first."
}

function comparison(context: Context, model: number): HTMLElement {
  const { board, names, address } = context
  const { data } = board
  const others = data.order.filter((other) => other !== model)
  const picked = names.model(address.state.vs)
  const against = picked === model ? null : picked
  const optionOf = (other: number): [string, string] => [names.modelKey(other), data.models[other]!]
  const options: [string, string][] = [["", `choose one of ${plural(others.length, "model")}`]]
  const picker = choice("Compare with", options, against === null ? "" : names.modelKey(against), (value) =>
    address.set({ vs: value }),
  )
  const select = picker.querySelector("select")!
  const fill = (): void => {
    for (const [value, text] of others.map(optionOf)) {
      select.append(h("option", { value, selected: against !== null && value === names.modelKey(against) }, text))
    }
  }
  // The view opens first; hundreds of names come a moment later.
  if (others.length > 50) setTimeout(fill)
  else fill()
  const section = h("section", { id: "compare" }, h("h3", {}, "What differs from a second model"), h("div", { class: "bar-of-tools" }, picker))
  if (against !== null) section.append(compareView(context, model, against))
  return section
}
