/** Entry of the script: brings the page to life, or hands out its arithmetic where there is none. */

import { Board } from "./board"
import { startBoardTable } from "./boardtable"
import { type Context, modelLink, taskLink } from "./context"
import type { PageData } from "./data"
import { h } from "./dom"
import { recompute } from "./explore/recompute"
import { criticalValue, upperTail } from "./explore/tails"
import { exploreSection } from "./exploreview"
import { Names } from "./names"
import { startPanel } from "./panel"
import { startPictures } from "./picturesview"
import { startScope } from "./scope"
import { Address } from "./state"
import { themeButton } from "./theme"
import { startTooltips } from "./tooltips"

function start(): void {
  const island = document.querySelector("#rankbars-data")
  if (!island) return
  const data = JSON.parse(island.textContent ?? "") as PageData
  const context: Context = { board: new Board(data), names: new Names(data), address: new Address() }
  startScope(context)
  startBoardTable(context)
  startPictures(context)
  const explore = exploreSection(context)
  if (explore) document.querySelector("#picture")?.after(explore)
  startTasks(context)
  startContents(context, explore !== null)
  startTooltips()
  startPanel(context)
  document.documentElement.dataset["ready"] = "true"
}

/** Names in the table of ranks open models and tasks; folded tables of tasks give way to that. */
function startTasks(context: Context): void {
  const { data } = context.board
  const table = document.querySelector<HTMLTableElement>('table[data-matrix="ranks"]')
  if (!table) return
  const models = data.order
  const tasks = [...data.tasks.keys()]
  const rowsAreModels = table.dataset["rows"] === "models"
  const [lines, columns] = rowsAreModels ? [models, tasks] : [tasks, models]
  const link = (isModel: boolean, position: number): HTMLElement =>
    isModel ? modelLink(context, position) : taskLink(context, position)
  for (const [i, row] of [...table.tBodies[0]!.rows].entries()) {
    row.cells[0]?.querySelector("bdi")?.replaceWith(link(rowsAreModels, lines[i]!))
  }
  for (const [i, cell] of [...table.tHead!.rows[0]!.cells].slice(1).entries()) {
    const name = cell.querySelector("bdi")
    if (!name) continue
    const opener = link(!rowsAreModels, columns[i]!)
    // The short name of the column stays; the whole one is its title.
    opener.replaceChildren(name.cloneNode(true))
    opener.setAttribute("aria-label", rowsAreModels ? data.tasks[columns[i]!]!.name : data.models[columns[i]!]!)
    name.replaceWith(opener)
  }
  table.closest("section")?.querySelector("h2")?.after(h("p", { class: "quiet" }, "Choose a task or a model to open it."))
}

/** Parts of the page are part of its state, so that the rest of the address stays. */
function startContents({ address }: Context, explore: boolean): void {
  const nav = document.querySelector<HTMLElement>("#contents")
  if (!nav) return
  if (explore) {
    const link = h("a", { href: "#explore" }, "Explore")
    nav.querySelector('a[href="#picture"]')?.parentElement?.after(h("li", {}, link))
  }
  nav.append(themeButton())
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return
    const href = event.target.closest("a")?.getAttribute("href")
    if (!href || !/^#[\w-]+$/.test(href) || !document.getElementById(href.slice(1))) return
    event.preventDefault()
    address.set({ at: href.slice(1), model: undefined, vs: undefined, task: undefined })
    goTo(href.slice(1))
  })
  address.listen((state, before) => {
    if (state.at && state.at !== before.at) goTo(state.at)
  })
  const place = address.state.at
  if (!place) return
  goTo(place)
  // Drawings get their height with the first frames.
  requestAnimationFrame(() => requestAnimationFrame(() => goTo(place)))
}

function goTo(id: string): void {
  const element = document.getElementById(id)
  if (!element) return
  element.scrollIntoView()
  // The keyboard goes on from there.
  if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1")
  element.focus({ preventScroll: true })
}

// Outside of a browser the same bundle is compared with the package, number by number.
if (typeof document === "undefined") {
  Object.assign(globalThis, { rankbarsReport: { Board, recompute, criticalValue, upperTail } })
} else {
  start()
}
