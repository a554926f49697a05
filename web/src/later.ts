/** The second script of the page: it is there as text, and runs when something of it is wanted first. */

import type { Views } from "./views"

const KEPT = "#rankbars-views"

/** The views of models, tasks and pictures. */
export function views(): Views {
  const kept = document.querySelector(KEPT)
  if (kept) {
    const script = document.createElement("script")
    script.textContent = kept.textContent
    kept.replaceWith(script)
  }
  return (globalThis as unknown as { rankbarsViews: Views }).rankbarsViews
}
