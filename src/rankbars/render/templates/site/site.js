// Lists of models sort by the column whose head is pressed. Without this script they are plain lists.
"use strict"
// On phones, rows are boxes, which takes their roles away; in the pages these words would be megabytes.
const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" }
for (const table of document.querySelectorAll("table.boxes")) {
  for (const part of [table, ...table.querySelectorAll("*")]) {
    const role = part.tagName === "TH" ? (part.closest("thead") ? "columnheader" : "rowheader") : ROLES[part.tagName]
    if (role) part.setAttribute("role", role)
  }
}
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0]
  const given = [...body.rows]
  const heads = [...table.tHead.rows[0].cells]
  heads.forEach((head, column) => {
    if (head.tagName !== "TH") return
    const button = document.createElement("button")
    button.type = "button"
    const link = head.querySelector("a")
    if (link) {
      button.setAttribute("aria-label", `Sort by ${link.textContent}`)
      head.append(" ", button)
    } else {
      button.append(...[...head.childNodes].filter((node) => node.nodeName !== "SMALL"))
      head.prepend(button)
    }
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort")
      const { values, compare, numbers } = valuesOf(given.map((row) => row.cells[column].textContent.trim()))
      const falling = was ? was === "ascending" : numbers && !head.classList.contains("ranks")
      const filled = [...given.keys()].filter((i) => values[i] !== null)
      filled.sort((a, b) => (falling ? -1 : 1) * compare(values[a], values[b]) || a - b)
      const empty = [...given.keys()].filter((i) => values[i] === null)
      for (const other of heads) other.removeAttribute("aria-sort")
      head.setAttribute("aria-sort", falling ? "descending" : "ascending")
      body.append(...[...filled, ...empty].map((i) => given[i]))
    })
  })
}

// What cells are compared by: numbers (75.2 ± 1.3, 7B, 1–3) where all of them begin with one, and words.
function valuesOf(texts) {
  const words = texts.map((text) => (text === "" || text === "–" ? null : text))
  const known = words.filter((text) => text !== null)
  const number = /^([−-]?\d[\d,]*(?:\.\d+)?)\s?([kKMBT](?![a-z]))?(?:\s*(?:[%±]|–\s*(\d+)$).*)?$/
  if (known.length === 0 || !known.every((text) => number.test(text))) {
    const collator = new Intl.Collator("en", { numeric: true })
    return { values: words, compare: collator.compare, numbers: false }
  }
  const times = { k: 1e3, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }
  const read = (text) => {
    const [, first, unit, last] = number.exec(text)
    const value = Number(first.replaceAll(",", "").replace("−", "-")) * (times[unit] ?? 1)
    return [value, last === undefined ? value : Number(last)]
  }
  return {
    values: words.map((text) => (text === null ? null : read(text))),
    compare: (a, b) => a[0] - b[0] || a[1] - b[1],
    numbers: true,
  }
}
