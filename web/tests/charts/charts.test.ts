import { describe, expect, test, vi } from "vitest"
import * as charts from "../../src/charts"
import type { ChartOptions, DataTable } from "../../src/charts"

const HOSTILE = [
  "<script>alert(1)</script>",
  "\u202egpt\u2066",
  "x".repeat(500),
  "👩‍🚀 model 日本語",
  '=HYPERLINK("http://x")',
  "a\u0301".repeat(300),
]

interface Case {
  name: string
  draw: (options: ChartOptions) => SVGSVGElement
  table: () => DataTable
}

/** Every chart for models of the names given, with made-up but consistent numbers. */
function everyChart(models: readonly string[], tasks: readonly string[] = ["one", "two", "three"]): Case[] {
  const size = models.length
  const places = models.map((_, i) => i)
  const best = places.map((i) => Math.max(1, i))
  const worst = places.map((i) => Math.min(size, i + 2))
  const score = places.map((i) => 0.9 - i / (2 * size + 1))
  const low = score.map((value) => value - 0.02)
  const high = score.map((value) => value + 0.02)
  const shown = places.map((i) => places.map((j) => j > i + 1))
  const probability = places.map((i) => places.map((j) => (j > i ? 0.9 : 0.1)))
  const spread = places.map((i) => places.map((r) => (Math.abs(i - r) < 1 ? 1 : 0)))
  const lists = tasks.map(() => best)
  const categories = ["A", "B", "C"]
  const all: Case[] = []
  const add = <I>(name: string, input: I, draw: (input: I, options: ChartOptions) => SVGSVGElement, table: (input: I) => DataTable): void => {
    all.push({ name, draw: (options) => draw(input, options), table: () => table(input) })
  }
  const ranks = { models, best, worst, name: "Rank" }
  add("rankIntervals", { ...ranks, second: { name: "New", best, worst } }, charts.rankIntervals, charts.rankIntervalsTable)
  add("modelRanks", { tasks: models, best, worst, categories: models.map((_, i) => categories[i % 3]!), size, sort: "width" as const, newTask: { best: 1, worst: Math.max(size, 1) } }, charts.modelRanks, charts.modelRanksTable)
  add("aggregateRank", { ...ranks, score, low, high, scoreName: "Score", rankName: "Rank", direction: "higher" as const }, charts.aggregateRank, charts.aggregateRankTable)
  add("heatMap", { models, tasks, best: lists, worst: tasks.map(() => worst) }, charts.heatMap, charts.heatMapTable)
  add("widths", { tasks: models, size, widths: models.map(() => best) }, charts.widths, charts.widthsTable)
  add("rankProbability", { models, probability: spread }, charts.rankProbability, charts.rankProbabilityTable)
  add("dominance", { models, shownBetter: shown, probability }, charts.dominance, charts.dominanceTable)
  add("hasse", { models, edges: places.slice(2).map((i): charts.Edge => [i - 2, i]) }, charts.hasse, charts.hasseTable)
  add("lanes", { models, score, low, high, scoreName: "Score", runs: charts.unseparatedRuns(shown) }, charts.lanes, charts.lanesTable)
  const triple = [score, [...score].reverse(), score.map((value, i) => (i % 2 ? value : 1 - value))]
  add("simplex", { models, categories, score: triple, differenceSe: triple.map(() => places.map(() => places.map(() => 0.01))), z: 2, weights: [0.2, 0.3, 0.5] }, charts.simplex, charts.simplexTable)
  add("sensitivity", { alphas: [0.1, 0.2], alpha: 0.2, most: size, series: models.slice(0, 4).map((name) => ({ name, width: [2, 1] })) }, charts.sensitivity, charts.sensitivityTable)
  add("leftOut", { models, expected: 0.8, series: [{ name: "task", share: score, low, high }, { name: "family", share: score, low, high }] }, charts.leftOut, charts.leftOutTable)
  add("distributions", { models, mean: score, low, high, scoreName: "Accuracy", direction: "lower" as const, bins: { edges: [0, 0.5, 1], share: models.map(() => [0.25, 0.75]) } }, charts.distributions, charts.distributionsTable)
  add("votesPerPair", { models, votes: places.map((i) => places.map((j) => (i === j ? 0 : (i + j) % 7))) }, charts.votesPerPair, charts.votesPerPairTable)
  add("neighbours", { pairs: models.slice(1).map((behind, i) => ({ ahead: models[i]!, behind, difference: 0.1, se: 0.05, votes: i % 3 === 0 ? 0 : i % 3 === 1 ? null : 1234 })), unit: "log odds", z: 1.96 }, charts.neighbours, charts.neighboursTable)
  add("health", { findings: models.map((name, i) => ({ name, value: i % 2 ? "0.5" : null, sentence: `About ${name}.`, concern: i % 2 === 0 })) }, charts.health, charts.healthTable)
  return all
}

