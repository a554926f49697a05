/** What is shown, to take along: a card as a picture, numbers, and a fragment for another page. */

import { rankScale } from "./charts/axes"
import { csv, fileName, png, save, svgText } from "./charts/download"
import { roomFor, shortenAll, textWidth } from "./charts/names"
import { showRanks } from "./charts/numbers"
import { span } from "./charts/rankintervals"
import { type DataTable, MUTED, RULE, drawing, el, label } from "./charts/svg"
import { rankTicks } from "./charts/ticks"
import type { Context } from "./context"
import { h } from "./dom"
import { leadScores } from "./figures"
import { chosen, countShown, tasksShown } from "./pins"

const WIDE = 1200
const HIGH = 630
const EDGE = 48
const PAPER = "#ffffff"
/** Height of a row, and where that lets all of them stand on the card. */
const ROW = 28
const LOW_ROW = 24
const MOST_NAME = 460

/** What the head of the page says, as it is seen now. */
function words({ address }: Context): { title: string; field: string; sentence: string; level: string; credit: string } {
  const side = address.state.new && document.querySelector("h1 .new") ? "new" : "lead"
  const text = (selector: string): string => document.querySelector(selector)?.textContent?.replaceAll("\u2060", "").trim() ?? ""
  return {
    title: text("#title b"),
    field: text("#title .field"),
    sentence: text(`h1 .${side}`),
    level: [text(`#level .${side}`), ...[...document.querySelectorAll("#level .caution")].map((one) => one.textContent ?? "")].join(" "),
    credit: text("#credit"),
  }
}

/** Everything about the models that are shown, one line each. */
export function shownTable(context: Context): DataTable {
  const { board } = context
  const { data } = board
  const models = chosen(context)
  const columns = ["Model"]
  const parts: ((model: number) => DataTable["rows"][number])[] = []
  const add = (names: string[], cells: (model: number) => DataTable["rows"][number]): void => {
    columns.push(...names)
    parts.push(cells)
  }
  const scores = leadScores(context)
  if (scores) add([scores.scoreName, "low", "high"], (model) => [scores.score[model]!, scores.low[model]!, scores.high[model]!])
  for (const ranks of [data.leadRanks, data.newTask]) {
    if (!ranks) continue
    const name = `${ranks.title} (${ranks.words})`
    add([`${name}: best`, `${name}: worst`], (model) => [ranks.best[model]!, ranks.worst[model]!])
  }
  add(["Scored"], (model) => [data.coverage[model] ?? null])
  for (const task of tasksShown(context)) {
    const { name, claim, scoreTitle } = data.tasks[task]!
    add([`${name}: ${scoreTitle}`, `${name}: rank (${claim}): best`, `${name}: worst`], (model) => {
      const cell = board.cell(task, model)
      return [cell.mean, cell.best, cell.worst]
    })
  }
  return { columns, rows: models.map((model) => [data.models[model]!, ...parts.flatMap((part) => part(model))]) }
}

function shownJson(context: Context): string {
  const { columns, rows } = shownTable(context)
  const { title, field, sentence, level, credit } = words(context)
  const known = (cell: DataTable["rows"][number][number]): unknown => (typeof cell === "number" && !Number.isFinite(cell) ? null : cell)
  const models = rows.map((row) => Object.fromEntries(row.map((cell, i) => [columns[i]!, known(cell)])))
  const all = context.part?.order.length ?? context.board.size
  return `${JSON.stringify({ title: title || null, field, statement: sentence, level, credit, shown: rows.length, ranks_among: all, models }, null, 1)}\n`
}

