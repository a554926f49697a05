/** The menu at the top of the page: what is shown, to take along. */

import type { Context } from "./context"
import { h, menu } from "./dom"
import { views } from "./later"

/** The menu at the top of the page. */
export function startShare(context: Context): void {
  const place = document.querySelector("#title")
  if (!place) return
  const said = h("span", { class: "quiet", role: "status" })
  const written = h("textarea", { readonly: true, rows: 3, hidden: true, "aria-label": "To select and copy" })
  const copy = (text: string, what: string): void => {
    const byHand = (): void => {
      written.hidden = false
      written.value = text
      written.select()
      said.textContent = "Please copy the text below."
    }
    if (!navigator.clipboard) byHand()
    else navigator.clipboard.writeText(text).then(() => (said.textContent = `${what} copied.`), byHand)
  }
  const keep = (kind: "png" | "svg" | "csv" | "json"): void => {
    views()
      .saveShown(context, kind)
      .then((name) => (said.textContent = `Saved as ${name}`))
      .catch((error: unknown) => (said.textContent = error instanceof Error ? error.message : "The file could not be made."))
  }
  const act = (text: string, click: () => void): HTMLElement => h("button", { type: "button", class: "quietly", click }, text)
  const tools = h(
    "span",
    { class: "tools" },
    menu("Share", () => [
      act("Copy link", () => copy(location.href, "Link")),
      act("Picture, PNG", () => keep("png")),
      act("Picture, SVG", () => keep("svg")),
      act("Rows shown, CSV", () => keep("csv")),
      act("Rows shown, JSON", () => keep("json")),
      act("Copy HTML to embed", () => copy(views().fragment(context), "HTML")),
      said,
      written,
    ]),
  )
  place.prepend(tools)
}