const FEW = ["alpha", "beta", "gamma", "delta", "epsilon"]
const options = (extra: Partial<ChartOptions> = {}): ChartOptions => ({ id: "c", width: 720, title: "A picture", ...extra })

describe.each(everyChart(FEW).map(({ name }, k) => ({ name, k })))("$name", ({ k }) => {
  test("has a title and a description as its text alternative", () => {
    const svg = everyChart(FEW)[k]!.draw(options())
    const title = svg.querySelector("#c-title")
    const description = svg.querySelector("#c-desc")
    expect(svg.getAttribute("aria-labelledby")).toBe("c-title")
    expect(svg.getAttribute("aria-describedby")).toBe("c-desc")
    expect(title?.textContent).toBe("A picture")
    expect(description?.textContent?.length).toBeGreaterThan(30)
    expect(everyChart(FEW)[k]!.draw(options({ description: "Mine" })).querySelector("desc")?.textContent).toBe("Mine")
  })

  test("is an image, or a group whose marks take the focus", () => {
    const svg = everyChart(FEW)[k]!.draw(options())
    const stops = svg.querySelectorAll("[tabindex='0']").length
    expect([svg.getAttribute("role"), Math.min(stops, 1)]).toEqual(stops > 0 ? ["group", 1] : ["img", 0])
    expect(stops).toBeLessThanOrEqual(1)
  })

  test("says beside each axis of numbers what it counts, inside of the drawing", () => {
    for (const width of [320, 720, 1200]) {
      const svg = everyChart(FEW)[k]!.draw(options({ width }))
      const axes = [...svg.querySelectorAll("g")].filter((group) => group.querySelectorAll(":scope > .tick").length > 0)
      const titles = [...svg.querySelectorAll(".rb-axis")]
      expect(titles.length).toBeGreaterThanOrEqual(axes.length)
      for (const title of titles) {
        expect(title.textContent).not.toBe("")
        expect(Number(title.getAttribute("y"))).toBeGreaterThan(0)
      }
    }
  })

  test("is the same drawing for the same input, and sets no style", () => {
    const [one, two] = [everyChart(FEW)[k]!.draw(options()), everyChart(FEW)[k]!.draw(options())]
    expect(one.outerHTML).toBe(two.outerHTML)
    expect(one.querySelectorAll("[style], style, script, image, foreignObject")).toHaveLength(0)
    expect(one.outerHTML).not.toMatch(/NaN|undefined|Infinity/)
  })

  test.each([320, 1200])("keeps its texts inside a width of %i", (width) => {
    for (const names of [HOSTILE, Array.from({ length: 12 }, (_, i) => `a rather long name of model ${i}`)]) {
      const svg = everyChart(names)[k]!.draw(options({ width }))
      const drawn = Number(svg.getAttribute("width"))
      for (const text of svg.querySelectorAll("text[text-anchor=end]")) expect(Number(text.getAttribute("x"))).toBeLessThanOrEqual(drawn)
      for (const text of svg.querySelectorAll("text")) expect(text.textContent!.length).toBeLessThan(drawn)
    }
  })

  test("keeps hostile names as text, with what is not seen written out", () => {
    const svg = everyChart(HOSTILE)[k]!.draw(options({ title: HOSTILE[1]! }))
    expect(svg.querySelector("script")).toBeNull()
    // Joined emoji stay whole; a joiner anywhere else is written out.
    expect(svg.textContent!.replaceAll("\u{1f469}\u200d\u{1f680}", "")).not.toMatch(/[\u202e\u2066\u200d]/)
    expect(svg.querySelector("title")?.textContent).toBe("\\u202egpt\\u2066")
  })

  test("draws nothing, one and two models without failing", () => {
    for (const names of [[], ["only"], ["one", "two"]]) {
      const { draw, table } = everyChart(names)[k]!
      const svg = draw(options())
      expect(svg.querySelector("desc")?.textContent).not.toBe("")
      expect(svg.outerHTML).not.toMatch(/NaN|undefined|Infinity/)
      expect(table().columns.length).toBeGreaterThan(0)
    }
  })

  test("draws 500 models, or says how many it leaves out", () => {
    const many = Array.from({ length: 500 }, (_, i) => `model ${i}`)
    const svg = everyChart(many)[k]!.draw(options())
    expect(svg.querySelectorAll("*").length).toBeLessThan(26_000)
    expect(svg.outerHTML).not.toMatch(/NaN|undefined|Infinity/)
    const names = svg.querySelectorAll("[data-position]").length
    if (names > 0 && names < 500) expect(svg.textContent).toMatch(/more: see the data below/)
  })

  test("gives a rectangular table", () => {
    const { columns, rows } = everyChart(FEW)[k]!.table()
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toHaveLength(columns.length)
  })
})

