/** Explore: other tasks, weights and levels, recomputed by the rules of the board. */

import { unitNoun } from "./board"
import { type Context, modelLink } from "./context"
import { bdi, choice as selectOf, freshId, h, spoken, stroke } from "./dom"
import { changes, published, readChoice, writeChoice } from "./explore/choices"
import { type Answer, type Choice, recompute } from "./explore/recompute"
import { FEWEST_ROWS } from "./explore/skewness"
import { guaranteed, intervalTexts, level, plural, sayRanks, showNumber, showRanks } from "./numbers"
import type { State } from "./state"

interface Group {
  name: string
  tasks: number[]
}

const MOST_LISTED = 8

/** Fills the fold of other tasks, weights and levels. */
export function fillExplore(context: Context, fold: HTMLElement): void {
  fold.append(...new Explore(context).parts)
}

class Explore {
  readonly parts: HTMLElement[]
  private now: Choice
  private readonly groups: Group[]
  private readonly controls = h("div", { class: "choices" })
  private readonly banner = h("div", { class: "changed", role: "status" })
  private readonly results = h("div", {})
  private readonly updates: (() => void)[] = []
  private waiting = false

  constructor(private readonly context: Context) {
    const { board, address } = context
    this.now = readChoice(board, address.state)
    this.groups = groupsOf(context)
    this.parts = [
      h(
        "p",
        {},
        "Choose tasks, weights or levels, and the intervals are computed again here, by the same rules. The board above does not change.",
      ),
      this.banner,
      h("div", { class: "explore" }, this.controls, this.results),
    ]
    address.listen((state, before) => this.follow(state, before))
    this.build()
    this.show()
  }

  private follow(state: State, before: State): void {
    const keys = ["out", "w", "a", "ao"] as const
    if (keys.every((key) => state[key] === before[key])) return
    this.now = readChoice(this.context.board, state)
    this.show()
  }

  /** Keep a change: in the address, from where it comes back. */
  private keep(change: Partial<Choice>): void {
    const next = { ...this.now, ...change }
    this.now = next
    this.context.address.set(writeChoice(this.context.board, next), "replace")
    this.show()
  }

  /** Show a change while a slider is still moving. */
  private preview(change: Partial<Choice>): void {
    this.now = { ...this.now, ...change }
    if (this.waiting) return
    this.waiting = true
    requestAnimationFrame(() => {
      this.waiting = false
      this.show()
    })
  }

  private show(): void {
    for (const update of this.updates) update()
    this.showBanner()
    this.showResults(recompute(this.context.board, this.now))
  }

  private build(): void {
    const { explore } = this.context.board.data
    const levels = h("fieldset", {}, h("legend", {}, "Levels"))
    const bar = h("div", { class: "bar-of-tools" })
    if (explore.average) {
      bar.append(this.levelSelect("Average", explore.average.alphas, "alpha"))
    }
    if (explore.merge && explore.merge !== "union") {
      bar.append(this.levelSelect("New task", explore.alphasOverall, "alphaOverall"))
    }
    if (bar.childElementCount) this.controls.append(h("fieldset", {}, ...[levels.firstElementChild!, bar]))
    const legend = explore.average ? "Tasks and their weights in the average" : "Tasks"
    this.controls.append(h("fieldset", {}, h("legend", {}, legend), ...this.groups.map((group) => this.groupOf(group))))
    if (explore.average && this.groups.length > 2) this.controls.append(this.pairwise())
  }

  private levelSelect(label: string, alphas: number[], key: "alpha" | "alphaOverall"): HTMLElement {
    const options = [...alphas].sort((a, b) => a - b).map((alpha): [string, string] => [String(alpha), level(alpha)])
    const field = selectOf(label, options, String(this.now[key]), (value) => this.keep({ [key]: Number(value) }))
    const select = field.querySelector("select")!
    this.updates.push(() => (select.value = String(this.now[key])))
    return field
  }

