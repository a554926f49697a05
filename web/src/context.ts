/** What every view is given: the board, the address, and links to the other views. */

import type { Board } from "./board"
import { bdi, h } from "./dom"
import type { Names } from "./names"
import type { PartRanks } from "./partranks"
import type { Address } from "./state"

export interface Context {
  board: Board
  /** Rows of the board by model; those that are not shown are outside of the page. What they say may be of before: see rowOf. */
  rows: ReadonlyMap<number, HTMLTableRowElement>
  /** Writes into a row what it is about now. */
  paint: (model: number) => void
  names: Names
  address: Address
  /** Ranks of a part in the place of those of everything. */
  part: PartRanks | null
}

/** The row of a model, as it is now. */
export function rowOf({ rows, paint }: Context, model: number): HTMLTableRowElement | undefined {
  paint(model)
  return rows.get(model)
}

/** A link that opens a model. */
export function modelLink(context: Context, model: number): HTMLAnchorElement {
  return opener(context, modelChange(context, model), context.board.data.models[model]!)
}

/** A link that opens a task. */
export function taskLink(context: Context, task: number): HTMLAnchorElement {
  const change = { task: context.names.taskKey(task), model: undefined, vs: undefined }
  return opener(context, change, context.board.data.tasks[task]!.name)
}

type Change = Parameters<Address["set"]>[0]

/** What opens a model in the address. */
export function modelChange({ names }: Context, model: number): Change {
  return { model: names.modelKey(model), vs: undefined, task: undefined, why: undefined }
}

function opener({ address }: Context, change: Change, name: string): HTMLAnchorElement {
  return h("a", { class: "name", href: hrefOf(change), click: (event) => follow(event, address, change) }, bdi(name))
}

export function hrefOf(change: Change): string {
  const words = new URLSearchParams()
  for (const [key, value] of Object.entries(change)) if (value) words.set(key, value)
  // The whole address: a link that begins with "#" at the top of a page is taken for a skip link.
  return `${location.href.split("#")[0]}#${words.toString()}`
}

/** Keeps the rest of the address, unless the reader wants a new window. */
export function follow(event: Event, address: Address, change: Change): void {
  const mouse = event as MouseEvent
  if (mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return
  event.preventDefault()
  address.set(change)
}

export function modelLinks(context: Context, models: readonly number[]): HTMLElement {
  return h("ul", { class: "chips" }, ...models.map((model) => h("li", {}, modelLink(context, model))))
}
