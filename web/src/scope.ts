/** What rows are about: everything, a category or a task, a new task, or one model that somebody had in mind. */

import { sayRanks, showRanks } from "./charts/numbers"
import type { Board } from "./board"
import type { Context } from "./context"
import type { RanksData } from "./data"
import { choice, h } from "./dom"
import { views } from "./later"
import type { Names } from "./names"

/** Completes the switch above the table. Starts before all other views: they read what it has put in place. */
export function startScope(context: Context): void {
  const { board, address, rows, names } = context
  const { data } = board
  const title = document.querySelector("h1 .lead")
  const level = document.querySelector("#lead-level")
  const controls = document.querySelector("#controls")
  const one = data.oneModel
  if (!title || !level || !controls) return
  // What a switch changes is heard, too.
  title.parentElement?.setAttribute("aria-live", "polite")
  const fieldset = controls.querySelector("fieldset") ?? madeOf(controls, one !== null, board.data.ranked)
  const parts = partsOf(board, names)
  if (!fieldset && !parts.length) return
  const option = (id: string): HTMLInputElement | null => fieldset?.querySelector<HTMLInputElement>(`#${id}`) ?? null
  const these = option("about-these")
  const fresh = option("about-new")
  const alone = one && fieldset ? added(fieldset, "about-one", "Each by itself") : null
  const head = document.querySelector<HTMLElement>('#board-table thead [data-key="score"]')
  const [scoreName, scoreNote] = [head?.querySelector("button"), head?.querySelector("small")]
  const usual = [scoreName?.textContent ?? "", scoreNote?.textContent ?? ""] as const
  const together: Shown = { ranks: data.leadRanks, tier: data.tier, title: title.textContent, level: level.textContent }
  const chooser = parts.length ? choice("Ranks on", [["", data.parts ? "All votes" : "All tasks"], ...parts], address.state.on ?? "", (on) => address.set({ on: on || undefined, one: undefined, new: undefined })) : null
  const select = chooser?.querySelector("select") ?? null
  const search = controls.querySelector("input[type=search]")
  if (chooser) controls.insertBefore(chooser, search)
  let now = together

  const show = (next: Shown): void => {
    if (next === now) return
    now = next
    data.leadRanks = next.ranks
    data.tier = next.tier
    title.textContent = next.title
    level.textContent = next.level
    if (scoreName) scoreName.textContent = context.part?.scoreName ?? usual[0]
    if (scoreNote) scoreNote.textContent = context.part?.scoreNote ?? usual[1]
  }
  const scores = new Map<number, string>()
  const painted = new Map<number, Shown>()
  // Only rows that are looked at are written: a board may have many more.
  context.paint = (model) => {
    if ((painted.get(model) ?? together) === now) return
    painted.set(model, now)
    const row = rows.get(model)
    if (!row) return
    const [best, worst] = [now.ranks.best[model]!, now.ranks.worst[model]!]
    const [said, seen] = row.querySelectorAll(".why span")
    said!.textContent = sayRanks(best, worst)
    seen!.textContent = showRanks(best, worst)
    const bar = row.querySelector("rect.lead")
    bar?.setAttribute("x", `${(100 * (best - 1)) / board.size}%`)
    bar?.setAttribute("width", `${(100 * (worst - best + 1)) / board.size}%`)
    const score = row.querySelector('td[data-key="score"]')
    if (!score) return
    if (!scores.has(model)) scores.set(model, score.textContent)
    score.textContent = context.part ? context.part.texts[model]! : scores.get(model)!
  }
  const follow = (): void => {
    const { state } = address
    for (const [input, on] of [[fresh, state.new], [alone, state.one], [these, true]] as const) {
      if (input && on) {
        input.checked = true
        document.documentElement.classList.toggle("about-new", input === fresh)
        document.documentElement.classList.toggle("about-one", input === alone)
        break
      }
    }
    const found = state.new || state.one || !state.on ? null : views().partRanks(board, names, state.on)
    context.part = found === null || typeof found === "string" ? null : found
    if (select) select.value = state.new || state.one ? "" : (state.on ?? "")
    document.querySelector("#board-table")?.classList.toggle("part", context.part !== null)
    if (context.part) show({ ...context.part, tier: null })
    else if (typeof found === "string") show({ ...together, level: `${found} Those of all tasks: ${together.level}` })
    else if (one && state.one && !fresh?.checked) show({ ...one, tier: null })
    else show(together)
  }
  fieldset?.addEventListener("change", () => {
    address.set({ new: fresh?.checked ? "1" : undefined, one: alone?.checked ? "1" : undefined, on: undefined })
  })
  address.listen((state, before) => {
    if (state.one !== before.one || state.new !== before.new || state.on !== before.on) follow()
  })
  follow()
}

/** What the ranks can be about beside everything: keys for the address, and names. */
function partsOf(board: Board, names: Names): [string, string][] {
  const { lead, parts, explore, tasks } = board.data
  if (parts) return parts.map((part, i) => [`votes:${i}`, part.name])
  if (lead !== "aggregate" || tasks.length < 2) return []
  const several = board.categories.filter((name) => board.tasksIn(name).length > 1)
  const averaged = explore.average && board.hasPairs && board.categories.length > 1 ? several : []
  return [
    ...averaged.map((name): [string, string] => [`category:${name}`, `Category: ${name}`]),
    ...tasks.map((task, i): [string, string] => [`task:${names.taskKey(i)}`, task.name]),
  ]
}

interface Shown {
  ranks: RanksData
  tier: number[] | null
  title: string
  level: string
}

function madeOf(controls: Element, wanted: boolean, ranked: string): HTMLFieldSetElement | null {
  if (!wanted) return null
  const fieldset = h("fieldset", { class: "scope" }, h("legend", { class: "hidden" }, "What the ranks are about"))
  controls.prepend(fieldset)
  added(fieldset, "about-these", ranked).checked = true
  return fieldset
}

function added(fieldset: HTMLElement, id: string, text: string): HTMLInputElement {
  const input = h("input", { type: "radio", name: "about", id })
  fieldset.append(h("label", {}, input, h("span", {}, text)))
  return input
}
