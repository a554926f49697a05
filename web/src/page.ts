/** Entry of the script: brings the page to life. */

import "./shared"
import { Board } from "./board"
import { boardRows, findPlaced, startBoardTable } from "./boardtable"
import { type Context, modelLink, taskLink } from "./context"
import type { PageData } from "./data"
import { h } from "./dom"
import { openAround, startFolds, whenOpened } from "./folds"
import { views } from "./later"
import { Names } from "./names"
import { startPanel } from "./panel"
import { startShare } from "./share"
import { Address } from "./state"
import { startTheme } from "./theme"
import { startTooltips } from "./tooltips"

function start(): void {
  const island = document.querySelector("#rankbars-data")
  if (!island) return
  const data = JSON.parse(island.textContent ?? "") as PageData
  const context: Context = { board: new Board(data), rows: boardRows(), names: new Names(data), address: new Address(), part: null, paint: () => {} }
  const begin = (): void => {
    startBoardTable(context)
    startShare(context)
  }
  // The script stands behind the table, which is laid out once then; the rest of the page is yet to come.
  // Ranks of a part are worked out by the second script, which stands at the end.
  if (context.address.state.on) document.addEventListener("DOMContentLoaded", begin)
  else begin()
  document.addEventListener("DOMContentLoaded", () => startRest(context))
}

function startRest(context: Context): void {
  startFolds()
  startViews(context)
  startTasks(context)
  startLinks(context)
  startTooltips()
  startPanel(context)
  // Whoever points at something may open it: the second script runs before that, not then.
  for (const place of document.querySelectorAll("#controls, #board-table")) {
    for (const type of ["pointerover", "focusin"]) place.addEventListener(type, () => setTimeout(views), { once: true })
  }
  document.documentElement.dataset["ready"] = "true"
}

/** Folds that are filled when they are opened. */
function startViews(context: Context): void {
  const fold = (selector: string, fill: (fold: HTMLElement) => void): void => {
    const found = document.querySelector<HTMLDetailsElement>(selector)
    if (found) whenOpened(found, () => fill(found))
  }
  fold("details.placed", () => findPlaced(context.address.state))
  fold("#picture", (found) => views().fillPictures(context, found))
  fold("#cost", (found) => views().fillCosts(context, found))
  fold("#explore", (found) => views().fillExplore(context, found))
}

/** Names in the table of ranks open models and tasks. */
function startTasks(context: Context): void {
  const fold = document.querySelector<HTMLDetailsElement>("#tasks")
  if (fold) whenOpened(fold, () => linkMatrix(context, fold))
}

function linkMatrix(context: Context, fold: HTMLElement): void {
  const { data } = context.board
  const table = fold.querySelector<HTMLTableElement>('table[data-matrix="ranks"]')
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
  fold.querySelector("summary")?.after(h("p", { class: "quiet" }, "Choose a task or a model to open it."))
}

/** Parts of the page are part of its state, so that the rest of the address stays. */
function startLinks({ address }: Context): void {
  startTheme()
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
  const { at, fig, out, w, a, ao } = address.state
  // What a link was made of is seen.
  if (fig) openPart("picture")
  if (out || w || a || ao) openPart("explore")
  if (!at) return
  goTo(at)
  // Drawings get their height with the first frames.
  requestAnimationFrame(() => requestAnimationFrame(() => goTo(at)))
}

function openPart(id: string): void {
  const fold = document.getElementById(id)
  if (fold) openAround(fold)
}

function goTo(id: string): void {
  const element = document.getElementById(id)
  if (!element) return
  openAround(element)
  element.scrollIntoView()
  // The keyboard goes on from there.
  const place = element.querySelector<HTMLElement>(":scope > summary") ?? element
  if (place === element && !element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1")
  place.focus({ preventScroll: true })
}

// Outside of a browser there is nothing to bring to life: see views.ts.
if (typeof document !== "undefined") start()
