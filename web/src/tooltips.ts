/** What a word means, beside the word: on hover, on focus, pinned by a click, gone with Escape. */

import { h } from "./dom"

export function startTooltips(): void {
  let open: { link: HTMLElement; tip: HTMLElement; pinned: boolean } | null = null

  const close = (): void => {
    open?.link.removeAttribute("aria-describedby")
    open?.link.setAttribute("aria-expanded", "false")
    open?.tip.remove()
    open = null
  }
  const show = (link: HTMLElement, pinned: boolean): void => {
    if (open?.link === link) {
      open.pinned ||= pinned
      return
    }
    close()
    const entry = document.querySelector(link.getAttribute("href") ?? "")
    if (!entry) return
    const [word, meaning] = [entry.querySelector("dt"), entry.querySelector("dd")]
    const tip = h("div", { class: "tip", role: "tooltip", id: "tip" }, h("b", {}, word?.textContent ?? ""), meaning?.textContent ?? "")
    // A dialog covers the page, so that its words are explained inside it.
    const place = link.closest("dialog") ?? document.body
    place.append(tip)
    const box = link.getBoundingClientRect()
    const frame = place === document.body ? { left: -scrollX, top: -scrollY } : place.getBoundingClientRect()
    const scrolled = place === document.body ? 0 : place.scrollTop
    const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 12)
    tip.style.left = `${Math.max(left, 8) - frame.left}px`
    tip.style.top = `${box.bottom + 6 - frame.top + scrolled}px`
    link.setAttribute("aria-describedby", "tip")
    link.setAttribute("aria-expanded", "true")
    open = { link, tip, pinned }
  }
  const termOf = (event: Event): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("a.term") : null

  for (const link of document.querySelectorAll<HTMLElement>("a.term")) makeButton(link)
  document.addEventListener("pointerover", (event) => {
    const link = termOf(event)
    if (link) show(link, false)
    else if (open && !open.pinned && !(event.target instanceof Node && open.tip.contains(event.target))) close()
  })
  document.addEventListener("focusin", (event) => {
    const link = termOf(event)
    if (link) show(link, false)
    else close()
  })
  document.addEventListener("click", (event) => {
    const link = termOf(event)
    if (!link) {
      if (!(event.target instanceof Node && open?.tip.contains(event.target))) close()
      return
    }
    event.preventDefault()
    if (open?.link === link && open.pinned) close()
    else show(link, true)
  })
  document.addEventListener(
    "keydown",
    (event) => {
      const link = termOf(event)
      if (link && event.key === " ") {
        event.preventDefault()
        show(link, true)
      }
      if (event.key !== "Escape" || !open) return
      event.stopPropagation()
      event.preventDefault()
      close()
    },
    true,
  )
}

function makeButton(link: HTMLElement): void {
  link.setAttribute("role", "button")
  link.setAttribute("aria-expanded", "false")
}
