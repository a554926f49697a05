/** Every model against every other: who was shown better, and how probable it is. */

import { cellText, cursor, each, layGrid, shades, lattice } from "./cells"
import { key } from "./kinds"
import { showPercent } from "./numbers"
import { visible } from "./names"
import { BAR, MUTED, SECOND, counted, drawing, el, emptyDrawing, round, type ChartOptions, type DataTable } from "./svg"

export interface Dominance {
  /** In the order of lines and columns. */
  models: readonly string[]
  /** `[i][j]`: i was shown better than j. */
  shownBetter: readonly ArrayLike<boolean | number>[]
  /** `[i][j]`: probability that i is better than j, counted in draws. */
  probability?: readonly ArrayLike<number | null>[] | null
}

/** The matrix of pairs: lines against columns. `onSelect` gets the position of the model of the line. */
export function dominance(input: Dominance, options: ChartOptions): SVGSVGElement {
  const { models, shownBetter, probability } = input
  if (models.length < 2) return emptyDrawing(options, "Two models are needed to compare.")
  const size = models.length
  const entries = [
    { text: "Line shown better than column", sign: (x: number, y: number) => el("path", { d: up(x, y, 5), fill: BAR }) },
    { text: "Line shown worse", sign: (x: number, y: number) => el("path", { d: down(x, y, 4.5), stroke: SECOND, "stroke-width": 1.5, fill: "none" }) },
    { text: "Not told apart", sign: (x: number, y: number) => el("circle", { cx: x, cy: y, r: 1.5, fill: MUTED }) },
  ]
  const legend = key(entries, 0, 0, options.width)
  const longest = probability ? "<1 ▲" : "–"
  const grid = layGrid({ rowNames: models, columnNames: models, columns: size, options, top: legend.height, longest: probability ? longest : "m", square: true })
  const half = Math.min(5, grid.wide / 2 - 2)
  const better: string[] = []
  const worse: string[] = []
  const open: string[] = []
  const texts: Node[] = []
  const both = probability && grid.written
  each(grid, (i, j) => {
    if (i === j) return
    const x = grid.left + grid.wide * (j + (both ? 0.24 : 0.5))
    const y = grid.top + grid.high * (i + 0.5)
    if (shownBetter[i]![j]) better.push(up(x, y, both ? 4 : half))
    else if (shownBetter[j]![i]) worse.push(down(x, y, both ? 3.5 : half - 0.5))
    else open.push(dot(x, y))
    if (both) {
      const text = cellText(grid, i, j, showPercent(probability[i]![j] ?? null))
      text.setAttribute("x", String(Math.round((grid.left + grid.wide * (j + 0.62)) * 100) / 100))
      texts.push(text)
    }
  })
  const shade = probability
    ? shades(grid, (i, j) => (i === j ? null : (probability[i]![j] ?? null)), true)
    : shades(grid, (i, j) => (shownBetter[i]![j] ? 0.4 : null), true)
  const { onSelect } = options
  return drawing(
    options,
    { width: grid.width, height: grid.height, interactive: true },
    `${counted(size, "model")} in lines and the same in columns. A filled triangle: the model of the line was shown better than that of the column. ` +
      "An open triangle: it was shown worse. A dot: the two were not told apart." +
      (probability ? " The number is the probability, in percent, that the line is better; it describes the draws." : ""),
    legend.group,
    ...shade,
    lattice(grid),
    el("path", { d: better.join(""), fill: BAR }),
    el("path", { d: worse.join(""), stroke: SECOND, "stroke-width": 1.25, fill: "none" }),
    el("path", { d: open.join(""), fill: MUTED }),
    ...texts,
    ...grid.names,
    cursor(grid, says, onSelect ? (i) => onSelect(i) : undefined),
  )

  function says(i: number, j: number): string {
    const [one, two] = [visible(models[i]!), visible(models[j]!)]
    if (i === j) return one
    const verdict = shownBetter[i]![j]
      ? `${one} was shown better than ${two}`
      : shownBetter[j]![i]
        ? `${one} was shown worse than ${two}`
        : `${one} and ${two} were not told apart`
    const share = probability?.[i]![j]
    return share === null || share === undefined ? verdict : `${verdict}; better in ${showPercent(share)} % of the draws`
  }
}

/** The numbers behind it: one line per pair. */
export function dominanceTable({ models, shownBetter, probability }: Dominance): DataTable {
  const columns = ["Model", "Compared with", "Verdict"]
  if (probability) columns.push("Probability of being better")
  const rows = models.flatMap((one, i) =>
    models.flatMap((two, j) => {
      if (i === j) return []
      const verdict = shownBetter[i]![j] ? "better" : shownBetter[j]![i] ? "worse" : "not told apart"
      return [[one, two, verdict, ...(probability ? [probability[i]![j] ?? null] : [])]]
    }),
  )
  return { columns, rows }
}

function up(x: number, y: number, half: number): string {
  return `M${round(x - half)} ${round(y + half * 0.8)}L${round(x)} ${round(y - half * 0.9)}L${round(x + half)} ${round(y + half * 0.8)}z`
}

function down(x: number, y: number, half: number): string {
  return `M${round(x - half)} ${round(y - half * 0.8)}L${round(x)} ${round(y + half * 0.9)}L${round(x + half)} ${round(y - half * 0.8)}z`
}

function dot(x: number, y: number): string {
  return `M${round(x - 1.5)} ${round(y)}a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z`
}
