/** Is a new task like these plausible? Share of left-out tasks that the others foresaw. */

import { axisTitle, numberAxis } from "./axes"
import { key, kinds, mark } from "./kinds"
import { showPercent } from "./numbers"
import { valueScale } from "./panels"
import { chooseRows, footRoom, layRows, leftOut as more, row, track } from "./rows"
import { INK, counted, drawing, el, emptyDrawing, type ChartOptions, type DataTable } from "./svg"

export interface LeftOut {
  models: readonly string[]
  /** One entry per unit that was left out: tasks, and families where they are known. */
  series: readonly {
    name: string
    share: readonly number[]
    low: readonly number[]
    high: readonly number[]
  }[]
  /** Share to be expected at least, if tasks are alike. */
  expected: number
}

/** Share of left-out units inside the interval made from the others, with its limits, per model. */
export function leftOut(input: LeftOut, options: ChartOptions): SVGSVGElement {
  const { models, series, expected } = input
  if (models.length === 0 || series.length === 0) return emptyDrawing(options, "Nothing was left out.")
  const styles = kinds(series.map(({ name }) => name))
  const entries = styles.map((kind) => ({ text: `Left out: ${kind.name}`, sign: (x: number, y: number) => mark(kind, x, y) as Node }))
  entries.push({ text: `Expected: ${showPercent(expected)} % or more`, sign: (x, y) => el("path", { d: `M${x} ${y - 7}v14`, stroke: INK, "stroke-dasharray": "4 3", "stroke-width": 1.5 }) })
  const legend = key(entries, 0, 0, options.width)
  const numbers = series[0]!.share.map((share) => `${showPercent(share)} %`)
  const rows = layRows({ names: models, options, top: legend.height + 44, numbers, step: 12 + 12 * series.length })
  const scale = valueScale([], rows.left, rows.right, [0, 1])
  const groups = models.slice(0, rows.count).map((name, i) => {
    const marks: Node[] = [track(rows, i)]
    series.forEach(({ share, low, high }, k) => {
      const y = rows.y(i) + 12 * (k - (series.length - 1) / 2)
      const kind = styles[k]!
      marks.push(el("line", { x1: scale(low[i]!), x2: scale(high[i]!), y1: y, y2: y, stroke: kind.color, "stroke-width": 2 }))
      marks.push(mark(kind, scale(share[i]!), y))
    })
    const says = series
      .map(({ name: unit, share, low, high }) => `${unit}: ${showPercent(share[i]!)} % inside (${showPercent(low[i]!)} to ${showPercent(high[i]!)} %)`)
      .join("; ")
    return row(rows, i, { name, says, number: numbers[i]! }, ...marks)
  })
  const at = scale(expected)
  const svg = drawing(
    options,
    { width: options.width, height: rows.bottom + footRoom(models.length, rows), interactive: options.onSelect !== undefined },
    `${counted(models.length, "model")}, one line each: the share of left-out ${series.map(({ name }) => name).join(" and ")} whose interval lies inside the one made from the others, ` +
      `with 95 % limits. If tasks are alike, ${showPercent(expected)} % or more should lie inside; the dashed line stands there.`,
    legend.group,
    axisTitle(rows.left, legend.height + 8, "Share inside, percent"),
    numberAxis(scale, rows.top, rows.bottom, (value) => String(Math.round(value * 100))),
    el("line", { x1: at, x2: at, y1: rows.top - 4, y2: rows.bottom, stroke: INK, "stroke-dasharray": "4 3", "stroke-width": 1.5 }),
    ...groups,
    ...more(models.length, rows, "model"),
  )
  chooseRows(svg, groups, groups.map((_, i) => i), options.onSelect)
  return svg
}

/** The numbers behind it. */
export function leftOutTable({ models, series }: LeftOut): DataTable {
  return {
    columns: ["Model", ...series.flatMap(({ name }) => [`${name}: share inside`, `${name}: low`, `${name}: high`])],
    rows: models.map((model, i) => [model, ...series.flatMap(({ share, low, high }) => [share[i]!, low[i]!, high[i]!])]),
  }
}
