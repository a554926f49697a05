/** Orders of rows, the same in the page and in its piece for other pages. */

export interface Sorter {
  /** What is sorted by, smallest first. */
  by: (row: number) => number | string
  /** How the numbers that are read run then. */
  runs: "ascending" | "descending"
}

export type SortDirection = Sorter["runs"]

export function turned(runs: SortDirection): SortDirection {
  return runs === "ascending" ? "descending" : "ascending"
}

/** By the best rank, then by the worst one; no rank is above `size`. */
export function byInterval(ranks: (row: number) => { best: number; worst: number }, size: number): (row: number) => number {
  return (row) => ranks(row).best * (size + 1) + ranks(row).worst
}

/** Ties stay in the order that is given, whichever way round. */
export function sorted(rows: readonly number[], sorter: Sorter, reverse: boolean): number[] {
  const keys = new Map(rows.map((row) => [row, sorter.by(row)]))
  const sign = reverse ? -1 : 1
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" })
  return [...rows].sort((a, b) => {
    const [one, two] = [keys.get(a)!, keys.get(b)!]
    if (typeof one === "string") return sign * collator.compare(one, String(two))
    return one === two ? 0 : sign * (one < Number(two) ? -1 : 1)
  })
}
