/** The models that were ticked, side by side: scores, ranks, what is told apart, and every task. */

import { compareView } from "./compareview"
import { type Context, modelLink, rowOf, taskLink } from "./context"
import { bdi, h, spoken, stroke } from "./dom"
import { intervalTexts, sayRanks, showRanks } from "./numbers"
import type { View } from "./panel"

export function sideBySide(context: Context, models: number[]): View {
  const { board } = context
  const title = `${models.length} models side by side`
  const body = h("div", {}, h("h2", { tabindex: "-1" }, title), facts(context, models))
  if (board.data.lead !== "new_task" && !context.part) body.append(verdicts(context, models))
  if (board.data.lead !== "task") body.append(onTasks(context, models))
  if (models.length === 2) {
    body.append(h("section", {}, h("h3", {}, "What differs"), compareView(context, models[0]!, models[1]!)))
  }
  return { title, body, previous: null, next: null }
}

interface Line {
  head: Node | string
  note: string
  cells: (Node | string)[]
}

function facts(context: Context, models: number[]): HTMLElement {
  const { board } = context
  const { leadRanks, newTask, coverage } = board.data
  const title = (key: string): string => document.querySelector(`#board-table [data-key="${key}"] button`)?.textContent ?? key
  const lines: Line[] = []
  const score = models.map((model) => rowOf(context, model)?.querySelector('[data-key="score"]')?.textContent ?? "")
  lines.push({ head: title("score"), note: "", cells: score })
  for (const ranks of [leadRanks, newTask]) {
    if (!ranks) continue
    const cells = models.map((model) => bar(ranks.best[model]!, ranks.worst[model]!, board.size))
    lines.push({ head: ranks.title, note: `of ${board.size}; ${ranks.words}`, cells })
  }
  if (models.some((model) => (coverage[model] ?? 1) < 1)) {
    const cells = models.map((model) => `${(100 * (coverage[model] ?? 1)).toFixed(1)}\u00a0%`)
    lines.push({ head: "Scored", note: "of the expected rows", cells })
  }
  return table(context, models, "Scores and ranks", lines)
}

/** What the board shows of the pairs among them; all of it holds at once. */
function verdicts({ board }: Context, models: number[]): HTMLElement {
  const listed = (others: number[]): (Node | string)[] =>
    others.flatMap((other, i) => [i ? (i === others.length - 1 ? " and " : ", ") : "", bdi(board.data.models[other]!)])
  const lines = models.map((model, at) => {
    const beats = models.filter((other) => board.shown[model * board.size + other])
    // Each pair is named once.
    const open = models.slice(at + 1).filter((other) => !board.shown[model * board.size + other] && !board.shown[other * board.size + model])
    const parts: (Node | string)[] = [bdi(board.data.models[model]!)]
    if (beats.length) parts.push(" was shown better than ", ...listed(beats))
    if (open.length) parts.push(beats.length ? ", and is not told apart from " : " is not told apart from ", ...listed(open))
    return parts.length > 1 ? h("li", {}, ...parts, ".") : null
  })
  return h("section", {}, h("h3", {}, "Who was shown better"), h("ul", { class: "findings" }, ...lines),
    h("p", { class: "quiet" }, "All of these statements hold at once. Not told apart does not mean equal."))
}

function onTasks(context: Context, models: number[]): HTMLElement {
  const { board } = context
  const lines = board.data.tasks.map((task, at): Line => {
    const { low, high } = board.scoreEnds(at)
    const cells = models.map((model) => board.cell(at, model))
    const pick = (ends: ArrayLike<number>) => models.map((model) => ends[model]!)
    const texts = intervalTexts(cells.map((cell) => cell.mean), pick(low), pick(high), task.decimals)
    return {
      head: taskLink(context, at),
      note: "",
      cells: cells.map((cell, i) => {
        const score = h("small", { class: "quiet" }, texts[i]!)
        return Number.isNaN(cell.mean) ? score : h("div", {}, bar(cell.best, cell.worst, board.size), score)
      }),
    }
  })
  const claims = new Set(board.data.tasks.map((task) => task.claim))
  const claim = claims.size === 1 ? [...claims][0]! : "at levels that differ between tasks"
  return h("section", {}, h("h3", {}, "On each task"), h("p", { class: "quiet" }, `The ranks that are not excluded among ${board.size} (${claim}), and the score.`),
    table(context, models, "Ranks and scores on each task", lines))
}

function table(context: Context, models: number[], label: string, lines: Line[]): HTMLElement {
  const row = ({ head, note, cells }: Line): HTMLElement =>
    h("tr", {}, h("th", { scope: "row" }, head, note ? h("small", { class: "quiet" }, ` ${note}`) : null), ...cells.map((cell) => h("td", {}, cell)))
  const heads = models.map((model) => h("th", { scope: "col" }, modelLink(context, model)))
  return h("div", { class: "scroll", role: "group", "aria-label": label, tabindex: "0" },
    h("table", { class: "numbers answers beside" }, h("thead", {}, h("tr", {}, h("td", {}), ...heads)), h("tbody", {}, ...lines.map(row))))
}

function bar(best: number, worst: number, size: number): HTMLElement {
  const drawn = h("span", { class: "draw" }, stroke(size, 1, [["lead", `M${best - 1} .5h${worst - best + 1}`]]))
  return h("span", {}, ...spoken(showRanks(best, worst), sayRanks(best, worst)), drawn)
}