  private groupOf(group: Group): HTMLElement {
    const weighted = this.context.board.data.explore.average !== null
    const box = h("input", { type: "checkbox" })
    box.addEventListener("change", () => {
      const kept = new Set(this.now.tasks)
      for (const task of group.tasks) {
        if (box.checked) kept.add(task)
        else kept.delete(task)
      }
      this.keep({ tasks: [...kept].sort((a, b) => a - b) })
    })
    const part = h("div", { class: "group" })
    const head = h("div", {}, h("label", { class: "tick" }, box, bdi(group.name)))
    part.append(head)
    if (weighted && this.groups.length > 1) this.addSlider(group, head)
    const lines = group.tasks.map((task) => this.taskLine(task, weighted))
    const details = h("details", { open: this.groups.length === 1 }, h("summary", {}, plural(group.tasks.length, "task")), ...lines)
    part.append(details)
    this.updates.push(() => {
      const kept = new Set(this.now.tasks)
      const count = group.tasks.filter((task) => kept.has(task)).length
      box.checked = count > 0
      box.indeterminate = count > 0 && count < group.tasks.length
    })
    return part
  }

  private addSlider(group: Group, head: HTMLElement): void {
    const id = freshId("weight")
    const slider = h("input", { type: "range", min: 0, max: 100, step: 1, id, "aria-label": `Weight of ${group.name}` })
    const share = h("output", { for: id })
    slider.addEventListener("input", () => this.preview({ weights: this.withPoints(group, Number(slider.value)) }))
    slider.addEventListener("change", () => this.keep({ weights: this.withPoints(group, Number(slider.value)) }))
    head.append(share, slider)
    this.updates.push(() => {
      const points = this.points(group)
      if (document.activeElement !== slider) slider.value = String(Math.min(100, Math.round(points)))
      const shown = `${showNumber(100 * this.share(group), 0)}\u00a0%`
      share.textContent = shown
      slider.setAttribute("aria-valuetext", `${shown} of the average`)
    })
  }

  private taskLine(task: number, weighted: boolean): HTMLElement {
    const { board } = this.context
    const name = board.data.tasks[task]!.name
    const box = h("input", { type: "checkbox" })
    box.addEventListener("change", () => {
      const kept = new Set(this.now.tasks)
      if (box.checked) kept.add(task)
      else kept.delete(task)
      this.keep({ tasks: [...kept].sort((a, b) => a - b) })
    })
    const line = h("div", { class: "one" }, h("label", { class: "tick" }, box, bdi(name)))
    const field = weighted ? h("input", { type: "number", min: 0, step: "any", "aria-label": `Weight of ${name}` }) : null
    if (field) {
      field.addEventListener("change", () => {
        const value = Number(field.value)
        const weights = [...this.now.weights]
        weights[task] = field.value !== "" && value >= 0 && Number.isFinite(value) ? value : published(board).weights[task]!
        this.keep({ weights })
      })
      line.append(field)
    }
    this.updates.push(() => {
      box.checked = this.now.tasks.includes(task)
      if (field && document.activeElement !== field) field.value = String(Number(this.now.weights[task]!.toPrecision(4)))
      if (field) field.disabled = !box.checked
    })
    return line
  }

  /** Two categories against each other; what both weigh together stays. */
  private pairwise(): HTMLElement {
    const names = this.groups.map((group, i): [string, string] => [String(i), group.name])
    let [first, second] = [0, 1]
    const slider = h("input", { type: "range", min: 0, max: 100, step: 1 })
    const pick = (label: string, value: number, set: (value: number) => void): HTMLElement =>
      selectOf(label, names, String(value), (chosen) => {
        set(Number(chosen))
        update()
      })
    const update = (): void => {
      const [a, b] = [this.groups[first]!, this.groups[second]!]
      const both = this.points(a) + this.points(b)
      const share = both > 0 ? (100 * this.points(a)) / both : 50
      if (document.activeElement !== slider) slider.value = String(Math.round(share))
      slider.disabled = first === second || both === 0
      slider.setAttribute("aria-label", `Weight of ${a.name} against ${b.name}`)
      slider.setAttribute("aria-valuetext", `${Math.round(share)}\u00a0% ${a.name}, ${100 - Math.round(share)}\u00a0% ${b.name}`)
    }
    const moved = (): number[] => {
      const [a, b] = [this.groups[first]!, this.groups[second]!]
      const both = this.points(a) + this.points(b)
      const part = (both * Number(slider.value)) / 100
      return this.withPoints(b, both - part, this.withPoints(a, part))
    }
    slider.addEventListener("input", () => this.preview({ weights: moved() }))
    slider.addEventListener("change", () => this.keep({ weights: moved() }))
    this.updates.push(update)
    return h(
      "fieldset",
      {},
      h("legend", {}, "One category against another"),
      h("div", { class: "pairwise" }, pick("More of", first, (i) => (first = i)), pick("or more of", second, (i) => (second = i)), slider),
    )
  }