test("tables hold the input, number by number", () => {
  const input = { models: ["a", "b"], best: [1, 1], worst: [2, 2], name: "Rank", second: { name: "New", best: [1, 2], worst: [1, 2] } }
  expect(charts.rankIntervalsTable(input)).toEqual({
    columns: ["Model", "Rank: best", "Rank: worst", "New: best", "New: worst"],
    rows: [["a", 1, 2, 1, 1], ["b", 1, 2, 2, 2]],
  })
  expect(charts.heatMapTable({ models: ["a", "b"], tasks: ["t", "u"], best: [[1, 2], [1, 1]], worst: [[1, 2], [2, 2]] }).rows).toEqual([
    ["a", "t", 1, 1],
    ["a", "u", 1, 2],
    ["b", "t", 2, 2],
    ["b", "u", 1, 2],
  ])
  expect(charts.rankProbabilityTable({ models: ["a"], probability: [Float32Array.of(0.25, NaN)] }).rows).toEqual([["a", 0.25, null]])
  expect(charts.dominanceTable({ models: ["a", "b"], shownBetter: [[0, 1], [0, 0]] }).rows).toEqual([["a", "b", "better"], ["b", "a", "worse"]])
  expect(charts.widthsTable({ tasks: ["t"], widths: [[0, 2, 2]], size: 3 }).rows).toEqual([["t", 0, 1], ["t", 2, 2]])
  expect(charts.hasseTable({ models: ["a", "b"], edges: [[0, 1]] }).rows).toEqual([["a", "b"]])
  expect(charts.votesPerPairTable({ models: ["a", "b", "c"], votes: [[0, 3, 0], [3, 0, 5], [0, 5, 0]] }).rows).toEqual([["a", "b", 3], ["a", "c", 0], ["b", "c", 5]])
  expect(charts.lanesTable({ models: ["a", "b"], score: [1, null], scoreName: "S", runs: [[0, 1]] }).rows).toEqual([["a", 1, "1"], ["b", null, "1"]])
})

