/** The pictures of the board, one at a time. */

import type { Context } from "./context"
import { h } from "./dom"
import { figure } from "./figure"
import { OF_ALL, type Picture, picturesOf } from "./figures"
import { changesChoice, chosen, countShown } from "./pins"
import type { State } from "./state"

/** Fills the fold of pictures. */
export function fillPictures(context: Context, fold: HTMLElement): void {
  let pictures = picturesOf(context)
  const first = pictures[0]
  if (!first) return
  const { address } = context
  const made = new Map<string, HTMLElement>()
  // What comes later should not move: a line takes 24 pixels.
  const place = h("div", {})
  place.style.minHeight = `${24 * Math.min(context.board.size, 250) + 190}px`
  const buttons = pictures.map((picture) =>
    h("button", { type: "button", "data-fig": picture.key, click: () => address.set({ fig: picture.key === first.key ? undefined : picture.key }) }, picture.name),
  )
  const said = (picture: Picture): ReturnType<Picture["settings"]> => {
    const settings = picture.settings()
    const shown = chosen(context).length
    const size = context.part?.order.length ?? context.board.size
    if (shown === size || OF_ALL.has(picture.key)) return settings
    return { ...settings, caption: `${settings.caption} ${countShown(shown, shown, size)}.` }
  }
  const show = (picture: Picture): void => {
    const element = made.get(picture.key) ?? figure({ id: `figure-${picture.key}`, ...said(picture) }).element
    made.set(picture.key, element)
    if (place.firstElementChild !== element) place.replaceChildren(element)
    place.style.minHeight = ""
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset["fig"] === picture.key))
  }
  const follow = (state: State): void => show(pictures.find((picture) => picture.key === state.fig) ?? pictures[0] ?? first)
  fold.append(h("div", { class: "tabs", role: "group", "aria-label": "Pictures" }, ...buttons), place)
  address.listen((state, before) => {
    const other = state.one !== before.one || changesChoice(state, before)
    if (other) {
      made.clear()
      pictures = picturesOf(context)
    }
    if (state.fig !== before.fig || other) follow(state)
  })
  follow(address.state)
}