  /** Weight of a category, in percent of all published weights. */
  private points(group: Group, weights = this.now.weights): number {
    const total = published(this.context.board).weights.reduce((a, b) => a + b) || 1
    return (100 * group.tasks.reduce((sum, task) => sum + weights[task]!, 0)) / total
  }

  private share(group: Group): number {
    const kept = new Set(this.now.tasks)
    const sum = (tasks: readonly number[]) => tasks.reduce((all, task) => all + (kept.has(task) ? this.now.weights[task]! : 0), 0)
    return sum(group.tasks) / (sum(this.now.tasks) || 1)
  }

  /** Weights with so many points for a category, shared among its tasks as published. */
  private withPoints(group: Group, points: number, weights = this.now.weights): number[] {
    const usual = published(this.context.board).weights
    const total = usual.reduce((a, b) => a + b) || 1
    const own = group.tasks.reduce((sum, task) => sum + usual[task]!, 0)
    const next = [...weights]
    for (const task of group.tasks) {
      const part = own > 0 ? usual[task]! / own : 1 / group.tasks.length
      next[task] = (points / 100) * total * part
    }
    return next
  }

  private showBanner(): void {
    const found = changes(this.context.board, this.now, level)
    this.banner.classList.toggle("warns", found.length > 0)
    if (!found.length) {
      this.banner.replaceChildren(h("p", {}, h("span", { class: "badge" }, "As published"), " Nothing is changed; the numbers below are those of the board."))
      return
    }
    const back = h("button", { type: "button", class: "quietly" }, "Back to the published choice")
    back.addEventListener("click", () => {
      this.keep(published(this.context.board))
      this.controls.querySelector<HTMLElement>("input, select")?.focus()
    })
    this.banner.replaceChildren(
      h("p", {}, h("span", { class: "badge" }, "Changed here"), ` ${found.join("; ").replace(/^./, (first) => first.toUpperCase())}.`),
      h("p", {}, "The levels hold for choices made before the results were seen. A choice made after looking voids the guarantee: read these numbers as a description."),
      this.context.board.data.explore.average?.drawn
        ? h("p", {}, "Averages are computed with Holm's method here, which shows a little less than the draws (max-T) behind those of the board.")
        : "",
      h("p", {}, back),
    )
  }

  private showResults(answer: Answer): void {
    const parts: (HTMLElement | null)[] = [this.sentence(answer), this.newTaskLine(answer)]
    if (answer.average || answer.newTask) parts.push(this.table(answer))
    this.results.replaceChildren(...parts.filter((part) => part !== null))
  }

