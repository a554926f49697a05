/** The piece of a board in a notebook or in another page: sorted, and lit up where rows are not told apart. */

import { byInterval, type SortDirection, type Sorter, sorted, turned } from "./order"

class Fragment {
  private readonly body: HTMLTableSectionElement
  private readonly table: HTMLTableElement
  private readonly rows: HTMLTableRowElement[]
  private readonly said: HTMLElement
  private readonly heads: Map<string, HTMLElement>
  private readonly best: SortDirection
  private sort = "score"
  private isTurned = false

  constructor(piece: HTMLElement) {
    this.table = piece.querySelector("table")!
    this.body = this.table.tBodies[0]!
    this.rows = [...this.body.rows]
    this.said = piece.querySelector<HTMLElement>("[role=status]")!
    this.heads = new Map([...piece.querySelectorAll<HTMLElement>("thead [data-key]")].map((head) => [head.dataset["key"]!, head]))
    this.best = this.heads.get("score")!.getAttribute("aria-sort") as SortDirection
  }

  start(): void {
    const sorters = this.sorters()
    for (const [key, head] of this.heads) {
      const button = document.createElement("button")
      button.type = "button"
      const text = head.querySelector("span")!
      button.append(...text.childNodes)
      text.append(button)
      button.addEventListener("click", () => {
        this.isTurned = key === this.sort && !this.isTurned
        this.sort = key
        this.arrange(key, sorters.get(key)!)
      })
    }
    for (const row of this.rows) row.tabIndex = 0
    const rowOf = (event: Event): number => this.rows.indexOf((event.target as Element).closest("tr")!)
    for (const type of ["pointerover", "focusin"]) this.body.addEventListener(type, (event) => this.light(rowOf(event)))
    for (const type of ["pointerleave", "focusout"]) this.body.addEventListener(type, () => this.light(-1))
  }

  private sorters(): Map<string, Sorter> {
    const ranks = (key: string) => (row: number) => {
      const [best = 0, worst = best] = this.rows[row]!.dataset[key]!.split(" ").map(Number)
      return { best, worst }
    }
    const size = Number(this.table.dataset["models"])
    const rising = (by: Sorter["by"]): Sorter => ({ by, runs: "ascending" })
    return new Map([
      ["model", rising((row) => this.rows[row]!.querySelector("bdi")!.textContent!)],
      ["score", { by: (row) => row, runs: this.best }],
      ["ranks", rising(byInterval(ranks("ranks"), size))],
      ["new", rising(byInterval(ranks("new"), size))],
    ])
  }

  private arrange(key: string, sorter: Sorter): void {
    for (const [name, head] of this.heads) {
      if (name === key) head.setAttribute("aria-sort", this.isTurned ? turned(sorter.runs) : sorter.runs)
      else head.removeAttribute("aria-sort")
    }
    const order = sorted([...this.rows.keys()], sorter, this.isTurned)
    this.table.classList.toggle("in-order", order.every((row, i) => row === i))
    this.body.append(...order.map((row) => this.rows[row]!))
  }

  private light(at: number): void {
    const row = this.rows[at]
    const near = row?.dataset["near"]
    const others = new Set(near ? near.split(" ").map(Number) : [])
    this.rows.forEach((other, i) => {
      other.classList.toggle("me", i === at)
      other.classList.toggle("near", others.has(i))
    })
    this.said.textContent = row?.dataset["said"] ?? ""
  }
}

// Every piece brings this script: the first one that runs starts all that are there.
for (const piece of document.querySelectorAll<HTMLElement>(".rankbars-board:not([data-ready])")) {
  piece.dataset["ready"] = "true"
  new Fragment(piece).start()
}
