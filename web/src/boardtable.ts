/** The main table: sorted, searched, with tasks as columns. It never changes a number or a rank. */

import { rankTicks } from "./charts/ticks"
import { showRanks, sayRanks } from "./charts/numbers"
import { el } from "./charts/svg"
import { type Context, follow, hrefOf, modelChange, rowOf } from "./context"
import type { Direction } from "./data"
import { bdi, choice, freshId, h, menu, spoken } from "./dom"
import { scoreTexts } from "./numbers"
import { byInterval, type SortDirection, type Sorter, sorted, turned } from "./order"
import { chosen, countShown, finder, pinned, startTray, tasksShown, tick } from "./pins"
import { startScope } from "./scope"
import type { State } from "./state"

const MOST_TASKS = 12
/** Values of an attribute that a list can be chosen from. */
const MOST_VALUES = 40
/** Rows of a long board before somebody asks for all of them. */
const FIRST_ROWS = 25
/** Rows that are made at once, and with every frame after that. */
const SCREEN_ROWS = 60
const MORE_ROWS = 60

/** The rows of the board, as long as all of them are in the page. */
export function boardRows(): Map<number, HTMLTableRowElement> {
  const rows = document.querySelectorAll<HTMLTableRowElement>("#board-table tr[data-model]")
  return new Map([...rows].map((row) => [Number(row.dataset["model"]), row]))
}

/** Models that lack tasks are found as the others are, and keep to their place. */
export function findPlaced(state: State): void {
  const found = finder(state.q)
  for (const name of document.querySelectorAll("#board-table .placed tr + tr bdi, details.placed tbody bdi")) {
    name.closest("tr")!.hidden = !found(name.textContent ?? "")
  }
}

export function startBoardTable(context: Context): void {
  const table = document.querySelector<HTMLTableElement>("#board-table")
  if (table) new BoardTable(context, table).start()
}

class BoardTable {
  private readonly rows: Context["rows"]
  private readonly sorters: Map<string, Sorter>
  private readonly said = h("span", { class: "said", role: "status" })
  private readonly search: HTMLInputElement
  private readonly more: HTMLButtonElement
  private readonly isLong: boolean
  private readonly original: number[]
  private readonly best: SortDirection
  private tasks: number[] = []
  private leftOut = 0
  private showSelect: HTMLSelectElement | null = null
  private counted = ""
  private lit: number | null = null
  private seen: readonly number[]
  private readonly alive = new Set<number>()
  private ticked: ReadonlySet<number> = new Set()
  constructor(private readonly context: Context, private readonly table: HTMLTableElement) {
    this.rows = context.rows
    this.original = [...this.rows.keys()]
    this.seen = this.original
    this.isLong = this.table.classList.contains("many-models")
    this.best = this.table.querySelector('th[data-key="score"]')!.getAttribute("aria-sort") as SortDirection
    this.sorters = this.makeSorters()
    this.search = h("input", {
      type: "search",
      id: freshId("search"),
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "Find models",
      title: "Any of these words; with commas, all words between two of them",
      "aria-label": "Find models: any of these words",
      input: () => context.address.set({ q: this.search.value }, "replace"),
    })
    this.more = h("button", { type: "button", class: "quietly", id: "show-all" })
    this.more.addEventListener("click", () => context.address.set({ all: context.address.state.all ? undefined : "1" }))
  }

