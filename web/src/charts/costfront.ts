/** Score against cost, with intervals: which models may be the best for the money, and within a budget. */

import { scaleLinear, scaleLog } from "d3-scale"
import { axisTitle, sideAxis, type Scale } from "./axes"
import { key } from "./kinds"
import { shortenAll, textWidth, visible } from "./names"
import { showNumber } from "./numbers"
import { BAR, INK, MUTED, PAPER, TICK_SIZE, counted, drawing, el, emptyDrawing, hint, label, type ChartOptions, type DataTable } from "./svg"

export interface CostPoints {
  models: readonly string[]
  cost: readonly (number | null)[]
  costLow: readonly (number | null)[]
  costHigh: readonly (number | null)[]
  score: readonly (number | null)[]
  scoreLow: readonly (number | null)[]
  scoreHigh: readonly (number | null)[]
  /** On the front as observed; may be on the true one. */
  observed: readonly boolean[]
  possible: readonly boolean[]
  costName: string
  scoreName: string
  direction: "higher" | "lower"
  /** What can be spent, where somebody says so; the models that may be the best for it. */
  budget?: number | null
  within?: ReadonlySet<number>
}

const HEIGHT = 320
/** Room for a name beside its point. */
const NAME_ROOM = 170

export function costFront(input: CostPoints, options: ChartOptions): SVGSVGElement {
  const placed = [...input.models.keys()].filter((i) => input.cost[i] !== null && input.score[i] !== null)
  if (!placed.length) return emptyDrawing(options, "No model has a score and a cost.")
  const numbers = (...lists: (readonly (number | null)[])[]): number[] =>
    lists.flatMap((list) => placed.flatMap((i) => list[i] ?? []))
  const costs = numbers(input.cost)
  const isLog = Math.min(...costs) > 0 && Math.max(...costs) > 10 * Math.min(...costs)
  const spread = numbers(input.cost, input.costLow, input.costHigh).filter((value) => !isLog || value > 0)
  const heights = numbers(input.score, input.scoreLow, input.scoreHigh)
  const legend = key(
    [
      { text: "may be the best for the money", sign: (at, y) => dot(at, y, true) },
      { text: "shown dominated", sign: (at, y) => dot(at, y, false) },
      ...(input.within ? [{ text: "may be the best within the budget", sign: (at: number, y: number) => ring(at, y) }] : []),
    ],
    0, 0, options.width,
  )
  const top = legend.height + 30
  const bottom = top + HEIGHT
  const y = scaleLinear(ends(heights), input.direction === "higher" ? [bottom, top] : [top, bottom]).nice()
  const levels = y.ticks(6)
  const level = y.tickFormat(6)
  const left = Math.max(...levels.map((value) => textWidth(level(value), TICK_SIZE))) + 16
  const right = options.width - 16
  const [least, most] = ends(spread)
  const x = (isLog ? scaleLog([least, most], [left, right]) : scaleLinear([Math.min(0, least), most], [left, right])) as Scale
  const count = Math.max(2, Math.floor((right - left) / 70))
  const ticks = thinned(x.ticks(count), count)
  const inside = (value: number): number => x(Math.min(Math.max(value, x.domain()[0]!), x.domain()[1]!))
  const line = (x1: number, x2: number, y1: number, y2: number): SVGLineElement => el("line", { x1, x2, y1, y2, stroke: MUTED, "stroke-width": 1 })
  const lines: Node[] = []
  const dots: Node[] = []
  for (const i of placed) {
    const [at, height] = [inside(input.cost[i]!), y(input.score[i]!)]
    const [low, high, from, to] = [input.scoreLow[i], input.scoreHigh[i], input.costLow[i], input.costHigh[i]]
    if (known(low) && known(high)) lines.push(line(at, at, y(low), y(high)))
    if (known(from) && known(to)) lines.push(line(inside(from), inside(to), height, height))
    const mark = el("g", {}, hint(`${visible(input.models[i]!)}: ${input.costName} ${showNumber(input.cost[i]!, places(input.cost[i]!))}, ${input.scoreName} ${showNumber(input.score[i]!, places(input.score[i]!))}`))
    if (input.within?.has(i)) mark.append(ring(at, height))
    mark.append(dot(at, height, input.possible[i]!))
    dots.push(mark)
  }
  const front = placed.filter((i) => input.observed[i]).sort((a, b) => input.cost[a]! - input.cost[b]!)
  const steps = front.map((i, k) => (k ? `H${inside(input.cost[i]!)}V${y(input.score[i]!)}` : `M${inside(input.cost[i]!)} ${y(input.score[i]!)}`))
  const { budget } = input
  // Those on the front first, then those that may be best for the money: names stand where there is room for them.
  const first = [...front, ...placed.filter((i) => input.within?.has(i)), ...placed.filter((i) => input.possible[i]), ...placed]
  const points = new Map(placed.map((i): [number, Point] => [i, [inside(input.cost[i]!), y(input.score[i]!)]]))
  const short = shortenAll(input.models, NAME_ROOM, TICK_SIZE)
  const texts = namesBeside([...new Set(first)].map((i) => [points.get(i)!, short[i]!]), [left, right, top - 10, bottom])
  return drawing(
    options,
    { width: options.width, height: bottom + 44 },
    `${input.scoreName} against ${input.costName} of ${counted(placed.length, "model")}, less to the left, better upwards. ` +
      `${placed.filter((i) => input.possible[i]).length} may be the best for the money. The dotted line joins the front as observed.`,
    legend.group,
    axisTitle(0, legend.height + 10, input.scoreName),
    sideAxis("bottom", x, bottom, HEIGHT, ticks, (value) => String(Number(value.toPrecision(3)))),
    sideAxis("left", y, left, right - left, levels, level),
    ...lines,
    el("path", { d: steps.join(""), fill: "none", stroke: INK, "stroke-dasharray": "2 3" }),
    ...(known(budget) ? [el("line", { class: "budget", x1: inside(budget), x2: inside(budget), y1: top - 6, y2: bottom, stroke: INK, "stroke-width": 1.5 })] : []),
    ...dots,
    ...texts,
    axisTitle(right, bottom + 34, `${input.costName} (less is better)`, "end"),
  )
}

