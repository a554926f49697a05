import { afterEach, expect, test, vi } from "vitest"
import { rankIntervals, rankIntervalsTable } from "../../src/charts"
import { csv, fileName, svgText } from "../../src/charts/download"
import { shorten, shortenAll, textWidth, visible, wrap } from "../../src/charts/names"
import { showNumber, showPercent, showRanks, showShortCount, suitableDecimals } from "../../src/charts/numbers"
import { dataTable, figure, type Figure } from "../../src/figure"

const input = { models: ["=1+1", "<b>two</b>"], best: [1, 1], worst: [2, 2], name: "Rank" }

function made(): Figure {
  const result = figure({
    id: "fig",
    title: "A picture: of ranks",
    caption: "What is seen.",
    draw: (options) => rankIntervals(input, options),
    table: () => rankIntervalsTable(input),
  })
  document.body.replaceChildren(result.element)
  return result
}

afterEach(() => vi.restoreAllMocks())

test("a figure has a caption, a drawing, buttons with names and the data behind it", () => {
  const { element } = made()
  expect(element.querySelector("figcaption")?.textContent).toBe("A picture: of ranksWhat is seen.")
  expect(element.querySelectorAll("svg.rb-chart")).toHaveLength(1)
  const buttons = [...element.querySelectorAll("button")]
  expect(buttons.map((button) => button.getAttribute("aria-label"))).toEqual(["SVG", "PNG", "CSV"].map((kind) => `Save A picture: of ranks as ${kind}`))
  expect(buttons.map((button) => button.title)).toEqual(["svg", "png", "csv"].map((suffix) => `a-picture-of-ranks.${suffix}`))
})

test("the table is made when it is opened, and equals the input", () => {
  const { element } = made()
  const details = element.querySelector("details")!
  expect(details.querySelector("table")).toBeNull()
  details.open = true
  details.dispatchEvent(new Event("toggle"))
  const lines = [...details.querySelectorAll("tr")].map((line) => [...line.children].map((cell) => cell.textContent))
  expect(lines).toEqual([["Model", "Rank: best", "Rank: worst"], ["=1+1", "1", "2"], ["<b>two</b>", "1", "2"]])
  expect(details.querySelectorAll("th[scope=row]")).toHaveLength(2)
  expect(details.querySelector("b")).toBeNull()
})

test("a drawing that is drawn again replaces the old one", () => {
  const { element, redraw } = made()
  const before = element.querySelector("svg")
  redraw()
  expect(element.querySelectorAll("svg")).toHaveLength(1)
  expect(element.querySelector("svg")).not.toBe(before)
})

test("saving says under which name, and hands over the numbers", async () => {
  const saved: Blob[] = []
  URL.createObjectURL = (content) => {
    saved.push(content as Blob)
    return "blob:x"
  }
  URL.revokeObjectURL = () => undefined
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined)
  const { element } = made()
  const [svg, , table] = element.querySelectorAll("button")
  table!.click()
  await vi.waitFor(() => expect(element.querySelector("[role=status]")!.textContent).toBe("Saved as a-picture-of-ranks.csv"))
  svg!.click()
  await vi.waitFor(() => expect(clicked).toHaveBeenCalledTimes(2))
  expect(saved.map(({ type }) => type)).toEqual(["text/csv;charset=utf-8", "image/svg+xml"])
  expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe("a-picture-of-ranks.csv")
})

test("cells that a spreadsheet would compute are made text", () => {
  const rows = ["=1", "+1", "-1", "@x", "\tx", "\rx", "\uff1dx", "plain", 'quo"te', "a,b", " space", "two\nlines"].map((name) => [name, -1.5, null])
  expect(csv({ columns: ["Model", "Value", "None"], rows }).split(/\n(?!lines)/)).toEqual([
    "Model,Value,None",
    "'=1,-1.5,",
    "'+1,-1.5,",
    "'-1,-1.5,",
    "'@x,-1.5,",
    "'\tx,-1.5,",
    `"'\rx",-1.5,`,
    "'\uff1dx,-1.5,",
    "plain,-1.5,",
    '"quo""te",-1.5,',
    '"a,b",-1.5,',
    '" space",-1.5,',
    '"two\nlines",-1.5,',
    "",
  ])
  expect(csv({ columns: ["a"], rows: [[0.1], [NaN], [Infinity], [1e21]] })).toBe("a\n0.1\n\n\n1e+21\n")
})

