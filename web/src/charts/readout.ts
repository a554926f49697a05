/** The line below a picture that says in words what is pointed at. */

import { legible, shorten, wrap } from "./names"
import { INK, MUTED, TICK_SIZE, el, round } from "./svg"

export interface Readout {
  element: SVGTextElement
  height: number
  /** Show a sentence; null brings the first one back. */
  say: (text: string | null) => void
}

const LINE = 15

/** One line of text, or three where the room is narrow; assistive technology hears changes. */
export function readout(top: number, width: number, prompt: string): Readout {
  const most = width < 640 ? 3 : 1
  const element = el("text", { class: "rb-readout", "font-size": TICK_SIZE, "aria-live": "polite", direction: "ltr" })
  const say = (text: string | null): void => {
    const lines = wrap(legible(text ?? prompt), width, TICK_SIZE)
    const shown = lines.slice(0, most)
    if (lines.length > most) shown[most - 1] = shorten(lines.slice(most - 1).join(" "), width, TICK_SIZE)
    element.replaceChildren(...shown.map((line, i) => el("tspan", { x: 0, y: round(top + LINE * (i + 0.8)) }, line)))
    element.setAttribute("fill", text === null ? MUTED : INK)
  }
  say(null)
  return { element, height: LINE * most + 4, say }
}
