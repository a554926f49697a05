/** Light, dark, or as the system says. */

import { h } from "./dom"

const THEMES = ["", "light", "dark"] as const
const WORDS = { "": "as the system", light: "light", dark: "dark" }

/** A button that goes through the themes; `changed` is told, as pictures hold colours. */
export function themeButton(): HTMLElement {
  let now = 0
  const button = h("button", { class: "theme", type: "button" })
  const show = (): void => {
    button.textContent = `Colors: ${WORDS[THEMES[now]!]}`
  }
  button.addEventListener("click", () => {
    now = (now + 1) % THEMES.length
    const theme = THEMES[now]!
    if (theme) document.documentElement.dataset["theme"] = theme
    else delete document.documentElement.dataset["theme"]
    show()
  })
  show()
  return button
}
