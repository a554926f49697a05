/** The main table: sorted, searched, with tasks as columns. It never changes a number or a tier. */

import { showRanks, sayRanks } from "./charts/numbers"
import { type Context, modelLink } from "./context"
import { bdi, choice, freshId, h, spoken } from "./dom"
import { scoreTexts } from "./numbers"
import type { State } from "./state"

const MOST_TASKS = 12

type Sorter = (model: number) => number | string

export function startBoardTable(context: Context): void {
  const table = document.querySelector<HTMLTableElement>("#board-table")
  if (table) new BoardTable(context, table).start()
}

class BoardTable {
  private readonly rows = new Map<number, HTMLTableRowElement>()
  private readonly sorters: Map<string, Sorter>
  private readonly said = h("span", { class: "said", role: "status" })
  private readonly search: HTMLInputElement
  private readonly original: number[]
  private tasks: number[] = []
  private leftOut = 0
  private showSelect: HTMLSelectElement | null = null

  constructor(private readonly context: Context, private readonly table: HTMLTableElement) {
    for (const row of this.table.tBodies[0]!.rows) this.rows.set(Number(row.dataset["model"]), row)
    this.original = [...this.rows.keys()]
    this.sorters = this.makeSorters()
    this.search = h("input", {
      type: "search",
      id: freshId("search"),
      autocomplete: "off",
      spellcheck: "false",
      input: () => context.address.set({ q: this.search.value }, "replace"),
    })
  }

  start(): void {
    for (const [model, row] of this.rows) {
      row.querySelector("bdi")?.replaceWith(modelLink(this.context, model))
    }
    for (const head of this.heads()) this.makeSortable(head)
    this.table.parentElement!.before(this.tools())
    this.context.address.listen((state, before) => this.follow(state, before))
    this.follow(this.context.address.state, {})
  }

  private heads(): HTMLTableCellElement[] {
    return [...this.table.tHead!.querySelectorAll<HTMLTableCellElement>("th")]
  }

  private makeSortable(head: HTMLTableCellElement): void {
    const key = head.dataset["key"]!
    const text = head.firstChild
    if (!(text instanceof Text)) return
    const name = text.data.trim()
    const button = h("button", { class: "sort", type: "button", click: () => this.toggle(key) }, name)
    text.replaceWith(button, " ")
  }

  private toggle(key: string): void {
    const now = this.context.address.state.sort
    const next = now === key ? `-${key}` : now === `-${key}` ? undefined : key
    this.context.address.set({ sort: next })
  }

  private tools(): HTMLElement {
    const { address } = this.context
    const bar = h("div", { class: "bar-of-tools" })
    bar.append(h("div", { class: "field-of" }, h("label", { for: this.search.id }, "Find a model"), this.search))
    const shows = this.showOptions()
    if (shows.length > 1) {
      const field = choice("Add ranks on", shows, address.state.show ?? "", (value) => address.set({ show: value }))
      this.showSelect = field.querySelector("select")
      bar.append(field)
    }
    bar.append(this.columnMenu(), this.said)
    return bar
  }

  private showOptions(): [string, string][] {
    const { board, names } = this.context
    if (board.data.tasks.length < 2) return []
    return [
      ["", "no single task"],
      ...board.categories.map((name): [string, string] => [`category:${name}`, `Category: ${name}`]),
      ...board.families.map((name): [string, string] => [`family:${name}`, `Family: ${name}`]),
      ...board.data.tasks.map((task, i): [string, string] => [`task:${names.taskKey(i)}`, task.name]),
    ]
  }

