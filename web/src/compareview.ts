/** Two models: the difference on the average and on every task, and what it takes to tell them apart. */

import { type PairCell, compareLine, taskNoun, unitNoun } from "./board"
import { type Context, taskLink } from "./context"
import { bdi, h } from "./dom"
import { signTest } from "./explore/averages"
import { tooFew } from "./explore/averages"
import { countedStatistic } from "./explore/countedlaw"
import { averageOf } from "./explore/recompute"
import { FEWEST_ROWS } from "./explore/skewness"
import { criticalValue } from "./explore/tails"
import { MISSING, count, level, plural, showNumber, showRanks, signed, suitableDecimals } from "./numbers"

const POWER = 0.8
const MEAN_TESTS = new Set(["t", "corrected_t", "cluster_t", "two_way", "z", "welch"])

interface Tested {
  half: number
  verdict: "better" | "worse" | "cannot tell"
  detectable: number
  /** How many times as many rows would tell the two apart, were the difference as seen. */
  times: number
}

export function compareView(context: Context, one: number, two: number): HTMLElement {
  const { board } = context
  const { data } = board
  const [a, b] = [data.models[one]!, data.models[two]!]
  const body = h("div", {})
  body.append(sentence(context, one, two))
  const whole = data.lead === "aggregate" ? averageSentence(context, one, two) : null
  if (whole) body.append(whole)
  if (board.hasPairs) {
    body.append(taskTable(context, one, two), ...footnotes(context, a, b))
  } else {
    body.append(commandLine(context, one, two))
  }
  return body
}

/** What the board itself says about the two; it holds for all pairs at once. */
function sentence({ board }: Context, one: number, two: number): HTMLElement {
  const [a, b] = [bdi(board.data.models[one]!), bdi(board.data.models[two]!)]
  const line = h("p", { class: "verdict" })
  if (board.data.lead === "new_task") line.append("This board makes no statement about single pairs.")
  else if (board.shown[one * board.size + two]) line.append(a, " was shown better than ", b, ".")
  else if (board.shown[two * board.size + one]) line.append(b, " was shown better than ", a, ".")
  else line.append(a, " and ", b, " are not told apart.")
  line.append(" ", h("small", { class: "quiet" }, "(Board statement: all pairs at once.)"))
  return line
}

function averageSentence({ board }: Context, one: number, two: number): HTMLElement | null {
  const { data, size } = board
  const rule = data.explore.average
  if (!rule || !data.average) return null
  const weights = data.tasks.map((task) => task.weight)
  const tasks = [...data.tasks.keys()].filter((task) => weights[task]! > 0)
  const average = averageOf(board, tasks, weights)
  if (!average) return null
  const [i, j] = [average.present.indexOf(one), average.present.indexOf(two)]
  if (tooFew(average, rule.correction)) {
    return h("p", {}, `Fewer than ${FEWEST_ROWS} ${unitNoun(data)} count in the average, too few for an interval of the difference.`)
  }
  if (i < 0 || j < 0) return h("p", {}, "One of the two has no score on some task, so they have no average to compare.")
  const { contrasts } = average
  const at = i * contrasts.size + j
  const df = typeof contrasts.df === "number" ? contrasts.df : contrasts.df[at]!
  const pair = { difference: contrasts.difference[at]!, se: contrasts.se[at]!, df, n: tasks.length }
  const found = test(pair, rule.alpha, contrasts.statistic[at]!)
  const decimals = suitableDecimals([pair.difference], [found.half])
  const unit = data.average.unit === "rank" ? "mean ranks (positive: better ranks)" : data.average.words
  const text =
    `On the average, the difference is ${signed(pair.difference, decimals)}` +
    (Number.isFinite(found.half)
      ? ` [${signed(pair.difference - found.half, decimals)}, ${signed(pair.difference + found.half, decimals)}] at ${level(rule.alpha)} for this pair alone`
      : "") +
    `, in ${unit}. `
  const shows = Number.isFinite(found.detectable)
    ? `The smallest true difference that these data would show in 80\u00a0% of repetitions: ${showNumber(found.detectable, decimals)}.`
    : ""
  return size > 1 ? h("p", {}, text + shows) : null
}

