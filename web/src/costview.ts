/** What it costs: score against cost, and who may be the best within a budget. Nothing is made of the two but this. */

import { costFront, costFrontTable } from "./charts"
import type { Board } from "./board"
import type { Context } from "./context"
import { modelLinks } from "./context"
import { h } from "./dom"
import { figure } from "./figure"
import { leadScores } from "./figures"
import { chosen, changesChoice } from "./pins"

/** Models that may have the best score of those that a budget pays for: all that none of these was shown better than. */
export function bestWithin(board: Board, cost: readonly (number | null)[], budget: number): number[] {
  const paid = board.data.order.filter((model) => (cost[model] ?? Infinity) <= budget)
  return paid.filter((model) => !paid.some((other) => board.shown[other * board.size + model]))
}

/** Fills the fold of costs. */
export function fillCosts(context: Context, fold: HTMLElement): void {
  const { board, address } = context
  const { costs, models } = board.data
  const scores = leadScores(context)
  if (!costs || !scores) return
  const budgets = [...new Set(costs.cost.filter((value) => value !== null))].sort((a, b) => a - b)
  if (!budgets.length) return
  const slider = h("input", { type: "range", id: "budget", min: 0, max: budgets.length - 1, step: 1, value: budgets.length - 1 })
  const said = h("output", { for: "budget" })
  const names = h("div", {})
  const budget = (): number => budgets[Number(slider.value)]!
  const show = (value: number): string => String(Number(value.toPrecision(3)))
  const input = () => {
    // Filters and ticks hide points; who may be the best is said among all models.
    const shown = chosen(context)
    const within = new Set(bestWithin(board, costs.cost, budget()))
    const take = <T>(list: readonly T[]): T[] => shown.map((model) => list[model]!)
    return {
      models: take(models), cost: take(costs.cost), costLow: take(costs.low), costHigh: take(costs.high),
      score: take(scores.score), scoreLow: take(scores.low), scoreHigh: take(scores.high),
      observed: take(costs.observed), possible: take(costs.possible), costName: costs.metric, scoreName: scores.scoreName,
      direction: scores.direction, budget: budget(),
      within: new Set([...shown.keys()].filter((i) => within.has(shown[i]!))),
    }
  }
  const drawn = figure({
    id: "figure-costs",
    title: `${scores.scoreName} against ${costs.metric}`,
    caption: costs.words,
    draw: (options) => costFront(input(), options),
    table: () => costFrontTable(input()),
    file: "score and cost",
  })
  const follow = (): void => {
    const found = bestWithin(board, costs.cost, budget())
    const paid = costs.cost.filter((value) => (value ?? Infinity) <= budget()).length
    const text = `${costs.metric} of at most ${show(budget())} pays for ${paid} of ${board.size} models; ${found.length} of them may have the best score (${costs.level}, for all budgets at once).`
    said.textContent = text
    slider.setAttribute("aria-valuetext", text)
    names.replaceChildren(modelLinks(context, found))
    drawn.redraw()
  }
  slider.addEventListener("input", follow)
  address.listen((state, before) => changesChoice(state, before) && drawn.redraw())
  const chooser = h("div", { class: "field-of budget" }, h("label", { for: "budget" }, `Budget: ${costs.metric}, ${show(budgets[0]!)} to ${show(budgets.at(-1)!)}`), slider, said, names)
  const first = fold.querySelector("summary")!
  first.after(chooser, drawn.element)
  follow()
}
