import { describe, expect, it } from "vitest"
import { compareLine } from "../src/board"
import type { PageData } from "../src/data"
import { intervalTexts } from "../src/numbers"
import { averageHalf, averageTasks, sharesOf } from "../src/explore/averages"
import { largestTail, countedStatistic } from "../src/explore/countedlaw"
import { ranksEach, ranksOf, relationAll } from "../src/explore/holm"
import { mergeRanks } from "../src/explore/merges"
import { fitnessOf, skewnessIndex } from "../src/explore/skewness"
import { exactRate, fewestTasks, jointIndex, mergeGuarantee, orderIndex } from "../src/explore/rates"

describe("error rates", () => {
  it("are the decimals that were written", () => {
    expect(exactRate(0.3)).toEqual({ top: 3n, bottom: 10n })
    expect(exactRate(5e-7)).toEqual({ top: 5n, bottom: 10000000n })
    // In binary floating point 99 tasks at 0.58 would get 28.
    expect([orderIndex(20, 0.3), orderIndex(99, 0.58), orderIndex(5, 0.3)]).toEqual([3, 29, 0])
    expect([jointIndex(9, 0.1), jointIndex(8, 0.1)]).toEqual([1, 0])
    expect([fewestTasks("quantile", 0.2), fewestTasks("joint", 0.2)]).toEqual([9, 4])
  })

  it("give the guarantee of a merge", () => {
    expect(mergeGuarantee("quantile", 47, 0.5, 0.025)).toBeCloseTo(0.487, 3)
    expect(mergeGuarantee("joint", 9, 0.2, 0.025)).toBeCloseTo(0.7949, 4)
  })
})

describe("merges", () => {
  it("agree with examples worked by hand", () => {
    const bounds = (merge: "joint" | "quantile" | "union", best: number[], worst: number[], alpha: number) => {
      const found = mergeRanks(merge, [...best, ...best].slice(0, best.length), worst, 1, [...best.keys()], alpha)
      return [found.best[0], found.worst[0]]
    }
    expect(bounds("union", [2, 3], [4, 3], 0.1)).toEqual([2, 4])
    // One model alone has one rank: every merge of intervals [1, 1] is that.
    expect(bounds("joint", [1, 1, 1, 1], [1, 1, 1, 1], 0.4)).toEqual([1, 1])
  })
})

describe("decisions", () => {
  const t = Float64Array.from([0, 4, 6, -4, 0, 1, -6, -1, 0])

  it("of one model equal the example of the package", () => {
    const found = ranksEach({ size: 3, statistic: t, df: 20 }, "holm", 0.05)
    expect([[...found.best], [...found.worst]]).toEqual([[1, 2, 2], [1, 3, 3]])
  })

  it("of all models at once make an order, from which ranks follow", () => {
    const shown = relationAll({ size: 3, statistic: t, df: 20 }, "holm", 0.05)
    expect([...shown]).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0])
    expect([...ranksOf(shown, 3).worst]).toEqual([1, 3, 3])
  })

  it("drop circles and take in what follows", () => {
    const loop = Float64Array.from([0, 9, -9, 9, -9, 0, 9, 9, 9, -9, 0, 9, -9, -9, -9, 0])
    const shown = relationAll({ size: 4, statistic: loop, df: Infinity }, "holm", 0.05)
    expect([...shown]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
  })
})

describe("right and wrong answers", () => {
  it("have the law of t counted", () => {
    // 512 shares of an enumeration of all outcomes; see tests/stats/test_countedlaw.py.
    expect(largestTail(10, 5, 0)).toBeCloseTo(0.01322987, 8)
    expect(largestTail(6, 6, 0)).toBeCloseTo(2 ** -6, 12)
    const pair = { difference: 0.5, se: 1 / 6, df: 9, n: 10, ahead: 5, behind: 0, binary: true }
    expect(countedStatistic(pair)).toBeCloseTo(2.65037932, 6)
    expect(countedStatistic({ ...pair, binary: false })).toBeCloseTo(3, 12)
    expect(countedStatistic({ ...pair, n: 4 })).toBeCloseTo(3, 12) // clusters
  })
})