test("a saved drawing stands alone: no variables, no focus, well-formed", () => {
  const svg = rankIntervals({ ...input, models: ["<script>", "a & b"] }, { id: "c", width: 400, title: "T", onSelect: () => undefined })
  document.body.replaceChildren(svg)
  document.documentElement.style.setProperty("--rb-bar", "#abcdef")
  const text = svgText(svg, "#ffffff")
  document.documentElement.removeAttribute("style")
  expect(text).not.toMatch(/var\(|tabindex|class=/)
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml")
  expect(parsed.querySelector("parsererror")).toBeNull()
  expect(parsed.documentElement.getAttribute("role")).toBe("img")
  expect(parsed.querySelector("script")).toBeNull()
  expect(parsed.querySelector("title")?.textContent).toBe("T")
})

test("a long table is cut, and says so", () => {
  const rows = Array.from({ length: 5002 }, (_, i) => [i])
  const table = dataTable({ columns: ["n"], rows }, "Numbers")
  expect(table.tBodies[0]!.rows).toHaveLength(5000)
  expect(table.caption?.textContent).toBe("Numbers: the first 5000 lines; the CSV file has 2 more")
})

test("file names hold letters, digits and dashes only", () => {
  expect(fileName("Rank on <each> task/../x")).toBe("rank-on-each-task-x")
  expect(fileName("\u202e")).toBe("figure")
  expect(fileName("x".repeat(200))).toHaveLength(60)
})

test("what is not seen in a name is written out", () => {
  expect(visible("gpt\u202e4\n")).toBe("gpt\\u202e4\\n")
  expect(visible("a\u00a0b\u{e0001}\ud800")).toBe("a\\xa0b\\U000e0001\\ud800")
  expect(visible("日本語 é 🚀")).toBe("日本語 é 🚀")
  expect(visible("\u{1f469}\u200d\u{1f467} a\u200db")).toBe("\u{1f469}\u200d\u{1f467} a\\u200db")
})

test("names that differ still differ when they are shortened", () => {
  const names = ["model-aaaaaaaaaaaaaaaaaaaa-a-chat", "model-aaaaaaaaaaaaaaaaaaaa-b-chat", "short"]
  const shown = shortenAll(names, 90, 12)
  expect(new Set(shown).size).toBe(3)
  for (const text of shown) expect(textWidth(text, 12)).toBeLessThanOrEqual(90)
  const alike = shortenAll([`${"y".repeat(200)}1${"z".repeat(200)}`, `${"y".repeat(200)}2${"z".repeat(200)}`], 90, 12)
  expect(new Set(alike).size).toBe(2)
  expect(shorten("a\u0301".repeat(400), 50, 12).length).toBeLessThan(120)
})

test("sentences break between words, and each line fits", () => {
  const lines = wrap("a sentence with some words and one_word_that_is_much_too_long_to_fit", 100, 12)
  expect(lines.join(" ")).toContain("a sentence")
  for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(100)
})

test("numbers are written by the rules of the tables", () => {
  expect([showRanks(2, 5), showRanks(3, 3)]).toEqual(["2–5", "3"])
  expect([showNumber(0.71638, 3), showNumber(0.99996, 3), showNumber(0.0002, 3), showNumber(null, 2), showNumber(0, 2)]).toEqual(["0.716", ">0.999", "<0.001", "–", "0.00"])
  expect([0, 0.0001, 0.004, 0.126, 0.997, 1, null].map(showPercent)).toEqual(["0", "<1", "<1", "13", ">99", "1".concat("00"), "–"])
  expect([5, 999, 1234, 34_000, 5_600_000, 2e12].map(showShortCount)).toEqual(["5", "999", "1.2k", "34k", "5.6M", "2000B"])
  expect(suitableDecimals([0.71, 0.64], [0.012, 0.013])).toBe(3)
})
