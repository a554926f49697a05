/** What every view is given: the board, the address, and links to the other views. */

import type { Board } from "./board"
import { bdi, h } from "./dom"
import type { Names } from "./names"
import type { PartRanks } from "./partranks"
import type { Address } from "./state"

export interface Context {
  board: Board
  /** Rows of the board by model; those that are not shown are outside of the page. */
  rows: ReadonlyMap<number, HTMLTableRowElement>
  names: Names
  address: Address
  /** Ranks of a part in the place of those of everything. */
  part: PartRanks | null
}

/** A link that opens a model. */
export function modelLink({ board, names, address }: Context, model: number): HTMLAnchorElement {
  const change = { model: names.modelKey(model), vs: undefined, task: undefined, why: undefined }
  return opener(address, change, board.data.models[model]!)
}

/** A link that opens a task. */
export function taskLink({ board, names, address }: Context, task: number): HTMLAnchorElement {
  const change = { task: names.taskKey(task), model: undefined, vs: undefined }
  return opener(address, change, board.data.tasks[task]!.name)
}

type Change = Parameters<Address["set"]>[0]

function opener(address: Address, change: Change, name: string): HTMLAnchorElement {
  return h("a", { class: "name", href: hrefOf(change), click: (event) => follow(event, address, change) }, bdi(name))
}

function hrefOf(change: Change): string {
  const words = new URLSearchParams()
  for (const [key, value] of Object.entries(change)) if (value) words.set(key, value)
  // The whole address: a link that begins with "#" at the top of a page is taken for a skip link.
  return `${location.href.split("#")[0]}#${words.toString()}`
}

/** Keeps the rest of the address, unless the reader wants a new window. */
function follow(event: Event, address: Address, change: Change): void {
  const mouse = event as MouseEvent
  if (mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return
  event.preventDefault()
  address.set(change)
}

export function modelLinks(context: Context, models: readonly number[]): HTMLElement {
  return h("ul", { class: "chips" }, ...models.map((model) => h("li", {}, modelLink(context, model))))
}
