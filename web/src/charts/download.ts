/** Files of a picture: SVG and PNG with the colours as they are seen, and the numbers as CSV. */

import type { Cell, DataTable } from "./svg"

const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
const NAMESPACE = "http://www.w3.org/2000/svg"
const SCALE = 2 // pixels of the PNG per pixel of the page
const MOST_PIXELS = 60_000_000

// What spreadsheets take for the start of a formula, also in full width.
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Lines of comma-separated values; a text that a spreadsheet would compute gets an apostrophe in front. */
export function csv({ columns, rows }: DataTable): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("")
}

function csvCell(cell: Cell): string {
  if (cell === null) return ""
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : ""
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The drawing as a file of its own, with every variable replaced by its value here and now. */
export function svgText(svg: SVGSVGElement, background: string | null = null): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  // The words for a reader at the screen have no place in a file.
  for (const words of copy.querySelectorAll(".rb-readout, .rb-frame, .rb-hit")) words.remove()
  const style = getComputedStyle(svg)
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) {
      if (value.includes("var(")) element.setAttribute(name, resolved(value, style))
      if (/^(tabindex|class|data-|on)/.test(name)) element.removeAttribute(name)
    }
  }
  for (const frame of copy.querySelectorAll("[visibility=hidden]")) frame.remove()
  copy.setAttribute("role", "img")
  copy.setAttribute("font-family", FONTS)
  if (background !== null) {
    const paper = document.createElementNS(NAMESPACE, "rect")
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", background]] as const) paper.setAttribute(name, value)
    copy.querySelector(":scope > desc")?.after(paper)
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`
}

function resolved(value: string, style: CSSStyleDeclaration): string {
  return value.replace(/var\((--[\w-]+)(?:,\s*([^()]*))?\)/g, (_, name: string, otherwise: string | undefined) => {
    return style.getPropertyValue(name).trim() || otherwise || "currentColor"
  })
}

/** The colour behind the drawing. */
export function paperOf(svg: SVGSVGElement): string {
  return resolved("var(--rb-paper, #ffffff)", getComputedStyle(svg))
}

/** The drawing in pixels; the page must allow images from `data:`. */
export async function png(svg: SVGSVGElement, background: string, most = SCALE): Promise<Blob> {
  const [width, height] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))]
  const scale = Math.min(most, Math.sqrt(MOST_PIXELS / (width * height)))
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg, background))}`
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext("2d")
  if (!context) throw new Error("This browser cannot draw the picture; take the SVG instead.")
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob)
      else reject(new Error("This browser cannot make a PNG; take the SVG instead."))
    }, "image/png")
  })
}

/** Offer a file to the reader. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser needs the address until it has begun to save.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A name for a file: letters, digits and dashes, at most 60 of them. */
export function fileName(...parts: string[]): string {
  const name = parts
    .join("-")
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
  return [...name].slice(0, 60).join("").replace(/-+$/, "").toLowerCase() || "figure"
}