/** The sentence, the rows that are shown, the title and the credit, in the size that other sites show. Always light. */
export function shareCard(context: Context): SVGSVGElement {
  const { board, address } = context
  const { data } = board
  const models = chosen(context)
  const said = words(context)
  const ranks = (address.state.new ? data.newTask : null) ?? data.leadRanks
  const parts: Node[] = []
  const write = (text: string, y: number, size: number, more: Record<string, string | number> = {}): void => {
    parts.push(label(EDGE, y, text, { "font-size": size, ...more }))
  }
  const room = WIDE - 2 * EDGE
  let y = 54
  if (said.title) {
    write(folded(said.title, room, 26, 1)[0]!, y, 26, { "font-weight": 700 })
    y += 30
  }
  write(folded(said.field, room, 19, 1)[0]!, y, 19, { fill: MUTED })
  y += 50
  for (const line of folded(said.sentence, room / 1.1, 34, 3)) {
    write(line, y, 34, { "font-weight": 700 })
    y += 42
  }
  const part = models.length < (context.part?.order.length ?? board.size) ? `${countShown(models.length, models.length, context.part?.order.length ?? board.size)}. ` : ""
  for (const line of folded(part + said.level, room, 19, 3)) {
    write(line, y, 19, { fill: MUTED })
    y += 26
  }
  y += 18
  const credit = folded(said.credit || `Made with rankbars ${data.rankbars}.`, room, 16, 2)
  const top = y + 8
  const high = HIGH - 52 - 22 * credit.length - top
  // All rows, a little closer where that is enough; else as many as there is room for, and how many more there are.
  const step = models.length * LOW_ROW <= high ? Math.min(ROW, high / models.length) : ROW
  const most = Math.max(1, Math.floor(high / step))
  const rows = models.length <= most ? models : models.slice(0, most - 1)
  const texts = rows.map((model) => data.models[model]!)
  const wide = roomFor(texts, 20, MOST_NAME)
  const left = EDGE + Math.max(170, wide + 24)
  const right = WIDE - EDGE - 90
  const lowest = rows.reduce((low, model) => Math.max(low, ranks.worst[model]!), 1)
  const last = lowest > 0.8 * board.size ? board.size : lowest
  const scale = rankScale(last, left, right)
  const end = top + step * rows.length
  for (const rank of rankTicks(last, (right - left) / 1.6)) {
    const x = scale(rank - 0.5)
    parts.push(el("line", { x1: x, x2: x, y1: top, y2: end, stroke: RULE }))
    parts.push(label(x, y - 8, String(rank), { fill: MUTED, "font-size": 16, "text-anchor": "middle" }))
  }
  write("Rank, 1 is best", y - 8, 16, { fill: MUTED })
  const names = shortenAll(texts, wide, 20)
  rows.forEach((model, i) => {
    const [best, worst] = [ranks.best[model]!, ranks.worst[model]!]
    const middle = top + step * (i + 0.5)
    write(names[i]!, middle, 20)
    parts.push(span(scale, best, worst, middle, undefined, 18))
    parts.push(label(WIDE - EDGE, middle, showRanks(best, worst), { "font-size": 20, "font-weight": 700, "text-anchor": "end" }))
  })
  if (rows.length < models.length) write(`and ${models.length - rows.length} more`, end + 16, 18, { fill: MUTED })
  credit.forEach((line, i) => write(line, HIGH - 26 - 22 * (credit.length - 1 - i), 16, { fill: MUTED }))
  return drawing({ id: "share-card", width: WIDE, title: said.title || said.field }, { width: WIDE, height: HIGH }, `${said.sentence} ${said.level}`, ...parts)
}

/** Lines of a text that fit, of about one length; the last one ends in dots where there are more. */
function folded(text: string, room: number, size: number, most: number): string[] {
  const filled = (width: number): string[] => {
    const lines: string[] = [""]
    for (const word of text.split(" ").filter(Boolean)) {
      const longer = `${lines.at(-1)} ${word}`.trim()
      if (textWidth(longer, size) <= width || !lines.at(-1)) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  }
  let lines = filled(room)
  // As narrow as as many lines allow: no word is left alone.
  for (let width = room; lines.length > 1 && lines.length <= most && width > room / 3; width -= size) {
    const narrower = filled(width)
    if (narrower.length > lines.length || narrower.some((line) => textWidth(line, size) > room)) break
    lines = narrower
  }
  const kept = lines.slice(0, most)
  const cut = lines.length > most
  return kept.map((line, i) => {
    let fits = cut && i === most - 1 ? `${line}…` : line
    while (textWidth(fits, size) > room && fits.length > 2) fits = `${fits.slice(0, -2)}…`
    return fits
  })
}

/** The card as a piece of another page: no script, nothing that is loaded. */
export function fragment(context: Context): string {
  const card = shareCard(context)
  card.setAttribute("style", "max-width:100%;height:auto")
  const drawn = svgText(card, PAPER).replace(/^<\?xml[^>]*>\s*/, "").trim()
  // A page that lies on a disk has no address for others.
  if (!location.protocol.startsWith("http")) return `<figure>${drawn}</figure>\n`
  const link = h("a", { href: location.href }, "The whole board")
  return `<figure>${drawn}<figcaption>${link.outerHTML}</figcaption></figure>\n`
}

const FILES = {
  png: (context: Context) => png(shareCard(context), PAPER, 1),
  svg: (context: Context) => new Blob([svgText(shareCard(context), PAPER)], { type: "image/svg+xml" }),
  csv: (context: Context) => new Blob(["\ufeff", csv(shownTable(context))], { type: "text/csv;charset=utf-8" }),
  json: (context: Context) => new Blob([shownJson(context)], { type: "application/json" }),
}

/** Saves what is shown as a file of some kind; its name. */
export async function saveShown(context: Context, kind: keyof typeof FILES): Promise<string> {
  const name = `${fileName(words(context).title || "leaderboard")}.${kind}`
  save(name, await FILES[kind](context))
  return name
}