  start(): void {
    const { address } = this.context
    for (const head of this.heads()) this.makeSortable(head)
    document.querySelector("#controls")?.append(...this.tools())
    this.table.parentElement!.after(this.more)
    startTray(this.context, this.more)
    startScope(this.context)
    address.listen((state, before) => this.follow(state, before))
    this.follow(address.state, {})
    for (const model of this.seen) this.wake(model)
    this.startRows()
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

  private tools(): HTMLElement[] {
    return [this.search, ...this.filters(), menu("Columns", () => this.columns()), this.said]
  }

  private showOptions(): [string, string][] {
    const { board, names } = this.context
    if (board.data.tasks.length < 2) return []
    return [
      ["", "none"],
      ...board.categories.map((name): [string, string] => [`category:${name}`, `Category: ${name}`]),
      ...board.families.map((name): [string, string] => [`family:${name}`, `Family: ${name}`]),
      ...board.data.tasks.map((task, i): [string, string] => [`task:${names.taskKey(i)}`, task.name]),
    ]
  }

  /** A choice per attribute of models that has a few values. */
  private filters(): HTMLElement[] {
    const fields = Object.entries(this.context.board.data.attributes ?? {}).flatMap(([name, texts]) => {
      const values = [...new Set(texts.filter((text) => text !== null))]
      return values.length < 2 || values.length > MOST_VALUES ? [] : [[name, values] as const]
    })
    return fields.length ? [menu("Filter", () => fields.map(([name, values]) => this.filter(name, values)))] : []
  }

  private filter(name: string, values: string[]): HTMLElement {
    const { address } = this.context
    const texts = values.sort(new Intl.Collator("en", { numeric: true }).compare)
    const now = (): URLSearchParams => new URLSearchParams(address.state.has)
    const field = choice(name, [["", `${name}: any`], ...texts.map((text): [string, string] => [text, text])], now().get(name) ?? "", (value) => {
      const has = now()
      if (value) has.set(name, value)
      else has.delete(name)
      address.set({ has: has.toString() })
    })
    address.listen(() => (field.querySelector("select")!.value = now().get(name) ?? ""))
    return field
  }

  /** Which columns are shown; made when somebody asks for it. */
  private columns(): HTMLElement[] {
    const { address } = this.context
    const boxes = this.heads()
      .filter((head) => !["model", "new"].includes(head.dataset["key"]!) && !head.dataset["task"])
      .map((head) => {
        const key = head.dataset["key"]!
        const box = h("input", { type: "checkbox", "data-column": key })
        const list = head.classList.contains("more") ? "also" : "hide"
        box.addEventListener("change", () => {
          const named = words(address.state[list])
          if (box.checked === (list === "also")) named.add(key)
          else named.delete(key)
          address.set({ [list]: [...named].join(".") }, "replace")
        })
        box.checked = this.isShown(key, address.state)
        const name = head.querySelector("button")?.textContent ?? key
        return h("label", { class: "tick" }, box, name)
      })
    const shows = this.showOptions()
    if (shows.length < 2) return boxes
    const field = choice("Add ranks on", shows, address.state.show ?? "", (value) => address.set({ show: value }))
    this.showSelect = field.querySelector("select")
    return [...boxes, field]
  }

  private isShown(key: string, state: State): boolean {
    return words(state.also).has(key) || (!words(state.hide).has(key) && !this.head(key)?.classList.contains("more"))
  }

  private follow(state: State, before: State): void {
    if (state.show !== before.show) this.showTasks()
    if (document.activeElement !== this.search) this.search.value = state.q ?? ""
    this.chooseColumns(state)
    this.arrange(state)
  }

  private showTasks(): void {
    const all = tasksShown(this.context)
    this.tasks = all.slice(0, MOST_TASKS)
    this.leftOut = all.length - this.tasks.length
    if (this.showSelect) this.showSelect.value = this.context.address.state.show ?? ""
    for (const cell of this.table.querySelectorAll("[data-task]")) cell.remove()
    for (const key of [...this.sorters.keys()]) if (key.startsWith("task~")) this.sorters.delete(key)
    for (const task of this.tasks) this.addTask(task, all.length === 1)
  }

  private addTask(task: number, alone: boolean): void {
    const { board } = this.context
    const data = board.data.tasks[task]!
    const key = `task~${task}`
    const button = h("button", { class: "sort", type: "button", click: () => this.toggle(key) }, bdi(data.name))
    const head = h("th", { role: "columnheader", scope: "col", "data-task": task, "data-key": key }, button, h("small", {}, `rank, ${data.claim}`))
    this.table.tHead!.rows[0]!.append(head)
    const texts = alone ? scoreTexts(board, task) : null
    if (texts) {
      this.table.tHead!.rows[0]!.append(
        h("th", { role: "columnheader", scope: "col", "data-task": task }, `${data.kind === "votes" ? "Log strength" : data.scoreTitle} on it`, h("small", {}, data.scoreNote)),
      )
    }
    const foot = this.table.tFoot!.rows[0]!
    foot.append(h("td", { class: "ranks", "data-task": task }))
    if (texts) foot.append(h("td", { class: "score", "data-task": task }))
    // Models that lack tasks keep to the columns above them.
    for (const row of this.table.querySelectorAll(".placed tr + tr")) {
      for (const kind of texts ? ["ranks", "score"] : ["ranks"]) row.append(h("td", { role: "cell", class: kind, "data-task": task }))
    }
    for (const [model, row] of this.rows) {
      const cell = board.cell(task, model)
      const shown = spoken(showRanks(cell.best, cell.worst), sayRanks(cell.best, cell.worst))
      row.append(h("td", { role: "cell", class: "ranks", "data-task": task }, ...shown))
      if (texts) row.append(h("td", { role: "cell", class: "score", "data-task": task }, texts[model]!))
    }
    this.sorters.set(key, { by: byInterval((model) => board.cell(task, model), board.size), runs: "ascending" })
  }

  private chooseColumns(state: State): void {
    const [hidden, also] = [words(state.hide), words(state.also)]
    // Ranks are of one kind at a time, those on a new task in the place of the others.
    if (hidden.has("lead")) hidden.add("bar").add("new")
    for (const box of document.querySelectorAll<HTMLInputElement>("[data-column]")) {
      box.checked = this.isShown(box.dataset["column"]!, state)
    }
    const kept = [...this.table.classList].filter((name) => !/^(no-|with-|wide$)/.test(name))
    const isWide = also.size + this.tasks.length > 0
    if (isWide) kept.push("wide")
    // A wide table scrolls by itself, and its head sticks inside.
    this.table.parentElement!.classList.toggle("many", isWide)
    const named = [...[...hidden].map((key) => `no-${key}`), ...[...also].map((key) => `with-${key}`)]
    this.table.className = [...kept, ...named.filter((name) => /^[a-z-]+$/.test(name))].join(" ")
  }

  private head(key: string): HTMLTableCellElement | undefined {
    return this.heads().find((head) => head.dataset["key"] === key)
  }

  /** Puts the rows that are seen in their order; the others wait outside of the page. */
  private arrange(state: State): void {
    const order = this.sort(state.sort)
    const shown = new Set(chosen(this.context))
    const found = order.filter((model) => shown.has(model))
    const all = !this.isLong || state.all !== undefined
    this.ticked = new Set(pinned(this.context, state))
    const seen = all ? found : found.filter((model, i) => i < FIRST_ROWS || this.ticked.has(model))
    if (seen.length !== this.seen.length || seen.some((model, i) => this.seen[i] !== model)) this.fill(seen)
    else for (const model of seen) this.context.paint(model)
    const usual = order === this.original && found.length === this.rows.size
    this.table.classList.toggle("in-order", usual && !state.one && !state.new)
    this.table.classList.add("ready")
    if (this.isLong) this.scaleTo(seen, state)
    findPlaced(state)
    this.say(seen.length, found.length)
    this.more.hidden = !this.isLong || found.length <= FIRST_ROWS
    this.more.textContent = all ? `Show the first ${FIRST_ROWS}` : `Show all ${found.length}`
  }

  /** The first rows at once, more with every frame: a reader of a long board waits for a screen of them. */
  private fill(seen: number[]): void {
    this.seen = seen
    const body = this.table.tBodies[0]!
    // Asking for a height costs a layout: only where rows are to come.
    const line = seen.length > SCREEN_ROWS ? (body.rows[0]?.offsetHeight ?? 0) : 0
    const stays = seen.every((model, i) => body.rows[i] === this.rows.get(model))
    if (stays && seen.length <= SCREEN_ROWS) {
      // Most often the first rows of all: they stay as they were laid out.
      for (const model of seen) this.wake(model)
      while (body.rows.length > seen.length) body.lastElementChild!.remove()
      body.style.minHeight = ""
      return
    }
    const add = (from: number, count: number): void => {
      if (this.seen !== seen) return
      const next = seen.slice(from, from + count)
      const rows = next.map((model) => this.wake(model))
      if (from) body.append(...rows)
      else body.replaceChildren(...rows)
      const whole = from + count >= seen.length
      body.style.minHeight = whole ? "" : `${line * seen.length}px`
      if (!whole) requestAnimationFrame(() => add(from + count, MORE_ROWS))
    }
    add(0, SCREEN_ROWS)
  }

  /** Bars take the whole width: the first rows of a long board lie near its first ranks. */
  private scaleTo(seen: number[], state: State): void {
    const { data, size } = this.context.board
    const ranks = (state.new ? data.newTask : null) ?? data.leadRanks
    const lowest = seen.reduce((low, model) => Math.max(low, ranks.worst[model]!), 1)
    const last = lowest > 0.8 * size ? size : lowest
    const room = [[40, 240], [64, 300]].find(([most]) => matchMedia(`(max-width: ${most}rem)`).matches)?.[1] ?? 480
    const at = (rank: number) => `${(100 * (rank - 0.5)) / last}%`
    const ticks = rankTicks(last, room)
    this.table.style.setProperty("--zoom", String(size / last))
    this.table.querySelector(".axis")!.replaceChildren(
      ...ticks.map((rank) => el("text", { x: at(rank), y: 12 }, String(rank))),
    )
    this.table.querySelector(".grid")!.replaceChildren(
      ...ticks.map((rank) => el("line", { x1: at(rank), x2: at(rank), y1: 0, y2: "100%" })),
    )
  }

  /** What a row gets when it is seen first: attributes only, so that nothing is laid out again. The body of the table listens to it all. */
  private wake(model: number): HTMLTableRowElement {
    const row = rowOf(this.context, model)!
    if (this.alive.has(model)) return row
    this.alive.add(model)
    const name = this.context.board.data.models[model]!
    const head = row.cells[0]!
    const [box, link] = head.children as unknown as [HTMLInputElement, HTMLAnchorElement]
    box.setAttribute("aria-label", `Tick ${name} for comparison`)
    box.checked = this.ticked.has(model)
    if (link.hasAttribute("href")) row.dataset["page"] = link.href
    link.setAttribute("href", hrefOf(modelChange(this.context, model)))
    // With every cell of the row, a screen reader says the name, not the box beside it.
    const marks = [...head.getElementsByTagName("small")].map((one) => one.textContent.replace("\u25d4", "").trim())
    head.setAttribute("aria-label", [name, ...marks].join(", "))
    const why = row.getElementsByClassName("why")[0]!
    for (const [key, value] of Object.entries({ role: "button", tabindex: "0", title: "Why?" })) why.setAttribute(key, value)
    return row
  }

  /** Opens what stands above, within and below the interval of a model. */
  private explain(model: number): void {
    const { address, names } = this.context
    address.set({ model: names.modelKey(model), why: "1", vs: undefined, task: undefined })
  }

  private say(seen: number, found: number): void {
    const all = this.context.part?.order.length ?? this.rows.size
    const more = this.leftOut > 0 ? `; the first ${MOST_TASKS} of ${MOST_TASKS + this.leftOut} tasks` : ""
    this.said.classList.toggle("usual", seen === all)
    this.counted = countShown(seen, found, all) + more
    this.tell(this.counted)
  }

  private tell(text: string): void {
    if (this.said.textContent !== text) this.said.textContent = text
  }

  private sort(sort: string | undefined): number[] {
    const reverse = sort?.startsWith("-") ?? false
    const key = reverse ? sort!.slice(1) : sort
    const sorter = key === undefined ? undefined : this.sorters.get(key)
    const by = sorter ? key : "score"
    for (const head of this.heads()) {
      const runs = this.sorters.get(by!)!.runs
      if (head.dataset["key"] === by) head.setAttribute("aria-sort", reverse && sorter ? turned(runs) : runs)
      else head.removeAttribute("aria-sort")
    }
    const usual = this.context.part?.order ?? this.original
    return sorter ? sorted(usual, sorter, reverse) : usual
  }

  /** What rows do, and the light on the row under the pointer, or with the focus, and on all that it is not told apart from. */
  private startRows(): void {
    const body = this.table.tBodies[0]!
    const modelOf = (event: Event): number | null => {
      const row = event.target instanceof Element ? event.target.closest("tr") : null
      return row ? Number(row.dataset["model"]) : null
    }
    body.addEventListener("click", (event) => {
      const model = modelOf(event)
      if (model === null || !(event.target instanceof Element)) return
      if (event.target.closest("a.name")) follow(event, this.context.address, modelChange(this.context, model))
      else if (event.target.closest(".draw, .why")) this.explain(model)
    })
    body.addEventListener("keydown", (event) => {
      const model = modelOf(event)
      if (model === null || (event.key !== "Enter" && event.key !== " ") || !(event.target as Element).matches(".why")) return
      event.preventDefault()
      this.explain(model)
    })
    body.addEventListener("change", (event) => {
      const model = modelOf(event)
      if (model !== null && event.target instanceof HTMLInputElement) tick(this.context, model, event.target.checked)
    })
    for (const type of ["pointerover", "focusin"]) body.addEventListener(type, (event) => this.light(modelOf(event)))
    for (const type of ["pointerleave", "focusout"]) body.addEventListener(type, () => this.light(null))
  }

  private light(model: number | null): void {
    if (model === this.lit) return
    this.lit = model
    for (const row of this.table.querySelectorAll(".near, .me")) row.classList.remove("near", "me")
    this.table.classList.toggle("lit", model !== null)
    if (model === null) {
      this.tell(this.counted)
      return
    }
    const { board, address } = this.context
    this.rows.get(model)!.classList.add("me")
    // Pairs are told apart on what the board shows first, and not on a new task or a part.
    if (address.state.new || this.context.part || board.data.lead === "new_task") return
    const near = board.tiedWith(model)
    for (const other of near) this.rows.get(other)!.classList.add("near")
    this.tell(near.length ? `not told apart from ${near.length}` : "told apart from all")
  }

  private makeSorters(): Map<string, Sorter> {
    const { data, size } = this.context.board
    const place = (model: number): number => (this.context.part?.order ?? this.original).indexOf(model)
    const { newTask, shares } = data
    const { context, best } = this
    const falling = (values: readonly (number | null)[]): Sorter => ({
      by: (model) => -(values[model] ?? -Infinity),
      runs: "descending",
    })
    const rising = (by: Sorter["by"]): Sorter => ({ by, runs: "ascending" })
    const interval = (ranks: { best: number[]; worst: number[] }) =>
      byInterval((model) => ({ best: ranks.best[model]!, worst: ranks.worst[model]! }), size)
    return new Map<string, Sorter>([
      ["lead", rising((model) => interval(data.leadRanks)(model))],
      ["model", rising((model) => data.models[model]!)],
      ["score", { by: place, get runs() { return context.part ? descendingOf(context.part.direction) : best } }],
      ["tier", rising((model) => data.tier?.[model] ?? 0)],
      ["first", falling(shares?.first ?? [])],
      ["top", falling(shares?.top ?? [])],
      ["new", rising(newTask ? interval(newTask) : () => 0)],
      ["coverage", falling(data.coverage)],
    ])
  }
}

/** How scores run where the best one stands first. */
function descendingOf(direction: Direction): SortDirection {
  return direction === "higher" ? "descending" : "ascending"
}

function words(list: string | undefined): Set<string> {
  return new Set((list ?? "").split(".").filter(Boolean))
}
