/** The pictures of the board, one at a time. */

import { isLarge } from "./board"
import type { Context } from "./context"
import { h, whenSeen } from "./dom"
import { figure } from "./figure"
import { type Picture, picturesOf } from "./figures"
import type { State } from "./state"

/** Puts the pictures in place of the one that the page holds without scripts. */
export function startPictures(context: Context): void {
  const still = document.querySelector<HTMLElement>("#static-picture")
  const pictures = picturesOf(context)
  const first = pictures[0]
  if (!still || !first) return
  const { address } = context
  const made = new Map<string, HTMLElement>()
  const place = h("div", {})
  const buttons = pictures.map((picture) =>
    h("button", { type: "button", "data-fig": picture.key, click: () => address.set({ fig: picture === first ? undefined : picture.key }) }, picture.name),
  )
  const show = (picture: Picture): void => {
    const element = made.get(picture.key) ?? figure({ id: `figure-${picture.key}`, ...picture.settings() }).element
    made.set(picture.key, element)
    if (place.firstElementChild !== element) place.replaceChildren(element)
    place.style.minHeight = ""
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset["fig"] === picture.key))
  }
  const follow = (state: State): void => show(pictures.find((picture) => picture.key === state.fig) ?? first)
  still.replaceWith(h("div", { class: "tabs", role: "group", "aria-label": "Pictures" }, ...buttons), place)
  const heading = document.querySelector("#picture-heading")
  if (heading) heading.textContent = "Pictures"
  address.listen((state, before) => {
    if (state.one !== before.one) made.clear()
    if (state.fig !== before.fig || state.one !== before.one) follow(state)
  })
  // What comes later should not move: a line takes 24 pixels.
  place.style.minHeight = `${24 * Math.min(context.board.size, 250) + 190}px`
  // Drawn when it is about to be seen: a large board opens sooner.
  if (address.state.fig || !isLarge(context.board)) follow(address.state)
  else whenSeen(place.parentElement!, () => follow(address.state))
}