test("lines of one model over tasks are sorted by width or position", () => {
  const input = { tasks: ["wide", "late", "early"], best: [1, 5, 1], worst: [9, 6, 2], categories: [null, "x", "x"], size: 9 }
  const order = (sort: "width" | "position" | "given"): unknown[] => charts.modelRanksTable({ ...input, sort }).rows.map(([task]) => task)
  expect(order("width")).toEqual(["early", "late", "wide"])
  expect(order("position")).toEqual(["early", "wide", "late"])
  expect(order("given")).toEqual(["wide", "late", "early"])
})

test("a category looks the same for every model, by colour and by shape", () => {
  const draw = (categories: string[]): string[] => {
    const svg = charts.modelRanks({ tasks: categories, best: categories.map(() => 1), worst: categories.map(() => 2), categories, size: 3, sort: "given", allCategories: ["x", "y"] }, options())
    return [...svg.querySelectorAll(".rb-row path")].map((path) => `${path.getAttribute("d")} ${path.getAttribute("fill")}`)
  }
  const [x, y] = draw(["x", "y"])
  expect(draw(["y"])).toEqual([y])
  expect(x!.split(" var")[0]).not.toBe(y!.split(" var")[0])
  expect(x!.split(" var")[1]).not.toBe(y!.split(" var")[1])
})

test("lines are chosen by click and by keyboard, and one of them is a tab stop", () => {
  const chosen = vi.fn()
  const svg = everyChart(FEW)[0]!.draw(options({ onSelect: chosen }))
  document.body.replaceChildren(svg)
  const rows = [...svg.querySelectorAll<SVGGElement>(".rb-row")]
  expect(rows.map((row) => row.getAttribute("tabindex"))).toEqual(["0", "-1", "-1", "-1", "-1"])
  rows[0]!.focus()
  const press = (key: string): boolean => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
  press("ArrowDown")
  press("Enter")
  expect(document.activeElement).toBe(rows[1])
  press("End")
  press(" ")
  rows[2]!.dispatchEvent(new MouseEvent("click", { bubbles: true }))
  expect(chosen.mock.calls).toEqual([[1], [4], [2]])
  expect(rows[0]!.querySelector("title")!.textContent).toBe("alpha: Rank, ranks 1 to 2; New, ranks 1 to 2")
})

test("the cursor of a table of cells reads out its cell", () => {
  const svg = charts.heatMap({ models: ["a", "b"], tasks: ["t", "u"], best: [[1, 2], [1, 1]], worst: [[1, 2], [2, 2]] }, options())
  document.body.replaceChildren(svg)
  const cursor = svg.querySelector<SVGGElement>(".rb-cursor")!
  cursor.focus()
  const says = (): string | null => svg.querySelector(".rb-readout")!.textContent
  expect(says()).toBe("a on t: rank 1")
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) cursor.dispatchEvent(new KeyboardEvent("keydown", { key }))
  expect(says()).toBe("b on u: ranks 1 to 2")
  expect(cursor.getAttribute("aria-label")).toBe("b on u: ranks 1 to 2")
})

test("a Hasse diagram shows what is above and below a model", () => {
  const held = vi.fn()
  const input = { models: ["top", "left", "right", "low", "alone"], edges: [[0, 1], [0, 2], [1, 3], [2, 3]] as charts.Edge[] }
  const svg = charts.hasse(input, options({ onSelect: held }))
  document.body.replaceChildren(svg)
  const node = (name: string): SVGGElement => [...svg.querySelectorAll<SVGGElement>(".rb-node")].find((one) => one.querySelector("title")!.textContent!.startsWith(name))!
  expect(node("top").querySelector("title")!.textContent).toBe("top: shown better than 3, shown worse than 0, not told apart from 1")
  node("left").dispatchEvent(new MouseEvent("click"))
  expect(held).toHaveBeenCalledWith(1)
  expect(node("left").getAttribute("aria-pressed")).toBe("true")
  const sign = (name: string, side: string): string => node(name).querySelector(`.rb-${side}`)!.getAttribute("visibility")!
  expect([sign("top", "above"), sign("low", "below"), sign("right", "above"), sign("right", "below")]).toEqual(["visible", "visible", "hidden", "hidden"])
  expect(node("alone").getAttribute("opacity")).toBe("0.4")
  node("left").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))
  expect(node("left").getAttribute("aria-pressed")).toBe("false")
  expect(node("alone").getAttribute("opacity")).toBe("1")
})

