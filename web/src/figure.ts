/** A chart as a figure: caption, the numbers behind it, and files to keep. */

import { csv, fileName, paperOf, png, save, svgText } from "./charts/download"
import { legible, visible } from "./charts/names"
import type { ChartOptions, DataTable } from "./charts/svg"

export interface FigureSettings {
  /** Unique in the page. */
  id: string
  title: string
  /** One or two sentences below the title: what is seen, and what it does not say. */
  caption: string
  /** Draws the chart in the room there is; called again when the room changes. */
  draw: (options: ChartOptions) => SVGSVGElement
  /** The numbers behind it; called when somebody asks for them. */
  table: () => DataTable
  /** Start of the names of its files; the title where not given. */
  file?: string
  onSelect?: (position: number) => void
  limit?: number
}

export interface Figure {
  element: HTMLElement
  /** Draw again: after a change of the data or of the theme. */
  redraw: () => void
}

const LEAST = 300
const MOST = 1200

/** A figure whose chart follows the width of its place. */
export function figure(settings: FigureSettings): Figure {
  const element = document.createElement("figure")
  element.className = "rb-figure"
  element.id = settings.id
  const caption = document.createElement("figcaption")
  const title = document.createElement("b")
  title.id = `${settings.id}-caption`
  title.textContent = legible(settings.title)
  caption.append(title, legible(settings.caption))
  const canvas = document.createElement("div")
  canvas.className = "rb-canvas"
  element.append(caption, canvas, tools(settings, canvas), dataBehind(settings))
  let drawnFor = 0
  const draw = (width: number): void => {
    drawnFor = width
    const { id, title: name, onSelect, limit } = settings
    const chart = settings.draw({
      id: `${id}-chart`,
      width,
      title: name,
      ...(onSelect ? { onSelect } : {}),
      ...(limit === undefined ? {} : { limit }),
    })
    canvas.replaceChildren(chart)
    scrolls(canvas, chart, width, title.id)
  }
  const redraw = (): void => draw(room(canvas))
  if (typeof ResizeObserver === "undefined") redraw()
  else {
    // A figure that is not shown has no width; it is drawn when it gets one.
    new ResizeObserver(() => {
      if (canvas.clientWidth > 0 && room(canvas) !== drawnFor) redraw()
    }).observe(canvas)
  }
  return { element, redraw }
}

function room(canvas: HTMLElement): number {
  return Math.min(MOST, Math.max(LEAST, canvas.clientWidth || 720))
}

/** A drawing wider than its place is scrolled, by keyboard too. */
function scrolls(canvas: HTMLElement, chart: SVGSVGElement, width: number, labelledBy: string): void {
  const wide = Number(chart.getAttribute("width")) > width
  for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-labelledby", labelledBy]] as const) {
    if (wide) canvas.setAttribute(name, value)
    else canvas.removeAttribute(name)
  }
}

function tools(settings: FigureSettings, canvas: HTMLElement): HTMLElement {
  const bar = document.createElement("div")
  bar.className = "rb-tools"
  const name = fileName(settings.file ?? settings.title)
  const said = document.createElement("span")
  said.setAttribute("role", "status")
  const chart = (): SVGSVGElement => canvas.querySelector("svg")!
  const kinds: [string, string, () => Blob | Promise<Blob>][] = [
    ["SVG", "svg", () => new Blob([svgText(chart(), paperOf(chart()))], { type: "image/svg+xml" })],
    ["PNG", "png", () => png(chart(), paperOf(chart()))],
    // The mark at the start tells spreadsheets that the text is UTF-8.
    ["CSV", "csv", () => new Blob(["\ufeff", csv(settings.table())], { type: "text/csv;charset=utf-8" })],
  ]
  for (const [label, suffix, make] of kinds) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = label
    button.setAttribute("aria-label", `Save ${legible(settings.title)} as ${label}`)
    button.title = `${name}.${suffix}`
    button.addEventListener("click", () => {
      Promise.resolve()
        .then(make)
        .then((content) => {
          save(`${name}.${suffix}`, content)
          said.textContent = `Saved as ${name}.${suffix}`
        })
        .catch((error: unknown) => {
          said.textContent = error instanceof Error ? error.message : "The file could not be made."
        })
    })
    bar.append(button)
  }
  bar.append(said)
  return bar
}

/** The table is made when it is opened: it may have a hundred thousand cells. */
function dataBehind(settings: FigureSettings): HTMLElement {
  const details = document.createElement("details")
  details.className = "rb-data"
  const summary = document.createElement("summary")
  summary.textContent = "Data behind it"
  details.append(summary)
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return
    const box = document.createElement("div")
    box.tabIndex = 0
    box.setAttribute("role", "region")
    box.setAttribute("aria-label", `Data behind ${legible(settings.title)}`)
    box.append(dataTable(settings.table(), settings.title))
    details.append(box)
  })
  return details
}

const MOST_LINES = 5000

/** A table of numbers; the first cell of a line names it. */
export function dataTable({ columns, rows }: DataTable, title: string): HTMLTableElement {
  const table = document.createElement("table")
  const caption = table.createCaption()
  const left = rows.length - MOST_LINES
  caption.textContent = legible(title) + (left > 0 ? `: the first ${MOST_LINES} lines; the CSV file has ${left} more` : "")
  const head = table.createTHead().insertRow()
  for (const column of columns) head.append(cell("th", legible(column), { scope: "col" }))
  const body = table.createTBody()
  for (const row of rows.slice(0, MOST_LINES)) {
    const line = document.createElement("tr")
    row.forEach((value, i) => {
      if (i === 0) line.append(cell("th", visible(String(value ?? "–")), { scope: "row" }))
      else if (typeof value === "number") line.append(cell("td", Number.isFinite(value) ? String(value) : "–", { class: "rb-value" }))
      else line.append(cell("td", visible(value ?? "–"), {}))
    })
    body.append(line)
  }
  return table
}

function cell(tag: "td" | "th", text: string, attributes: Record<string, string>): HTMLTableCellElement {
  const element = document.createElement(tag)
  element.textContent = text
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}
