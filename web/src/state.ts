/** The state of the page lives in its address, so that it can be shared and gone back from. */

export interface State {
  /** Open model, the one it is compared with, or open task; by name. */
  model?: string
  vs?: string
  task?: string
  /** Whether an open model shows at once why it has its ranks. */
  why?: string
  /** How tasks of an open model are sorted. */
  by?: string
  /** Sorted column of the board, `-` in front where reversed. */
  sort?: string
  /** Names that are looked for, any of them. */
  q?: string
  /** Ticked models, by name; whether only they are shown, and stand side by side. */
  pin?: string
  only?: string
  compare?: string
  /** Attributes that shown models have, as a query: `licence=MIT`. */
  has?: string
  /** Rows for one model that was named in advance. */
  one?: string
  /** A part of the results that the rows are about: `category:…`, `task:…`, or `votes:` and a number. */
  on?: string
  /** Rows for a new task. */
  new?: string
  /** All rows of a long board. */
  all?: string
  /** Tasks shown as columns: `category:…`, `family:…` or `task:…`. */
  show?: string
  /** Columns that are hidden. */
  hide?: string
  /** Columns that are shown beside the usual ones. */
  also?: string
  /** The chosen picture. */
  fig?: string
  /** Explore: tasks left out, weights, levels. */
  out?: string
  w?: string
  a?: string
  ao?: string
  /** A part of the page to be at. */
  at?: string
}

const KEYS: (keyof State)[] = ["model", "vs", "task", "why", "by", "sort", "q", "pin", "only", "compare", "has", "on", "one", "new", "all", "show", "hide", "also", "fig", "out", "w", "a", "ao", "at"]

type Listener = (state: State, before: State) => void

/** Reads and writes the address; tells everybody who listens. */
export class Address {
  private listeners: Listener[] = []
  private current: State

  constructor() {
    this.current = parseState(location.hash)
    addEventListener("popstate", () => this.follow())
    addEventListener("hashchange", () => this.follow())
  }

  get state(): State {
    return this.current
  }

  listen(listener: Listener): void {
    this.listeners.push(listener)
  }

  /** Change some keys; undefined takes one away. Typing and sliding replace the last entry. */
  set(change: Partial<Record<keyof State, string | undefined>>, how: "push" | "replace" = "push"): void {
    const next = { ...this.current }
    for (const [key, value] of Object.entries(change) as [keyof State, string | undefined][]) {
      if (value === undefined || value === "") delete next[key]
      else next[key] = value
    }
    const hash = formatState(next)
    if (hash === formatState(this.current)) return
    const target = hash || location.pathname + location.search
    if (how === "push") history.pushState(null, "", target)
    else history.replaceState(null, "", target)
    this.tell(next)
  }

  /** The address with some keys changed, for links. */
  link(change: Partial<State>): string {
    return formatState({ ...this.current, ...change }) || "#"
  }

  private follow(): void {
    const next = parseState(location.hash)
    if (formatState(next) !== formatState(this.current)) this.tell(next)
  }

  private tell(next: State): void {
    const before = this.current
    this.current = next
    for (const listener of this.listeners) listener(next, before)
  }
}

/** What an address says; one that is not ours says nothing. */
export function parseState(hash: string): State {
  const state: State = {}
  const text = hash.replace(/^#/, "")
  if (!text.includes("=")) return text ? { at: text } : {}
  for (const [key, value] of new URLSearchParams(text)) {
    if (KEYS.includes(key as keyof State) && value) state[key as keyof State] = value
  }
  return state
}

export function formatState(state: State): string {
  const words = new URLSearchParams()
  for (const key of KEYS) {
    const value = state[key]
    if (value !== undefined) words.set(key, value)
  }
  // A comma between names may stay one in a fragment.
  const text = words.toString().replaceAll("%2C", ",")
  return text ? `#${text}` : ""
}
