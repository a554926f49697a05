import { expect, test } from "vitest"
import { exactLimits, expectedShare, leaveOneOut } from "../../src/explore/leaveoneout"

test("limits of a share are those of Clopper and Pearson", () => {
  // From SciPy: binomtest(9, 10).proportion_ci() and so on.
  const known: [number, number, number, number][] = [
    [9, 10, 0.5549839, 0.9974714],
    [0, 10, 0, 0.3084971],
    [10, 10, 0.6915029, 1],
    [3, 51, 0.0122991, 0.1624222],
  ]
  for (const [hits, count, low, high] of known) {
    const found = exactLimits(hits, count)
    expect(found[0]).toBeCloseTo(low, 6)
    expect(found[1]).toBeCloseTo(high, 6)
  }
})

test("a task outside of what the others say is not counted", () => {
  // Three tasks, two models; the union of two tasks foresees the third or not.
  const best = [1, 1, 1, 2, 2, 1]
  const worst = [1, 2, 2, 2, 2, 1]
  const made = leaveOneOut("union", best, worst, 2, [0, 1, 2], () => 0.2)
  expect(made.count).toBe(3)
  // Model 0: 1–1 is in 1–2; 1–2 is in 1–2; 2–2 is in 1–2. Model 1: 1–2 in 1–2; 2–2 is in 1–2; 1–1 in 1–2.
  expect(made.share).toEqual([1, 1])
  const narrow = leaveOneOut("union", [1, 1, 1, 1, 2, 2], [1, 1, 1, 1, 2, 2], 2, [0, 1, 2], () => 0.2)
  expect(narrow.share).toEqual([2 / 3, 2 / 3])
})

test("a family is left out as a whole", () => {
  const best = [1, 1, 2, 2]
  const made = leaveOneOut("union", best, best, 1, ["a", "a", "b", "b"], () => 0.2)
  expect([made.count, made.share]).toEqual([2, [0]])
})

test("the expected share is that of the merge on one task fewer", () => {
  expect(expectedShare("joint", 14, 0.2)).toBeCloseTo(12 / 14, 12)
  expect(expectedShare("quantile", 19, 0.2)).toBeCloseTo(17 / 19, 12)
  expect(expectedShare("union", 10, 0.2)).toBeCloseTo(8 / 10, 12)
})
