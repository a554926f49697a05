/** Folds of the page: what is inside is made when somebody opens it. */

type Act = () => void

const waiting = new Map<HTMLDetailsElement, Act[]>()

/** Does something once, when a fold is opened; at once where it is open. */
export function whenOpened(fold: HTMLDetailsElement, act: Act): void {
  if (fold.open) {
    act()
    return
  }
  const acts = waiting.get(fold)
  if (acts) {
    acts.push(act)
    return
  }
  waiting.set(fold, [act])
  fold.addEventListener("toggle", () => fold.open && wake(fold))
}

/** Opens the folds that an element stands in, or is, and makes what is inside. */
export function openAround(element: Element): void {
  const fold = element.closest("details")
  if (!fold) return
  if (fold.parentElement) openAround(fold.parentElement)
  fold.open = true
  wake(fold)
}

/** What the page holds for readers without scripts becomes part of it when its fold is opened. */
export function startFolds(): void {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>("details:has(noscript.later)")) {
    whenOpened(fold, () => unpack(fold))
  }
  const opened: HTMLDetailsElement[] = []
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>("details.part:not([open]):not([hidden])")) {
      opened.push(fold)
      openAround(fold)
    }
  })
  addEventListener("afterprint", () => {
    for (const fold of opened.splice(0)) fold.open = false
  })
}

function wake(fold: HTMLDetailsElement): void {
  const acts = waiting.get(fold)
  waiting.delete(fold)
  for (const act of acts ?? []) act()
}

/** The text was made by the template of the page, which escapes every name. */
function unpack(fold: HTMLElement): void {
  for (const kept of fold.querySelectorAll("noscript.later")) {
    const parsed = new DOMParser().parseFromString(kept.textContent ?? "", "text/html")
    kept.replaceWith(...parsed.body.childNodes)
  }
}
