/** Which models are shown: those that were ticked, or found by name. Nothing here ranks anew. */

import { rankLine } from "./board"
import type { Context } from "./context"
import { h } from "./dom"
import { plural } from "./numbers"
import type { State } from "./state"

/** Models that were ticked, in the order of the board. */
export function pinned({ board, names, address }: Context, state: State = address.state): number[] {
  const ticked = new Set((state.pin ?? "").split(",").map((key) => names.model(key)))
  return board.data.order.filter((model) => ticked.has(model))
}

/** Tasks that are shown as columns. */
export function tasksShown({ board, names, address }: Context): number[] {
  const [kind = "", ...rest] = (address.state.show ?? "").split(":")
  const word = rest.join(":")
  return [...board.data.tasks.keys()].filter((i) => {
    const task = board.data.tasks[i]!
    if (kind === "category") return task.category === word
    if (kind === "family") return task.family === word
    return kind === "task" && i === names.task(word)
  })
}

/** Whether a name is one of those that are looked for: any word of the text, or, with commas, all words of any part. */
export function finder(query: string | undefined): (name: string) => boolean {
  const text = (query ?? "").toLowerCase()
  const wordsOf = (part: string): string[] => part.split(/\s+/).filter(Boolean)
  const parts = text.includes(",") ? text.split(",").map(wordsOf) : wordsOf(text).map((word) => [word])
  const asked = parts.filter((part) => part.length)
  if (!asked.length) return () => true
  return (name) => asked.some((part) => part.every((word) => name.toLowerCase().includes(word)))
}

/** Models that are shown, in the order of the board: ticked where only those are wanted, found, and with a score on the tasks shown. */
export function chosen(context: Context): number[] {
  const { board, address, rows } = context
  const { data } = board
  const { q, only, has } = address.state
  const wanted = [...new URLSearchParams(has)]
  const found = finder(q)
  const ticked = only ? new Set(pinned(context)) : null
  const tasks = tasksShown(context)
  return (context.part?.order ?? data.order).filter(
    (model) =>
      rows.has(model) &&
      (!ticked?.size || ticked.has(model)) &&
      found(data.models[model]!) &&
      wanted.every(([name, value]) => (data.attributes?.[name]?.[model] ?? null) === value) &&
      (!tasks.length || tasks.some((task) => !Number.isNaN(board.cell(task, model).mean))),
  )
}

/** Whether a change of the address may change what is shown. */
export function changesChoice(state: State, before: State): boolean {
  return (["q", "only", "show", "pin", "has", "on"] as const).some((key) => state[key] !== before[key])
}

/** "5 of 29 shown, ranks among 29"; the number of models where all are. */
export function countShown(shown: number, found: number, all: number): string {
  if (shown === all) return plural(all, "model")
  const part = shown < found && found < all ? `${shown} of ${found} found, ` : `${shown} of ${all} shown, `
  return `${part}ranks among ${all}`
}

/** Ticks or unticks a model. */
export function tick(context: Context, model: number, on: boolean): void {
  const { address, names } = context
  const rest = pinned(context).filter((other) => other !== model)
  // A comma stands between names; a name with one in it is called by its number.
  const keys = (on ? [...rest, model] : rest).map((one) => (names.modelKey(one).includes(",") ? `~${one}` : names.modelKey(one)))
  address.set({ pin: keys.join(","), ...(keys.length ? {} : { only: undefined }) }, "replace")
}

/** What can be done with the models that are ticked; it stays in sight at the foot of the table. */
export function startTray(context: Context, place: Element): void {
  const { address, rows } = context
  const compare = h("button", { type: "button", click: () => address.set({ compare: "1" }) })
  const only = h("button", { type: "button", class: "quietly" }, "Show only these")
  only.addEventListener("click", () => address.set({ only: address.state.only ? undefined : "1" }))
  const anew = h("button", { type: "button", class: "quietly" }, "Rank among these only")
  const line = h("code", { class: "line", tabindex: "0", hidden: true })
  anew.addEventListener("click", () => {
    // Another board, with other ranks: it takes the results, which are not in the page.
    line.textContent = rankLine(context.board.data, pinned(context))
    line.hidden = !line.hidden
    anew.setAttribute("aria-expanded", String(!line.hidden))
  })
  const clear = h("button", { type: "button", class: "quietly" }, "Untick all")
  const tray = h("div", { id: "tray", role: "region", "aria-label": "Ticked models", hidden: true }, compare, only, anew, clear, line)
  clear.addEventListener("click", () => {
    address.set({ pin: undefined, only: undefined })
    document.querySelector<HTMLElement>("#board-table .pin")?.focus()
  })
  place.after(tray)
  const follow = (state: State): void => {
    const ticked = pinned(context, state)
    tray.hidden = !ticked.length
    compare.textContent = ticked.length > 1 ? `Compare ${ticked.length}` : "Tick another to compare"
    compare.disabled = ticked.length < 2
    anew.disabled = ticked.length < 2
    line.textContent = rankLine(context.board.data, ticked)
    only.setAttribute("aria-pressed", String(Boolean(state.only)))
    for (const [model, row] of rows) {
      const box = row.querySelector<HTMLInputElement>(".pin")
      if (box) box.checked = ticked.includes(model)
    }
  }
  address.listen((state, before) => {
    if (state.pin !== before.pin || state.only !== before.only) follow(state)
  })
  if (address.state.pin) follow(address.state)
}
