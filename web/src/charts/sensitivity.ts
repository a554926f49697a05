/** What the error rate costs: width of the new-task intervals against it. */

import { line, curveStepAfter } from "d3-shape"
import { scaleLinear } from "d3-scale"
import { axisTitle, sideAxis } from "./axes"
import { key, kinds, mark } from "./kinds"
import { shorten, textWidth, visible } from "./names"
import { INK, LABEL_SIZE, TICK_SIZE, counted, drawing, el, emptyDrawing, hint, label, type ChartOptions, type DataTable } from "./svg"
import { showNumber } from "./numbers"

export interface Sensitivity {
  /** Error rates, rising. */
  alphas: readonly number[]
  /** One line each: the mean width over models at every error rate; null where there is no interval. */
  series: readonly { name: string; width: readonly (number | null)[] }[]
  /** The published error rate. */
  alpha: number
  /** Largest width possible: number of models − 1. */
  most: number
}

const DASHES = [null, "7 4", "2 3", "9 3 2 3", "12 3"]
const HEIGHT = 260

/** Mean width of the intervals against the error rate; each line has its own dash, mark and name. */
export function sensitivity(input: Sensitivity, options: ChartOptions): SVGSVGElement {
  const { alphas, series } = input
  if (alphas.length === 0 || series.length === 0) return emptyDrawing(options, "There are no error rates to draw.")
  const styles = kinds(series.map(({ name }) => name))
  const legend = key(
    series.map(({ name }, k) => ({
      text: name,
      sign: (x, y) => el("g", {}, stroke(`M${x - 9} ${y}h18`, k), mark(styles[k]!, x, y, 40)),
    })),
    0,
    0,
    options.width,
  )
  const top = legend.height + 30
  const left = textWidth(String(input.most), TICK_SIZE) + 16
  const right = options.width - 16
  const bottom = top + HEIGHT
  const x = scaleLinear([0, Math.max(...alphas, input.alpha)], [left, right])
  const y = scaleLinear([0, Math.max(input.most, 1)], [bottom, top])
  const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 60)))
  const marks: Node[] = []
  series.forEach(({ width }, k) => {
    const points = alphas.flatMap((alpha, i) => (Number.isFinite(width[i] ?? NaN) ? [[alpha, width[i]!] as [number, number]] : []))
    const path = line().x(([a]) => x(a)).y(([, w]) => y(w)).curve(curveStepAfter).digits(2)(points)
    if (path) marks.push(stroke(path, k))
    const every = Math.max(1, Math.ceil(points.length / Math.max(4, (right - left) / 40)))
    points.forEach(([alpha, value], i) => {
      const dot = el("g", {}, hint(`${visible(series[k]!.name)}: error rate ${alpha}, mean width ${showNumber(value, 1)}`))
      dot.append(i % every === 0 ? mark(styles[k]!, x(alpha), y(value), 40) : el("circle", { cx: x(alpha), cy: y(value), r: 6, fill: "transparent" }))
      marks.push(dot)
    })
  })
  const here = x(input.alpha)
  const words = shorten(`published: ${input.alpha}`, right - left, LABEL_SIZE)
  const before = here + textWidth(words, LABEL_SIZE) + 8 > right
  return drawing(
    options,
    { width: options.width, height: bottom + 44 },
    `Mean width of the rank intervals for a new task against their error rate, ${counted(series.length, "line")}. ` +
      `${said(input)} The published error rate is ${input.alpha}. A larger error rate gives narrower intervals that fail more often.`,
    legend.group,
    axisTitle(0, legend.height + 10, "Mean width (worst − best)"),
    sideAxis("bottom", x, bottom, HEIGHT, ticks, (value) => String(Math.round(value * 1e6) / 1e6)),
    sideAxis("left", y, left, right - left, y.ticks(6).filter(Number.isInteger), String),
    el("line", { x1: here, x2: here, y1: top - 6, y2: bottom, stroke: INK, "stroke-dasharray": "2 2" }),
    label(before ? here - 5 : here + 5, top - 4, words, { "text-anchor": before ? "end" : "start", "font-size": TICK_SIZE, "font-weight": 600 }),
    ...marks,
    axisTitle(right, bottom + 34, "Error rate of the new-task intervals", "end"),
  )

  function stroke(d: string, k: number): SVGPathElement {
    return el("path", { d, fill: "none", stroke: styles[k]!.color, "stroke-width": 2, "stroke-dasharray": DASHES[k % DASHES.length] })
  }
}

/** The numbers behind it. */
export function sensitivityTable({ alphas, series }: Sensitivity): DataTable {
  return {
    columns: ["Error rate", ...series.map(({ name }) => `${name}: mean width`)],
    rows: alphas.map((alpha, i) => [alpha, ...series.map(({ width }) => width[i] ?? null)]),
  }
}

function said({ alphas, series, alpha }: Sensitivity): string {
  const i = alphas.findIndex((value) => Math.abs(value - alpha) < 1e-12)
  if (i < 0) return ""
  return series.map(({ name, width }) => `${visible(name)}: mean width ${showNumber(width[i] ?? null, 1)} at ${alpha}.`).join(" ")
}
