/** Light, dark, or as the system says. */

const THEMES = ["", "light", "dark"] as const
const WORDS = { "": "as the system", light: "light", dark: "dark" }

/** The button below the page goes through the themes. */
export function startTheme(): void {
  const button = document.querySelector("button.theme")
  let now = 0
  button?.addEventListener("click", () => {
    now = (now + 1) % THEMES.length
    const theme = THEMES[now]!
    if (theme) document.documentElement.dataset["theme"] = theme
    else delete document.documentElement.dataset["theme"]
    button.textContent = `Colors: ${WORDS[theme]}`
  })
}