test("runs of models not told apart are the longest ones", () => {
  const shown = [
    [0, 0, 1, 1],
    [0, 0, 0, 1],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]
  expect(charts.unseparatedRuns(shown)).toEqual([[0, 1], [1, 2], [2, 3]])
  expect(charts.unseparatedRuns([[0, 0, 0], [0, 0, 0], [0, 0, 0]])).toEqual([[0, 2]])
  expect(charts.unseparatedRuns([[0, 1], [0, 0]])).toEqual([])
})

describe("the simplex of weights", () => {
  const input = {
    models: ["a", "b", "c"],
    categories: ["x", "y", "z"],
    score: [[1, 0, 0.2], [0, 1, 0.2], [0, 0, 0.2]],
    differenceSe: null,
    z: 2,
  }

  test("has a region for each winner, and they fill the triangle", () => {
    const regions = charts.winnerRegions(input)
    expect(regions.map(({ model }) => model).sort()).toEqual([0, 1, 2])
    expect(regions.reduce((sum, { area }) => sum + area, 0)).toBeCloseTo(1, 12)
    // c wins where the weights of x and y are at most 0.2: a rhombus of area 2 * 0.2 * 0.2 / 2 / (1 / 2).
    expect(regions.find(({ model }) => model === 2)!.area).toBeCloseTo(0.08, 12)
  })

  test("agrees with the winner at random weights", () => {
    const regions = charts.winnerRegions(input)
    const inside = ([p, q]: number[], corners: number[][]): boolean =>
      corners.every(([a, b], i) => {
        const [c, d] = corners[(i + 1) % corners.length]!
        return (c! - a!) * (q! - b!) - (d! - b!) * (p! - a!) >= -1e-12
      })
    for (let k = 1; k < 200; k += 1) {
      const [u, v] = [(k * 0.618034) % 1, (k * 0.754878) % 1].sort((a, b) => a - b) as [number, number]
      const weights = [u, v - u, 1 - v]
      const duel = charts.duelAt(input, weights)!
      const region = regions.find(({ model }) => model === duel.winner)!
      expect(inside(weights, region.corners)).toBe(true)
    }
  })

  test("says how far ahead the winner is, and with which error", () => {
    const differenceSe = [0.1, 0.2, 0.3].map((se) => [0, 1, 2].map(() => [se, se, se]))
    const duel = charts.duelAt({ ...input, differenceSe }, [0.5, 0.3, 0.2])!
    expect([duel.winner, duel.runnerUp]).toEqual([0, 1])
    expect(duel.margin).toBeCloseTo(0.2, 12)
    expect(duel.error).toBeCloseTo(Math.hypot(0.05, 0.06, 0.06), 12)
    // What two categories have in common counts twice, by both weights.
    const linked = [{ first: 0, second: 1, covariance: () => 0.004 }]
    expect(charts.duelAt({ ...input, differenceSe, linked }, [0.5, 0.3, 0.2])!.error).toBeCloseTo(Math.sqrt(0.0097 + 0.0012), 12)
    expect(charts.duelAt({ ...input, differenceSe, linked }, [1, 0, 0])!.error).toBeCloseTo(0.1, 12)
  })

  test("hatches everything where no lead is large enough, and nothing where all are", () => {
    const say = (se: number): string => {
      const differenceSe = [0, 1, 2].map(() => [0, 1, 2].map(() => [se, se, se]))
      return charts.simplex({ ...input, differenceSe }, options()).querySelector("desc")!.textContent!
    }
    expect(say(100)).toContain("On 100 % (hatched)")
    expect(say(1e-9)).toMatch(/On <1 % \(hatched\)/)
  })
})
