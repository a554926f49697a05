/** The panel in which models and tasks open: a modal dialog, so that focus stays inside it. */

import type { Context } from "./context"
import { h } from "./dom"
import { views } from "./later"
import { pinned } from "./pins"
import type { State } from "./state"

/** What a view shows in the panel. */
export interface View {
  /** Name of the dialog. */
  title: string
  body: HTMLElement
  /** Adds what follows, once the beginning is seen. */
  later?: () => void
  /** Addresses of the neighbours in the order of the board. */
  previous: (() => void) | null
  next: (() => void) | null
}

const KEYS = ["model", "vs", "task", "by", "compare", "why"] as const

/** Opens the panel where the address says so; it is made when it is opened first. */
export function startPanel(context: Context): void {
  const { address } = context
  let follow: Follower | null = null
  const listen = (state: State, before: State): void => {
    if (!follow && KEYS.some((key) => state[key])) follow = makePanel(context)
    follow?.(state, before)
  }
  address.listen(listen)
  listen(address.state, {})
}

type Follower = (state: State, before: State) => void

function makePanel(context: Context): Follower {
  const { address } = context
  const title = h("span", { class: "hidden", id: "panel-title" })
  const close = (): void => address.set({ model: undefined, vs: undefined, task: undefined, by: undefined, compare: undefined, why: undefined })
  const [back, forth] = ["Previous", "Next"].map((text) => h("button", { type: "button", class: "quietly" }, text))
  const shut = h("button", { type: "button", class: "quietly", click: close }, "Close")
  const body = h("div", { class: "panel-body" })
  const dialog = h(
    "dialog",
    { class: "panel", id: "panel", "aria-labelledby": "panel-title" },
    h("div", { class: "panel-head" }, title, h("div", {}, back!, forth!), shut),
    body,
  )
  let opener: HTMLElement | null = null
  let steps: View | null = null
  back!.addEventListener("click", () => steps?.previous?.())
  forth!.addEventListener("click", () => steps?.next?.())
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault()
    close()
  })
  dialog.addEventListener("click", (event) => {
    // The backdrop belongs to the dialog; what is inside has a place of its own.
    if (event.target === dialog && (event as MouseEvent).clientX < dialog.getBoundingClientRect().left) close()
  })

  return (state, before) => {
    const open = viewOf(context, state)
    if (!open) {
      steps = null
      if (dialog.open) {
        dialog.close()
        opener?.focus()
      }
      body.replaceChildren()
      opener = null
      return
    }
    if (dialog.open && KEYS.every((key) => state[key] === before[key])) return
    steps = open
    title.textContent = open.title
    back!.toggleAttribute("disabled", !open.previous)
    forth!.toggleAttribute("disabled", !open.next)
    body.replaceChildren(open.body)
    const fresh = !dialog.open
    afterPaint(() => steps === open && open.later?.())
    if (fresh) {
      opener = document.activeElement instanceof HTMLElement ? document.activeElement : null
      if (!dialog.isConnected) document.body.append(dialog)
      dialog.showModal()
    }
    if (state.model !== before.model || state.task !== before.task || state.compare !== before.compare) {
      dialog.scrollTop = 0
      // Whoever steps from model to model keeps the button; all others start at the name.
      if (fresh || (document.activeElement !== back && document.activeElement !== forth)) {
        body.querySelector<HTMLElement>(state.why ? "#why h3" : "h2")?.focus()
      }
    }
  }
}

/** The reader sees the beginning before the rest is made. */
function afterPaint(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act))
}

function viewOf(context: Context, state: State): View | null {
  const model = context.names.model(state.model)
  if (model !== null) return views().modelView(context, model)
  const task = context.names.task(state.task)
  if (task !== null) return views().taskView(context, task)
  const models = state.compare ? pinned(context, state) : []
  return models.length > 1 ? views().sideBySide(context, models) : null
}
