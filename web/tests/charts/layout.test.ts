import { expect, test } from "vitest"
import { rankTicks } from "../../src/charts/ticks"
import { layGrid } from "../../src/charts/cells"
import { type Edge, depths, downSets, isotonic, layLanes, layLayers } from "../../src/charts/layers"
import { textWidth } from "../../src/charts/names"
import { layRows } from "../../src/charts/rows"

/** Numbers between 0 and 1 that look random and are the same every time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** Transitive reduction of a random order in which earlier models may be better. */
function randomOrder(size: number, density: number, seed: number): { edges: Edge[]; better: boolean[][] } {
  const next = numbers(seed)
  const better = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (__, j) => j > i && next() < density))
  for (let k = 0; k < size; k += 1) {
    for (let i = 0; i < size; i += 1) for (let j = 0; j < size; j += 1) if (better[i]![k] && better[k]![j]) better[i]![j] = true
  }
  const edges: Edge[] = []
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      if (better[i]![j] && !better[i]!.some((yes, k) => yes && better[k]![j])) edges.push([i, j])
    }
  }
  return { edges, better }
}

test.each([5, 12, 30, 60])("boxes of a diagram of %i models keep apart, and lines lead down", (size) => {
  for (const density of [0.05, 0.2, 0.6]) {
    const { edges } = randomOrder(size, density, size)
    const widths = Array.from({ length: size }, (_, i) => 60 + 10 * (i % 7))
    const layout = layLayers({ widths, edges, width: 9000, boxHeight: 24, gap: 14 })!
    for (const layer of layout.layers) {
      const places = layer.map((i) => ({ left: layout.points[i]!.x - widths[i]! / 2, right: layout.points[i]!.x + widths[i]! / 2 }))
      places.forEach(({ left, right }, k) => {
        expect(left).toBeGreaterThanOrEqual(-1e-9)
        expect(right).toBeLessThanOrEqual(9000 + 1e-9)
        if (k > 0) expect(left).toBeGreaterThanOrEqual(places[k - 1]!.right + 14 - 1e-6)
      })
    }
    edges.forEach(([a, b], k) => {
      expect(layout.points[a]!.y).toBeLessThan(layout.points[b]!.y)
      expect([layout.lines[k]![0], layout.lines[k]!.at(-1)]).toEqual([layout.points[a], layout.points[b]])
    })
    expect(layout.layers.flat().sort((a, b) => a - b)).toEqual(widths.map((_, i) => i))
  }
})

test("a layer that is too wide for the room gets no layers", () => {
  expect(layLayers({ widths: [200, 200], edges: [], width: 300, boxHeight: 24, gap: 14 })).toBeNull()
})

test("one line per model keeps better models above, each in a column of its own line", () => {
  const { edges } = randomOrder(40, 0.1, 7)
  const { order, lane, lanes } = layLanes(40, edges)
  expect([...order].sort((a, b) => a - b)).toEqual(order.map((_, i) => i))
  for (const [a, b] of edges) expect(order.indexOf(a)).toBeLessThan(order.indexOf(b))
  expect(Math.max(...lane)).toBe(lanes - 1)
})

test("what is below a model is all that lines lead to", () => {
  const { edges, better } = randomOrder(25, 0.15, 3)
  const down = downSets(25, edges)
  better.forEach((row, i) => expect([...down[i]!].sort((a, b) => a - b)).toEqual(row.flatMap((yes, j) => (yes ? [j] : []))))
  expect(depths(3, [[0, 1], [1, 2]])).toEqual([0, 1, 2])
})

test("the nearest sequence that never falls", () => {
  expect(isotonic([3, 1, 2, 5])).toEqual([2, 2, 2, 5])
  expect(isotonic([])).toEqual([])
})

test("numbers of an axis of ranks hold the first and the last, and do not touch", () => {
  for (const size of [1, 2, 5, 16, 29, 99, 129, 166, 500, 5000]) {
    for (const room of [60, 120, 300, 1000]) {
      const ticks = rankTicks(size, room)
      expect([ticks[0], ticks.at(-1)]).toEqual([1, size])
      ticks.forEach((tick, k) => {
        if (k === 0) return
        const between = ((tick - ticks[k - 1]!) * room) / size
        expect(between).toBeGreaterThan((textWidth(String(tick), 11) + textWidth(String(ticks[k - 1]!), 11)) / 2)
      })
    }
  }
})

test("steps of an axis of ranks are even, but for the one to the last rank", () => {
  expect(rankTicks(13, 200)).toEqual([1, 3, 5, 7, 9, 11, 13])
  expect(rankTicks(29, 200)).toEqual([1, 5, 10, 15, 20, 25, 29])
})

test("names of lines take at most a third of a narrow drawing and leave room for the marks", () => {
  const names = ["x".repeat(400), "y"]
  for (const width of [320, 768, 1200]) {
    const rows = layRows({ names, options: { id: "c", width, title: "" }, top: 0, numbers: ["100–500"] })
    expect(rows.left).toBeLessThan(width * 0.4)
    expect(rows.right - rows.left).toBeGreaterThan(width * 0.35)
    for (const text of rows.labels) expect(textWidth(text, 12)).toBeLessThanOrEqual(rows.room)
  }
})

test("columns of cells are never narrower than their names are high, or get numbers", () => {
  const names = Array.from({ length: 60 }, (_, i) => `model number ${i}`)
  const settings = { rowNames: names, columnNames: names, columns: 60, top: 0, longest: "m" }
  for (const width of [320, 768, 1200]) {
    const options = { id: "c", width, title: "" }
    expect(layGrid({ ...settings, options }).wide).toBeGreaterThanOrEqual(14)
    const square = layGrid({ ...settings, options, square: true })
    expect(square.wide).toBeGreaterThanOrEqual(8)
    const turned = square.names.some((node) => (node as Element).getAttribute("transform") !== null)
    expect(turned).toBe(square.wide >= 14)
  }
})
