/** How numbers are written: the rules of the tables, so that picture and table agree. */

export const MISSING = "–"

/** A rank interval, best end first: "2–5", or "3" where only one rank is left. */
export function showRanks(best: number, worst: number): string {
  return best === worst ? String(best) : `${best}–${worst}`
}

/** A rank interval as it is read aloud: "ranks 2 to 5". */
export function sayRanks(best: number, worst: number): string {
  return best === worst ? `rank ${best}` : `ranks ${best} to ${worst}`
}

const EDGES = [-100, -1, 0, 1, 100]

/** What no number of a column may read as; where some lie on the other side of 0, 1 is the end of nothing. */
export function edgesOf(values: readonly number[]): readonly number[] {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.some((value) => value < 0) && known.some((value) => value > 0) ? [] : EDGES
}

/** The digits before the point in groups of three: "1,284.5". */
export function thousands(shown: string): string {
  return shown.replace(/^-?\d{4,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","))
}

/**
 * A number with so many decimals; null stands for powers of ten with four digits. One that is not exactly
 * 0, 1 or 100 is never shown as if it were.
 */
export function showNumber(value: number | null, decimals: number | null, edges: readonly number[] = EDGES): string {
  if (value === null || !Number.isFinite(value)) return MISSING
  if (decimals === null) return value.toExponential(3)
  const shown = value.toFixed(decimals)
  const landed = Number(shown)
  if (landed !== value && edges.includes(landed)) {
    const step = 10 ** -decimals
    return value > landed
      ? `<${(landed + step).toFixed(decimals)}`
      : `>${(landed - step).toFixed(decimals)}`
  }
  return thousands(shown)
}

/** A share in whole percent, without the sign: "12", "<1", ">99", "0", "100". */
export function showPercent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return MISSING
  const whole = Math.round(share * 100)
  if (whole === 0 && share > 0) return "<1"
  if (whole === 100 && share < 1) return ">99"
  return String(whole)
}

/** A count that fits a small cell: "812", "1.2k", "34k", "5.6M". */
export function showShortCount(count: number): string {
  if (count < 1000) return String(Math.round(count))
  const [unit, mark] = count < 999_500 ? [1e3, "k"] : count < 999.5e6 ? [1e6, "M"] : [1e9, "B"]
  const scaled = count / unit
  return `${scaled < 9.95 ? scaled.toFixed(1) : scaled.toFixed(0)}${mark}`
}

/** Decimals that show a typical error with two digits, or one where it begins with 4 to 9. */
export function suitableDecimals(values: readonly (number | null)[], errors: readonly (number | null)[]): number {
  const known = errors.filter((e): e is number => e !== null && Number.isFinite(e) && e > 0).sort((a, b) => a - b)
  const middle = known[Math.floor(known.length / 2)]
  const largest = Math.max(0, ...values.map((v) => (v === null || !Number.isFinite(v) ? 0 : Math.abs(v))))
  const decimals =
    middle !== undefined
      ? (middle < 3.55 * 10 ** Math.floor(Math.log10(middle)) ? 1 : 0) - Math.floor(Math.log10(middle))
      : largest > 0
        ? 3 - Math.floor(Math.log10(largest))
        : 1
  return Math.min(7, Math.max(0, decimals))
}