  private columnMenu(): HTMLElement {
    const { address } = this.context
    const boxes = this.heads()
      .filter((head) => head.dataset["key"] !== "model")
      .map((head) => {
        const key = head.dataset["key"]!
        const box = h("input", { type: "checkbox", "data-column": key })
        box.addEventListener("change", () => {
          const hidden = new Set((address.state.hide ?? "").split(".").filter(Boolean))
          if (box.checked) hidden.delete(key)
          else hidden.add(key)
          address.set({ hide: [...hidden].join(".") }, "replace")
        })
        const name = head.querySelector("button")?.textContent ?? key
        return h("label", { class: "tick" }, box, name)
      })
    const menu = h("details", { class: "menu" }, h("summary", {}, "Columns"), h("div", {}, ...boxes))
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return
      menu.open = false
      menu.querySelector("summary")?.focus()
    })
    document.addEventListener("click", (event) => {
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false
    })
    return menu
  }

  private follow(state: State, before: State): void {
    if (state.show !== before.show || this.leftOut < 0) this.showTasks(state.show)
    if (document.activeElement !== this.search) this.search.value = state.q ?? ""
    this.hideColumns(state.hide)
    this.sort(state.sort)
    this.filter(state.q)
  }

  private showTasks(show: string | undefined): void {
    const { board, names } = this.context
    const [kind = "", ...rest] = (show ?? "").split(":")
    const word = rest.join(":")
    const all = [...board.data.tasks.keys()].filter((i) => {
      const task = board.data.tasks[i]!
      if (kind === "category") return task.category === word
      if (kind === "family") return task.family === word
      return kind === "task" && i === names.task(word)
    })
    this.tasks = all.slice(0, MOST_TASKS)
    this.leftOut = all.length - this.tasks.length
    if (this.showSelect) this.showSelect.value = show ?? ""
    for (const cell of this.table.querySelectorAll("[data-task]")) cell.remove()
    for (const key of [...this.sorters.keys()]) if (key.startsWith("task~")) this.sorters.delete(key)
    for (const task of this.tasks) this.addTask(task, all.length === 1)
    // With many columns the table scrolls by itself, and its head sticks inside.
    this.table.parentElement?.classList.toggle("many", this.tasks.length > 0)
  }

  private addTask(task: number, alone: boolean): void {
    const { board } = this.context
    const data = board.data.tasks[task]!
    const key = `task~${task}`
    const button = h("button", { class: "sort", type: "button", click: () => this.toggle(key) }, bdi(data.name))
    const head = h("th", { scope: "col", "data-task": task, "data-key": key }, button, h("small", {}, `rank, ${data.claim}`))
    this.table.tHead!.rows[0]!.append(head)
    const texts = alone ? scoreTexts(board, task) : null
    if (texts) {
      this.table.tHead!.rows[0]!.append(
        h("th", { scope: "col", "data-task": task }, `${data.kind === "votes" ? "Log strength" : data.scoreTitle} on it`, h("small", {}, data.scoreNote)),
      )
    }
    for (const [model, row] of this.rows) {
      const cell = board.cell(task, model)
      const shown = spoken(showRanks(cell.best, cell.worst), sayRanks(cell.best, cell.worst))
      row.append(h("td", { class: "ranks", "data-task": task }, ...shown))
      if (texts) row.append(h("td", { class: "score", "data-task": task }, texts[model]!))
    }
    this.sorters.set(key, byInterval((model) => board.cell(task, model), board.size))
  }

  private hideColumns(hide: string | undefined): void {
    const hidden = new Set((hide ?? "").split(".").filter(Boolean))
    if (hidden.has("lead")) hidden.add("bar")
    for (const box of document.querySelectorAll<HTMLInputElement>("[data-column]")) {
      box.checked = !hidden.has(box.dataset["column"]!)
    }
    for (const cell of this.table.querySelectorAll<HTMLElement>("[data-key]")) {
      const gone = hidden.has(cell.dataset["key"]!)
      if (cell.hidden !== gone) cell.hidden = gone
    }
  }

  private sort(sort: string | undefined): void {
    const reverse = sort?.startsWith("-") ?? false
    const key = reverse ? sort!.slice(1) : sort
    const sorter = key === undefined ? undefined : this.sorters.get(key)
    const order = sorter ? sorted(this.original, sorter, reverse) : this.original
    for (const head of this.heads()) {
      const own = sorter && head.dataset["key"] === key
      if (own) head.setAttribute("aria-sort", reverse ? "descending" : "ascending")
      else head.removeAttribute("aria-sort")
    }
    const body = this.table.tBodies[0]!
    const now = [...body.rows].map((row) => Number(row.dataset["model"]))
    if (now.some((model, i) => model !== order[i])) body.append(...order.map((model) => this.rows.get(model)!))
  }

  private filter(query: string | undefined): void {
    const { board } = this.context
    const words = (query ?? "").toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const [model, row] of this.rows) {
      const name = board.data.models[model]!.toLowerCase()
      const scored = !this.tasks.length || this.tasks.some((task) => !Number.isNaN(board.cell(task, model).mean))
      const seen = scored && words.every((word) => name.includes(word))
      if (row.hidden === seen) row.hidden = !seen
      if (seen) shown++
    }
    const all = this.rows.size
    const models = all === 1 ? "model" : "models"
    const more = this.leftOut > 0 ? `; the first ${MOST_TASKS} of ${MOST_TASKS + this.leftOut} tasks` : ""
    const text = (shown === all ? `${all} ${models}` : `${shown} of ${all} ${models}`) + more
    if (this.said.textContent !== text) this.said.textContent = text
  }

  private makeSorters(): Map<string, Sorter> {
    const { data, size } = this.context.board
    const place = new Map(this.original.map((model, i) => [model, i]))
    const { newTask, shares } = data
    const falling = (values: readonly (number | null)[]): Sorter => (model) => -(values[model] ?? -Infinity)
    const interval = (ranks: { best: number[]; worst: number[] }) =>
      byInterval((model) => ({ best: ranks.best[model]!, worst: ranks.worst[model]! }), size)
    return new Map<string, Sorter>([
      ["lead", (model) => interval(data.leadRanks)(model)],
      ["model", (model) => data.models[model]!],
      ["score", (model) => place.get(model)!],
      ["tier", (model) => data.tier?.[model] ?? 0],
      ["first", falling(shares?.first ?? [])],
      ["top", falling(shares?.top ?? [])],
      ["new", newTask ? interval(newTask) : () => 0],
      ["coverage", falling(data.coverage)],
    ])
  }
}

function byInterval(cell: (model: number) => { best: number; worst: number }, size: number): Sorter {
  return (model) => cell(model).best * (size + 1) + cell(model).worst
}

/** Ties stay in the order of the board, whichever way round. */
function sorted(models: readonly number[], sorter: Sorter, reverse: boolean): number[] {
  const keys = new Map(models.map((model) => [model, sorter(model)]))
  const sign = reverse ? -1 : 1
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" })
  return [...models].sort((a, b) => {
    const [one, two] = [keys.get(a)!, keys.get(b)!]
    if (typeof one === "string") return sign * collator.compare(one, String(two))
    return one === two ? 0 : sign * (one < Number(two) ? -1 : 1)
  })
}
