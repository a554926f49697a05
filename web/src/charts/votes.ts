/** Votes: how many each pair got, how far neighbours are apart, and what was looked at. */

import { axisTitle, numberAxis } from "./axes"
import { cellText, cursor, each, lattice, layGrid, shades } from "./cells"
import { showNumber, showShortCount } from "./numbers"
import { shorten, shortenAll, textWidth, visible, wrap } from "./names"
import { trackBetween, valueScale, whisker } from "./panels"
import { footRoom, layRows, leftOut, row } from "./rows"
import { BAR, INK, LABEL_SIZE, MUTED, PAPER, SECOND, TICK_SIZE, boxes, counted, drawing, el, emptyDrawing, hint, label, type ChartOptions, type DataTable } from "./svg"

export interface VotesPerPair {
  /** In the order of lines and columns. */
  models: readonly string[]
  /** `[i][j]`: votes between i and j, ties included; symmetric. */
  votes: readonly ArrayLike<number>[]
}

/** Votes of every pair; shades and squares grow with the logarithm of the number. */
export function votesPerPair({ models, votes }: VotesPerPair, options: ChartOptions): SVGSVGElement {
  if (models.length < 2) return emptyDrawing(options, "Two models are needed for votes.")
  const size = models.length
  const most = votes.reduce((top, line) => Array.from(line).reduce((a, b) => Math.max(a, b), top), 1)
  const share = (i: number, j: number): number => Math.log1p(votes[i]![j]!) / Math.log1p(most)
  const grid = layGrid({ rowNames: models, columnNames: models, columns: size, options, top: 22, longest: "999k", square: true })
  const marks: Node[] = []
  if (grid.written) {
    marks.push(...shades(grid, (i, j) => (i === j ? null : share(i, j))), lattice(grid))
    each(grid, (i, j) => {
      if (i !== j) marks.push(cellText(grid, i, j, votes[i]![j] === 0 ? "0" : showShortCount(votes[i]![j]!)))
    })
  } else {
    const squares: [number, number, number, number][] = []
    const none: [number, number, number, number][] = []
    const side = Math.min(grid.wide, grid.high) - 2
    each(grid, (i, j) => {
      if (i === j) return
      const half = Math.max(0.75, (side * share(i, j)) / 2)
      const [x, y] = [grid.left + grid.wide * (j + 0.5), grid.top + grid.high * (i + 0.5)]
      if (votes[i]![j] === 0) none.push([x - 3, y - 0.75, 6, 1.5])
      else squares.push([x - half, y - half, 2 * half, 2 * half])
    })
    marks.push(el("path", { d: boxes(squares), fill: BAR }), el("path", { d: boxes(none), fill: SECOND }))
  }
  const total = votes.reduce((sum, line) => sum + Array.from(line).reduce((a, b) => a + b, 0), 0) / 2
  const pairs = (size * (size - 1)) / 2
  const without = votes.reduce((count, line, i) => count + Array.from(line).filter((n, j) => j > i && n === 0).length, 0)
  return drawing(
    options,
    { width: grid.width, height: grid.height, interactive: true },
    `${counted(size, "model")} in lines and the same in columns. ${counted(Math.round(total), "vote")} in all; ` +
      `${without} of ${counted(pairs, "pair")} have none.`,
    axisTitle(0, 8, shorten(grid.written ? "Votes of each pair" : "Votes of each pair (squares: the larger, the more; a dash: none)", options.width, TICK_SIZE)),
    ...marks,
    ...grid.names,
    cursor(grid, (i, j) =>
      i === j ? visible(models[i]!) : `${visible(models[i]!)} and ${visible(models[j]!)}: ${counted(votes[i]![j]!, "vote")}`,
    ),
  )
}

/** The numbers behind it: one line per pair. */
export function votesPerPairTable({ models, votes }: VotesPerPair): DataTable {
  const rows = models.flatMap((one, i) => models.flatMap((two, j) => (j > i ? [[one, two, votes[i]![j]!]] : [])))
  return { columns: ["Model", "Other model", "Votes"], rows }
}

export interface Neighbours {
  /** Two models next to each other in the order, from the top. */
  pairs: readonly {
    ahead: string
    behind: string
    /** Difference of the two ratings, and its standard error. */
    difference: number
    se: number
    /** Further votes between the two that would show the difference; 0 where these are enough, null where none can be named. */
    votes: number | null
  }[]
  /** Unit of the difference: "Elo points", "log odds". */
  unit: string
  /** Standard errors to either side. */
  z: number
}

