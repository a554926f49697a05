/** What rows are about: all models at once, a new task, or one model that somebody had in mind. */

import { sayRanks, showRanks } from "./charts/numbers"
import type { Context } from "./context"
import { h, spoken } from "./dom"

/** Completes the switch above the table. Starts before all other views: they read what it has put in place. */
export function startScope(context: Context): void {
  const { board, address, rows } = context
  const { data } = board
  const title = document.querySelector("h1 .lead")
  const level = document.querySelector("#lead-level")
  const controls = document.querySelector("#controls")
  const one = data.oneModel
  if (!title || !level || !controls) return
  const fieldset = controls.querySelector("fieldset") ?? madeOf(controls, one !== null, board.data.ranked)
  if (!fieldset) return
  const option = (id: string): HTMLInputElement | null => fieldset.querySelector<HTMLInputElement>(`#${id}`)
  const these = option("about-these")
  const fresh = option("about-new")
  const alone = one ? added(fieldset, "about-one", "I had one model in mind") : null
  const together = { ranks: data.leadRanks, tier: data.tier, title: title.textContent, level: level.textContent }
  let shown = false

  const show = (chosen: boolean): void => {
    if (chosen === shown || !one) return
    shown = chosen
    const ranks = chosen ? one.ranks : together.ranks
    data.leadRanks = ranks
    data.tier = chosen ? null : together.tier
    title.textContent = chosen ? one.title : together.title
    level.textContent = chosen ? one.level : together.level
    for (const [model, row] of rows) {
      const [best, worst] = [ranks.best[model]!, ranks.worst[model]!]
      const cell = row.querySelector('td[data-key="lead"]')!
      const place = cell.querySelector("button") ?? cell
      place.replaceChildren(...spoken(showRanks(best, worst), sayRanks(best, worst)))
      const bar = row.querySelector("rect.lead")
      bar?.setAttribute("x", `${(100 * (best - 1)) / board.size}%`)
      bar?.setAttribute("width", `${(100 * (worst - best + 1)) / board.size}%`)
    }
  }
  const follow = (): void => {
    const { state } = address
    for (const [input, on] of [[fresh, state.new], [alone, state.one], [these, true]] as const) {
      if (input && on) {
        input.checked = true
        break
      }
    }
    show(state.one !== undefined && alone !== null && !fresh?.checked)
  }
  fieldset.addEventListener("change", () => {
    address.set({ new: fresh?.checked ? "1" : undefined, one: alone?.checked ? "1" : undefined })
  })
  address.listen((state, before) => {
    if (state.one !== before.one || state.new !== before.new) follow()
  })
  follow()
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
