/** Elements of the page, made from text only: no name is ever read as markup. */

type Value = string | number | boolean | null | undefined | ((event: Event) => void)

/** A new element; functions become listeners, `true` an empty attribute, false and null nothing. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Node | string | null)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, "")
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child): child is Node | string => child !== null))
  return element
}

/** A name, kept apart from the direction of the text around it. */
export function bdi(name: string): HTMLElement {
  return h("bdi", {}, name)
}

let ids = 0

/** An identifier that is new on the page. */
export function freshId(stem: string): string {
  return `${stem}-${++ids}`
}

/** Text for eyes and text for ears: "2–5", read as "ranks 2 to 5". */
export function spoken(shown: string, said: string): Node[] {
  return [h("span", { class: "hidden" }, said), h("span", { "aria-hidden": "true" }, shown)]
}

const SVG = "http://www.w3.org/2000/svg"

/** A small drawing inside a cell: paths with their classes in a stretched box. */
export function stroke(width: number, height: number, paths: [string, string][]): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`)
  svg.setAttribute("preserveAspectRatio", "none")
  svg.setAttribute("aria-hidden", "true")
  for (const [name, d] of paths) {
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("class", name)
    path.setAttribute("d", d)
    svg.append(path)
  }
  return svg
}

/** A button that opens a few things to do, made when it is opened first; Escape, or a click elsewhere, closes them. */
export function menu(name: string, fill: () => (Node | string)[]): HTMLDetailsElement {
  const inside = h("div", {})
  const made = h("details", { class: "menu" }, h("summary", {}, name), inside)
  made.addEventListener("toggle", () => {
    if (made.open && !inside.hasChildNodes()) inside.append(...fill())
  })
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return
    made.open = false
    made.querySelector("summary")?.focus()
  })
  document.addEventListener("click", (event) => {
    if (made.open && event.target instanceof Node && !made.contains(event.target)) made.open = false
  })
  return made
}

/** A select with its label above it. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  const id = freshId("choice")
  const select = h("select", { id, change: () => change(select.value) })
  for (const [key, text] of options) {
    select.append(h("option", { value: key, selected: key === value }, text))
  }
  return h("div", { class: "field-of" }, h("label", { for: id }, label), select)
}
