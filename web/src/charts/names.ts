/** Names of models and tasks, made safe to look at and short enough for their place. */

const ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u
const MISLEADING = /[\p{C}\p{Zl}\p{Zp}]/u
// What joins emoji to one sign stays; between letters it is shown.
const JOINED = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)+/gu
const HARMLESS = /^[ -~]*$/

/** `name` with every character that is not seen written as an escape, as in the tables. */
export function visible(name: string): string {
  return written(name, UNSEEN)
}

/** A sentence with names in it: as `visible`, but spaces of all kinds stay. */
export function legible(text: string): string {
  return written(text, MISLEADING)
}

function written(text: string, hidden: RegExp): string {
  if (HARMLESS.test(text)) return text
  let shown = ""
  let done = 0
  for (const found of text.matchAll(JOINED)) {
    shown += seen(text.slice(done, found.index), hidden) + found[0]
    done = found.index + found[0].length
  }
  return shown + seen(text.slice(done), hidden)
}

function seen(text: string, hidden: RegExp): string {
  let shown = ""
  for (const char of text) shown += char !== " " && hidden.test(char) ? escaped(char) : char
  return shown
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x100) return ESCAPES[char] ?? `\\x${hex.padStart(2, "0")}`
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`
}

const NARROW = /[iIjl.,:;'|!`]/
const SLIM = /[ftr()[\]{}/\\\- "]/
const BROAD = /[mwMW@%]/
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Extended_Pictographic}]/u

function charWidth(char: string): number {
  if (NARROW.test(char)) return 0.33
  if (SLIM.test(char)) return 0.41
  if (BROAD.test(char)) return 0.95
  if (/[a-z]/.test(char)) return 0.61
  if (/[0-9\u2013]/.test(char)) return 0.62
  if (/[A-Z]/.test(char)) return 0.7
  if (/\p{M}/u.test(char)) return 0
  return char > "\u007f" && WIDE.test(char) ? 1.3 : 0.75
}

/**
 * Width of a text in pixels, for a broad sans-serif font.
 * An estimate on the safe side: the same picture comes out on every machine, and without a screen.
 */
export function textWidth(text: string, size: number): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width * size
}

/** `text` within `room` pixels, its middle left out where it does not fit. */
export function shorten(text: string, room: number, size: number, tailShare = 0.4): string {
  if (textWidth(text, size) <= room && text.length <= room) return text
  const chars = [...text]
  const inside = room - textWidth("…", size)
  const end = fit(chars.slice(-400).reverse(), inside * tailShare, size).reverse()
  const endWidth = textWidth(end.join(""), size)
  const start = fit(chars, inside - endWidth, size)
  return `${start.join("")}…${end.join("")}`
}

/** Every name within its room, and names that differ still differ where a cut can tell them apart. */
export function shortenAll(names: readonly string[], room: number, size: number): string[] {
  const full = names.map(visible)
  const shown = full.map((name) => shorten(name, room, size))
  for (const same of lookAlikes(shown)) {
    const cut = [0.6, 0.2, 0.75, 0, 0.9]
      .map((share) => same.map((i) => shorten(full[i] ?? "", room, size, share)))
      .find((tried) => new Set(tried).size === tried.length)
    same.forEach((i, k) => {
      const mark = `…#${i + 1}`
      const start = fit([...(full[i] ?? "")], room - textWidth(mark, size), size).join("")
      shown[i] = cut?.[k] ?? start + mark
    })
  }
  return shown
}

function lookAlikes(shown: readonly string[]): number[][] {
  const groups = new Map<string, number[]>()
  shown.forEach((text, i) => {
    if (text.includes("…")) groups.set(text, [...(groups.get(text) ?? []), i])
  })
  return [...groups.values()].filter((group) => group.length > 1)
}

function fit(chars: readonly string[], room: number, size: number): string[] {
  const kept: string[] = []
  let used = 0
  for (const char of chars.slice(0, 4 * Math.ceil(room))) {
    used += textWidth(char, size)
    if (used > room || kept.length >= room) break
    kept.push(char)
  }
  return kept
}

/** Room that the longest name takes, at most `most`. */
export function roomFor(names: readonly string[], size: number, most: number): number {
  let widest = 0
  for (const name of names) {
    widest = Math.max(widest, textWidth(visible(name.slice(0, 400)), size))
    if (widest >= most) return most
  }
  return Math.ceil(widest)
}

/** Lines of at most `room` pixels; a word that is too long is cut. */
export function wrap(text: string, room: number, size: number): string[] {
  const lines: string[] = []
  let current = ""
  for (const word of text.split(" ")) {
    const longer = current === "" ? word : `${current} ${word}`
    if (textWidth(longer, size) <= room) current = longer
    else {
      if (current !== "") lines.push(current)
      current = shorten(word, room, size)
    }
  }
  return [...lines, current]
}