/** Of a model and any other one, on what the board shows first: the difference, and how much would tell them apart. */
export function settling({ board }: Context, one: number): ((two: number) => { difference: string; needs: string }) | null {
  const { data } = board
  if (!board.hasPairs || data.lead === "new_task") return null
  const said = (pair: PairCell | null, alpha: number, noun: string, still?: number): { difference: string; needs: string } => {
    if (!pair || !Number.isFinite(pair.difference)) return { difference: MISSING, needs: "no common rows" }
    const found = test(pair, alpha, still)
    const decimals = suitableDecimals([pair.difference], [found.half])
    const apart = found.verdict !== "cannot tell"
    const range = Number.isFinite(found.half) ? ` ±${showNumber(found.half, decimals, [])}` : ""
    return {
      difference: signed(pair.difference, decimals) + range,
      needs: apart ? "apart as a single pair, not with all pairs at once" : needs(pair, found, noun),
    }
  }
  if (data.lead === "task") {
    const task = data.tasks[0]!
    return (two) => said(board.pair(0, one, two), task.alpha, taskNoun(task))
  }
  const rule = data.explore.average
  if (!rule || !data.average) return null
  const weights = data.tasks.map((task) => task.weight)
  const tasks = [...data.tasks.keys()].filter((task) => weights[task]! > 0)
  const average = averageOf(board, tasks, weights)
  if (!average || tooFew(average, rule.correction)) return null
  const { contrasts, present } = average
  const nouns = new Set(tasks.map((task) => taskNoun(data.tasks[task]!)))
  const { over } = data.average
  // Rows that several tasks share are counted once.
  const own = new Map(tasks.map((task) => [board.sharedRows(task) ?? task, data.tasks[task]!.n]))
  const items = [...own.values()].reduce((sum, n) => sum + n, 0)
  const families = new Set(tasks.map((task) => data.tasks[task]!.family)).size
  const n = over === "items" ? items : over === "tasks" ? tasks.length : families
  const noun = over !== "items" ? over : nouns.size === 1 ? [...nouns][0]! : "rows"
  return (two) => {
    const [i, j] = [present.indexOf(one), present.indexOf(two)]
    if (i < 0 || j < 0) return said(null, rule.alpha, noun)
    const at = i * contrasts.size + j
    const df = typeof contrasts.df === "number" ? contrasts.df : contrasts.df[at]!
    const pair = { difference: contrasts.difference[at]!, se: contrasts.se[at]!, df, n, ahead: null, behind: null, binary: false }
    return said(pair, rule.alpha, noun, contrasts.statistic[at]!)
  }
}

function taskTable(context: Context, one: number, two: number): HTMLElement {
  const { board } = context
  const { tasks, models } = board.data
  const rows = tasks.map((_, task) => taskRow(context, task, one, two))
  const heads = ["Task", "Rank of A", "Rank of B", "Difference", "Ahead on", "Would show", "To tell them apart"]
  const alphas = new Set(tasks.map((task) => task.alpha))
  const note = tasks.some((task) => task.approximate) ? "interval, approximate" : alphas.size === 1 ? `${level([...alphas][0]!)} interval` : "interval"
  return h(
    "div",
    {},
    h("p", { class: "numbers" }, "A is ", bdi(models[one]!), ", B is ", bdi(models[two]!), ". Differences are A minus B, signed so that + favours A."),
    h(
      "div",
      { class: "scroll", role: "group", "aria-label": "Differences on each task", tabindex: "0" },
      h(
        "table",
        { class: "numbers answers" },
        h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text, text === "Difference" ? h("small", {}, note) : text === "Ahead on" ? h("small", {}, "A : B") : null)))),
        h("tbody", {}, ...rows),
      ),
    ),
  )
}

function taskRow(context: Context, task: number, one: number, two: number): HTMLElement {
  const { board } = context
  const data = board.data.tasks[task]!
  const pair = board.pair(task, one, two)
  const [mine, yours] = [board.cell(task, one), board.cell(task, two)]
  const cells: (Node | string)[] = [showRanks(mine.best, mine.worst), showRanks(yours.best, yours.worst)]
  if (!pair || Number.isNaN(pair.difference)) cells.push(MISSING, MISSING, MISSING, "no common rows")
  else {
    const found = test(pair, data.alpha)
    const decimals = suitableDecimals([pair.difference], [found.half])
    const range = Number.isFinite(found.half)
      ? ` [${signed(pair.difference - found.half, decimals)}, ${signed(pair.difference + found.half, decimals)}]`
      : ""
    cells.push(
      signed(pair.difference, decimals) + range,
      pair.ahead === null || pair.behind === null ? MISSING : `${count(pair.ahead)} : ${count(pair.behind)}`,
      showNumber(found.detectable, decimals),
      needs(pair, found, data.kind === "votes" ? "votes" : taskNoun(data)),
    )
  }
  return h("tr", {}, h("th", { scope: "row" }, taskLink(context, task)), ...cells.map((cell) => h("td", {}, cell)))
}