describe("averages over tasks", () => {
  it("say nothing about models that are the same", () => {
    const task = (a: number, b: number) => ({
      mean: Float64Array.from([a, a, b]), se: new Float64Array(3), df: new Float64Array(3), pairs: null,
    })
    const { contrasts, score } = averageTasks([task(1, 2), task(3, 5), task(2, 2.5)], [1, 1, 1])
    expect([...score]).toEqual([2, 2, 19 / 6])
    expect(contrasts.statistic[1]).toBe(0)
    expect(contrasts.statistic[6]).toBeGreaterThan(0)
  })

  it("take the tasks as one sample, whatever their weight", () => {
    const task = (a: number, b: number) => ({
      mean: Float64Array.from([a, b]), se: new Float64Array(2), df: new Float64Array(2), pairs: null,
    })
    // Values 0, 2, 4 have variance 4; weights 1/2, 1/4, 1/4 make it 4 * 3/8. So do the differences.
    for (const unit of [1, 3e307]) {
      const found = averageTasks([task(0, 0), task(2, 0), task(4, 0)], [2 * unit, unit, unit])
      expect(found.score[0]).toBeCloseTo(1.5, 12)
      expect(found.se[0]).toBeCloseTo(1.5 ** 0.5, 12)
      expect(found.contrasts.se[1]).toBeCloseTo(1.5 ** 0.5, 12)
    }
  })

  it("scale weights whose sum is not finite", () => {
    expect(sharesOf([1e308, 1e308, 1e308, 1e308])).toEqual([0.25, 0.25, 0.25, 0.25])
  })
})

describe("intervals of averages", () => {
  const task = (a: number, b: number) => ({
    mean: Float64Array.from([a, b]), se: new Float64Array(2), df: new Float64Array(2), pairs: null,
  })

  it("do not exist for a model whose scores do not vary", () => {
    const half = averageHalf(averageTasks([task(1, 2), task(1, 3)], [1, 1]), 0.05)
    expect(half[0]).toBeNaN()
    expect(half[1]).toBeCloseTo(6.353, 3) // 12.706 times 0.5
  })

  it("are written with both ends where one of them was cut", () => {
    expect(intervalTexts([0.7, 0.5], [0.69, 0.48], [0.71, 0.52])).toEqual(["0.700 ±0.010", "0.500 ±0.020"])
    expect(intervalTexts([0.99, 0.5, 1], [0.95, 0.46, NaN], [1, 0.54, NaN])).toEqual(["0.99 [0.95, 1.00]", "0.50 [0.46, 0.54]", "1.00"])
  })
})

it("quotes names for the command line", () => {
  const data = { inputs: ["my file.csv"], models: ["a'b", "c"] } as unknown as PageData
  expect(compareLine(data, 0, 1)).toBe("rankbars compare 'my file.csv' --models 'a'\\''b' --models c")
})

describe("rows that are a sample", () => {
  const rows = (...values: number[]) => [Float64Array.from(values), new Float64Array(values.length)]

  it("have the index of the package", () => {
    // Nine zeros and 25: variance 56.25, third central moment 1125, 1125 / 56.25 ** 1.5 / √10.
    expect(skewnessIndex(rows(25, 0, 0, 0, 0, 0, 0, 0, 0, 0))).toBeCloseTo(0.843, 3)
    expect(skewnessIndex(rows(1, 1, 1, 1, 1))).toBe(0)
  })

  it("are too few, skewed, or neither; right and wrong answers are left to other rules", () => {
    expect(fitnessOf(rows(1, 2, 3, 4))).toBe("few")
    expect(fitnessOf(rows(1, 2, 3, 4, 5))).toBe("usual")
    expect(fitnessOf(rows(1, 2, 3, 4, 50))).toBe("skewed")
    expect(fitnessOf(rows(1, 0, 1))).toBe("usual")
  })
})
