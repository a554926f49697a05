/** Rows for all models at once, or for one model that somebody had in mind before looking. */

import { sayRanks, showRanks } from "./charts/numbers"
import type { Context } from "./context"
import { freshId, h, spoken } from "./dom"

/** Puts the switch above the table. Starts before all other views: they read what it has put in place. */
export function startScope(context: Context): void {
  const { board, address } = context
  const { data } = board
  const table = document.querySelector<HTMLTableElement>("#board-table")
  const title = document.querySelector("h1")
  const one = data.oneModel
  if (!table || !title || !one) return
  const lead = title.parentElement!.querySelector<HTMLElement>("p.lead") ?? h("p", { class: "lead" })
  if (!lead.parentElement) title.after(lead)
  const together = { ranks: data.leadRanks, tier: data.tier, title: title.textContent, lead: lead.textContent ?? "" }

  const name = freshId("scope")
  const option = (value: string, text: string): HTMLInputElement => {
    const input = h("input", { type: "radio", name, value, change: () => address.set({ one: value }) })
    field.append(h("label", { class: "tick" }, input, text))
    return input
  }
  const field = h("fieldset", { class: "scope" }, h("legend", { class: "hidden" }, "What the ranks hold for"))
  const all = option("", "All models at once")
  const alone = option("1", "I had one model in mind")

  const show = (chosen: boolean): void => {
    all.checked = !chosen
    alone.checked = chosen
    const ranks = chosen ? one.ranks : together.ranks
    data.leadRanks = ranks
    data.tier = chosen ? null : together.tier
    const [first = "", ...rest] = one.headline
    title.textContent = chosen ? first : together.title
    const words =
      "Each row holds for one model chosen before looking at results, and not for several together; rows that begin with 1 may be first. Pairs of models go on to be about all models at once."
    lead.textContent = chosen ? [...rest, words].join(" ") : together.lead
    lead.hidden = !lead.textContent
    table.classList.toggle("one-model", chosen)
    const head = table.querySelector('th[data-key="lead"] small')
    if (head) head.textContent = ranks.words
    for (const row of table.tBodies[0]!.rows) {
      const model = Number(row.dataset["model"])
      const [best, worst] = [ranks.best[model]!, ranks.worst[model]!]
      row.querySelector('td[data-key="lead"]')!.replaceChildren(...spoken(showRanks(best, worst), sayRanks(best, worst)))
      row.querySelector("path.lead")?.setAttribute("d", `M${best - 1} 5h${worst - best + 1}`)
    }
  }
  table.parentElement!.before(field)
  address.listen((state, before) => {
    if (state.one !== before.one) show(state.one !== undefined)
  })
  show(address.state.one !== undefined)
}