function needs(pair: PairCell, found: Tested, noun: string): string {
  if (found.verdict !== "cannot tell") return `already apart: A is ${found.verdict}`
  if (pair.difference === 0) return "no difference seen"
  if (!Number.isFinite(found.times)) return MISSING
  if (!(pair.n > 0)) return `${showNumber(found.times, found.times < 10 ? 1 : 0)} times as many`
  const rows = pair.n * found.times
  const shown = rows < 1e7 ? count(Number(rows.toPrecision(2))) : "over ten million"
  return `about ${shown} ${noun}`
}

/** The test of one pair by itself, two-sided; what is constant counts like a sign test. */
function test(
  pair: PairCell | { difference: number; se: number; df: number; n: number },
  alpha: number,
  still = constant(pair),
): Tested {
  const critical = criticalValue(alpha / 2, pair.df)
  const spread = pair.se > 0 && pair.df > 0
  const statistic = !spread ? still : "binary" in pair ? countedStatistic(pair) : pair.difference / pair.se
  const size = Math.abs(pair.difference)
  const usual = spread ? critical * pair.se : NaN
  // The interval says no more than the verdict.
  const half = usual >= size === Math.abs(statistic) >= critical ? size : usual
  const reach = critical + criticalValue(1 - POWER, pair.df)
  return {
    half,
    verdict: statistic >= critical ? "better" : -statistic >= critical ? "worse" : "cannot tell",
    detectable: spread ? reach * pair.se : NaN,
    times: spread ? ((reach * pair.se) / Math.abs(pair.difference)) ** 2 : NaN,
  }
}

function constant(pair: { difference: number; n: number; df: number }): number {
  if (pair.difference === 0 || !(pair.n >= 2)) return 0
  return Math.sign(pair.difference) * signTest(pair.n, pair.df)
}

function footnotes({ board }: Context, a: string, b: string): HTMLElement[] {
  const { tasks } = board.data
  const binary = board.data.pairs?.every((pairs) => pairs?.binary) ?? false
  const votes = tasks.every((task) => task.kind === "votes")
  const lines = [
    votes
      ? "Ahead on: votes between the two that A, and B, won."
      : binary
      ? "Ahead on: rows that only A, and only B, got right; rows that both or neither got right say nothing about which is better."
      : "Ahead on: rows on which A, and B, did better.",
    "Would show: the smallest true difference that such data would show in 80\u00a0% of repetitions.",
    "To tell them apart: rows it would take to show a true difference as large as the one seen, in 80\u00a0% of repetitions. The one seen is uncertain, so this is a rough guide.",
  ]
  if (tasks.length > 1) {
    const alpha = Math.max(...tasks.map((task) => task.alpha))
    lines.push(
      `Each interval and verdict stands by itself: with ${plural(tasks.length, "task")} there are as many chances of an error of ${tasks.some((task) => task.approximate) ? "about " : ""}${showNumber(100 * alpha, 1).replace(/\.0$/, "")}\u00a0%.`,
    )
  }
  const others = new Set(tasks.filter((task) => !MEAN_TESTS.has(task.test)).map((task) => task.test))
  if (others.size) {
    lines.push(
      `The rank intervals come from another test (${[...others].join(", ")}); differences and verdicts here are about means.`,
    )
  }
  if (a === b) lines.push("The two names look alike but are not the same.")
  return [h("p", { class: "quiet" }, lines.join(" "))]
}

function commandLine({ board }: Context, one: number, two: number): HTMLElement {
  const text = compareLine(board.data, one, two)
  const said = h("span", { role: "status", class: "quiet" })
  const copy = h("button", { type: "button", class: "quietly" }, "Copy")
  copy.addEventListener("click", () => {
    navigator.clipboard?.writeText(text).then(
      () => (said.textContent = "Copied."),
      () => (said.textContent = "Please select and copy the line."),
    )
  })
  return h(
    "div",
    {},
    h("p", {}, "This page does not hold the differences of single pairs. This command shows them:"),
    h("div", { class: "copied" }, h("code", { class: "line" }, text), copy, said),
  )
}