/** How far each model is ahead of the next one, and what it would take to show it. */
export function neighbours({ pairs, unit, z }: Neighbours, options: ChartOptions): SVGSVGElement {
  if (pairs.length === 0) return emptyDrawing(options, "There are no neighbours to draw.")
  const names = pairs.map(({ ahead, behind }) => `${visible(ahead)} / ${visible(behind)}`)
  const needs = pairs.map(({ votes }) => (votes === 0 ? "enough" : votes === null || !Number.isFinite(votes) ? "–" : showShortCount(votes)))
  const longer = pairs.map(({ ahead, behind }) => (textWidth(visible(ahead), LABEL_SIZE) > textWidth(visible(behind), LABEL_SIZE) ? ahead : behind))
  const rows = layRows({ names: longer, options, top: 44, numbers: needs, step: 38 })
  const labels = [shortenAll(pairs.map(({ ahead }) => ahead), rows.room, LABEL_SIZE), shortenAll(pairs.map(({ behind }) => behind), rows.room, LABEL_SIZE)]
  const low = pairs.map(({ difference, se }) => difference - z * se)
  const high = pairs.map(({ difference, se }) => difference + z * se)
  const scale = valueScale([0, ...low, ...high], rows.left, rows.right)
  const zero = scale(0)
  const groups = pairs.slice(0, rows.count).map((pair, i) => {
    const open = !(pair.votes === 0)
    const y = rows.y(i)
    const says = `ahead by ${showNumber(pair.difference, 2)} ${unit} (${showNumber(low[i]!, 2)} to ${showNumber(high[i]!, 2)})` + (!open ? "; the votes are enough" : needs[i] === "–" ? "; no number of votes can be named" : `; about ${needs[i]} more votes would show it`)
    const marks = whisker(scale, y, pair.difference, low[i], high[i], open ? SECOND : BAR)
    // An open ring: the votes are not enough.
    if (open) marks.push(el("circle", { cx: scale(pair.difference), cy: y, r: 2.25, fill: PAPER }))
    const both = { name: names[i]!, says, number: needs[i]!, labels: [labels[0]![i]!, labels[1]![i]!] as const }
    return row(rows, i, both, trackBetween(rows.left, rows.right, y), ...marks)
  })
  return drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(pairs.length, rows) },
    `${counted(pairs.length, "pair")} of neighbours, from the top of the order: by how much the first is ahead of the second, in ${unit}. ` +
      "Filled dots: the votes are enough. Rings: they are not; the number is how many more votes between the two would show the difference, if it is the true one.",
    axisTitle(rows.left, 8, shorten(`Ahead by, in ${unit}`, rows.right - rows.left - 10, TICK_SIZE)),
    axisTitle(rows.numbers, 8, "More votes", "end"),
    numberAxis(scale, rows.top, rows.bottom),
    el("line", { x1: zero, x2: zero, y1: rows.top - 4, y2: rows.bottom, stroke: INK, "stroke-dasharray": "4 3" }),
    ...groups,
    ...leftOut(pairs.length, rows, "pair"),
  )
}

/** The numbers behind it. */
export function neighboursTable({ pairs, unit }: Neighbours): DataTable {
  return {
    columns: ["Ahead", "Behind", `Difference (${unit})`, "Standard error", "More votes needed"],
    rows: pairs.map(({ ahead, behind, difference, se, votes }) => [ahead, behind, difference, se, votes !== null && Number.isFinite(votes) ? votes : null]),
  }
}

export interface Health {
  findings: readonly {
    /** What was looked at, in a word or two. */
    name: string
    /** What it comes down to, ready to show; null where there is no number. */
    value: string | null
    sentence: string
    /** Whether it should make the reader careful. */
    concern: boolean
  }[]
}

/** Everything that was looked at, with a sign: a tick where all is well, a mark of attention where not. */
export function health({ findings }: Health, options: ChartOptions): SVGSVGElement {
  if (findings.length === 0) return emptyDrawing(options, "Nothing was looked at.")
  const indent = 30
  const lineHeight = 17
  let y = 6
  const groups = findings.map(({ name, value, sentence, concern }) => {
    const title = visible(value === null ? name : `${name}: ${value}`)
    const group = el("g", { class: "rb-finding" }, hint(visible(sentence)))
    group.append(concern ? warning(10, y + 9) : tick(10, y + 9))
    group.append(label(indent, y + 9, shorten(title, options.width - indent, 13), { "font-size": 13, "font-weight": 600 }))
    const lines = wrap(visible(sentence), Math.min(options.width - indent, 760), LABEL_SIZE)
    lines.forEach((text, i) => group.append(label(indent, y + 9 + lineHeight * (i + 1) + 2, text, { fill: MUTED })))
    y += lineHeight * (lines.length + 1) + 16
    return group
  })
  const concerns = findings.filter(({ concern }) => concern).length
  return drawing(
    options,
    { width: options.width, height: y },
    `${counted(findings.length, "thing")} looked at; ${concerns === 0 ? "none" : concerns} should make the reader careful. ` +
      findings.map(({ sentence }) => visible(sentence)).join(" "),
    ...groups,
  )
}

/** The numbers behind it. */
export function healthTable({ findings }: Health): DataTable {
  return {
    columns: ["Looked at", "Value", "Be careful", "What it means"],
    rows: findings.map(({ name, value, sentence, concern }) => [name, value, concern ? "yes" : "no", sentence]),
  }
}

function tick(x: number, y: number): SVGGElement {
  return el(
    "g",
    {},
    el("circle", { cx: x, cy: y, r: 8, fill: "none", stroke: BAR, "stroke-width": 1.5 }),
    el("path", { d: `M${x - 4} ${y}l3 3.5l5 -6.5`, fill: "none", stroke: BAR, "stroke-width": 2 }),
  )
}

function warning(x: number, y: number): SVGGElement {
  return el(
    "g",
    {},
    el("path", { d: `M${x} ${y - 8.5}L${x + 9.5} ${y + 7.5}H${x - 9.5}z`, fill: "none", stroke: SECOND, "stroke-width": 1.75, "stroke-linejoin": "round" }),
    el("path", { d: `M${x} ${y - 3}v5M${x} ${y + 4}v1.6`, stroke: SECOND, "stroke-width": 2 }),
  )
}