type Point = [x: number, y: number]

/** A name right or left of its point, above or below it, where it covers no point and no other name; otherwise none. */
function namesBeside(named: readonly (readonly [Point, string])[], [left, right, top, bottom]: readonly [number, number, number, number]): Node[] {
  type Box = [number, number, number, number]
  const taken = named.map(([[x, y]]): Box => [x - 7, y - 7, x + 7, y + 7])
  const free = ([x1, y1, x2, y2]: Box, own: Box): boolean =>
    x1 >= left && x2 <= right && y1 >= top && y2 <= bottom &&
    taken.every((box) => box === own || x2 <= box[0] || box[2] <= x1 || y2 <= box[1] || box[3] <= y1)
  return named.flatMap(([[x, y], text], k) => {
    const wide = textWidth(text, TICK_SIZE)
    const tall = TICK_SIZE + 2
    const corners: Point[] = [[x + 11, y - tall - 1], [x - 11 - wide, y - tall - 1], [x + 11, y + 1], [x - 11 - wide, y + 1], [x - wide / 2, y - tall - 10], [x - wide / 2, y + 10]]
    const own = taken[k]!
    const found = corners.map(([x1, y1]): Box => [x1, y1, x1 + wide, y1 + tall]).find((box) => free(box, own))
    if (!found) return []
    taken.push(found)
    // Lines of errors and of the front run behind the name, not through it.
    return [label(found[0], found[1] + tall / 2, text, { "font-size": TICK_SIZE, stroke: PAPER, "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" })]
  })
}

/** The numbers behind it. */
export function costFrontTable(input: CostPoints): DataTable {
  const { costName, scoreName } = input
  const ends = (name: string): string[] => [name, `${name}: low`, `${name}: high`]
  return {
    columns: ["Model", ...ends(costName), ...ends(scoreName), "may be the best for the money"],
    rows: input.models.map((model, i) => [
      model,
      ...[input.cost, input.costLow, input.costHigh, input.score, input.scoreLow, input.scoreHigh].map((list) => list[i] ?? null),
      input.cost[i] === null ? null : input.possible[i] ? "yes" : "no",
    ]),
  }
}

function known(value: number | null | undefined): value is number {
  return value !== null && value !== undefined
}

function places(value: number): number {
  return value === 0 ? 0 : Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))))
}

function ends(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return low < high ? [low, high] : [low - Math.abs(low) / 2 - 1e-9, high + Math.abs(high) / 2 + 1e-9]
}

/** A logarithmic scale has more ticks than there is room for. */
function thinned(ticks: number[], most: number): number[] {
  if (ticks.length <= most) return ticks
  const round = ticks.filter((value) => /^[125]?0*$|^0\.0*[125]$/.test(String(Number(value.toPrecision(12)))))
  return round.length > most ? round.filter((_, i) => i % Math.ceil(round.length / most) === 0) : round
}

function dot(cx: number, cy: number, filled: boolean): SVGCircleElement {
  return el("circle", { cx, cy, r: 4.5, fill: filled ? BAR : PAPER, stroke: BAR, "stroke-width": 1.5 })
}

function ring(cx: number, cy: number): SVGCircleElement {
  return el("circle", { class: "within", cx, cy, r: 8, fill: "none", stroke: INK, "stroke-width": 2 })
}