  private sentence({ average, resampled }: Answer): HTMLElement {
    const { board } = this.context
    const { data } = board
    const units = unitNoun(data)
    if (resampled) {
      return h("p", { class: "quiet" }, `With this choice, scores are skewed for so few ${units}. A t-test does not suit them: rankbars resamples such ${units} or calls the result approximate, which this page does not compute. No average is shown for this choice.`)
    }
    if (!average) {
      const why = !data.explore.average ? data.explore.reason : "An average needs at least two tasks with weight."
      // What is typed stands between backticks.
      return h("p", { class: "quiet" }, ...why.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part)))
    }
    const line = h("p", { class: "verdict" })
    if (average.few) {
      line.append(`With this choice, no model is shown better than another: fewer than ${FEWEST_ROWS} ${units} count.`)
      return line
    }
    const known = average.first.filter((model) => !Number.isNaN(average.score[model]!))
    if (known.length === board.size && board.size > 1) {
      line.append(`With this choice, these results do not tell the ${board.size} models apart (${this.averageLevel()}).`)
    } else {
      const count = known.length === 1 ? "one model" : `${known.length} models`
      line.append(`With this choice, ${count} may be first (${this.averageLevel()}): `)
      known.slice(0, MOST_LISTED).forEach((model, i) => line.append(i ? ", " : "", bdi(data.models[model]!)))
      line.append(known.length > MOST_LISTED ? ` and ${known.length - MOST_LISTED} more.` : ".")
    }
    return line
  }

  /** Level of the average; it holds for a choice of one's own only if results had no part in it. */
  private averageLevel(): string {
    const who = this.context.board.data.average!.scope === "all" ? "all models at once" : "each model"
    return `${level(this.now.alpha)}, ${who}${this.proviso()}`
  }

  private proviso(): string {
    return changes(this.context.board, this.now, level).length ? ", if chosen beforehand" : ""
  }

  private newTaskLine({ guarantee, needs, newTask }: Answer): HTMLElement | null {
    const { explore, newTask: given } = this.context.board.data
    if (!explore.merge) {
      const why = given ? "New-task intervals of this board's rule are not recomputed here." : "This board has no new-task intervals, so there are none here."
      return h("p", { class: "quiet" }, why)
    }
    if (!newTask) return h("p", { class: "quiet" }, "Choose at least one task.")
    const tasks = plural(this.now.tasks.length, "task")
    if (needs) return h("p", { class: "quiet" }, `New task: ${tasks} chosen; an interval at this level needs ${needs}.`)
    const held = guarantee === null ? "" : ` Had they been chosen beforehand, each interval would hold with probability ${guaranteed(guarantee)} or more.`
    return h("p", { class: "quiet" }, `New task: one more like these ${tasks}.${held}`)
  }

  private table({ average, newTask }: Answer): HTMLElement {
    const { board } = this.context
    const { data, size } = board
    const order = average ? [...data.order].sort((a, b) => better(average.score, a, b, data.average!.direction)) : data.order
    const scores = average ? intervalTexts(average.score, average.low, average.high) : []
    const heads: [string, string][] = []
    if (average) heads.push(["Rank on average", this.averageLevel()], ["", ""])
    heads.push(["Model", ""])
    if (average) heads.push([data.average!.title, ""])
    if (newTask) heads.push(["New task", `at ${level(this.now.alphaOverall)}${this.proviso()}`])
    const rows = order.map((model) => {
      const row = h("tr", {})
      if (average) {
        const [best, worst] = [average.bounds.best[model]!, average.bounds.worst[model]!]
        const paths: [string, string][] = [["lead", `M${best - 1} 5h${worst - best + 1}`]]
        if (newTask) paths.push(["thin", `M${newTask.best[model]! - 1} 10.5h${newTask.worst[model]! - newTask.best[model]! + 1}`])
        row.append(
          h("td", { class: "ranks" }, ...spoken(showRanks(best, worst), sayRanks(best, worst))),
          h("td", { class: "draw" }, stroke(size, 12, paths)),
        )
      }
      row.append(h("th", { scope: "row" }, modelLink(this.context, model)))
      if (average) row.append(h("td", { class: "score" }, scores[model]!))
      if (newTask) {
        const [best, worst] = [newTask.best[model]!, newTask.worst[model]!]
        row.append(h("td", { class: "new" }, ...spoken(showRanks(best, worst), sayRanks(best, worst))))
      }
      return row
    })
    const head = h("tr", {}, ...heads.map(([text, small]) =>
      text ? h("th", { scope: "col" }, text, small ? h("small", {}, small) : null) : h("td", { class: "draw" }, h("span", { class: "ends", "aria-hidden": "true" }, h("span", {}, "1"), h("span", {}, String(size)))),
    ))
    const table = h("table", { class: "answers" }, h("caption", { class: "hidden" }, "Ranks for this choice"), h("thead", {}, head), h("tbody", {}, ...rows))
    return h("div", { class: "scroll", role: "group", "aria-label": "Ranks for this choice", tabindex: "0" }, table)
  }
}

function groupsOf({ board }: Context): Group[] {
  const { tasks } = board.data
  const byName = new Map<string, number[]>()
  tasks.forEach((task, i) => {
    const name = task.category ?? (board.categories.length ? "Other tasks" : "All tasks")
    byName.set(name, [...(byName.get(name) ?? []), i])
  })
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => ({ name, tasks: members }))
}

function better(score: readonly number[], a: number, b: number, direction: "higher" | "lower"): number {
  const sign = direction === "higher" ? 1 : -1
  const value = (model: number) => (Number.isNaN(score[model]!) ? -Infinity : sign * score[model]!)
  return value(b) - value(a) || a - b
}
