import { beforeEach, describe, expect, it } from "vitest"
import { Names } from "../src/names"
import type { PageData } from "../src/data"
import { count, guaranteed, level, pairedTexts, signed } from "../src/numbers"
import { Address, formatState, parseState } from "../src/state"

const HOSTILE = ["a&b=c", "<script>", "#%20", "~3", "\u202eabc", "ü 日本", "x".repeat(300), "a+b c"]

describe("the address", () => {
  beforeEach(() => history.replaceState(null, "", "/"))

  it("keeps every name as it is", () => {
    for (const name of HOSTILE) {
      const state = { model: name, vs: name, q: name }
      expect(parseState(formatState(state))).toEqual(state)
    }
  })

  it("reads a plain fragment as a place on the page, and nonsense as nothing", () => {
    expect(parseState("#notes")).toEqual({ at: "notes" })
    expect(parseState("#foo=1&constructor=2&__proto__=3")).toEqual({})
    expect(parseState("")).toEqual({})
  })

  it("tells what changed, once, and takes empty values away", () => {
    const address = new Address()
    const told: [unknown, unknown][] = []
    address.listen((state, before) => told.push([state, before]))
    address.set({ q: "x" })
    address.set({ q: "x" })
    address.set({ q: "" }, "replace")
    expect(told).toEqual([[{ q: "x" }, {}], [{}, { q: "x" }]])
    expect(location.hash).toBe("")
  })
})

describe("names in the address", () => {
  const data = { models: ["a", "b", "a", "~1"], tasks: [{ name: "t" }] } as unknown as PageData
  const names = new Names(data)

  it("finds every model again, also where two look alike", () => {
    for (const position of data.models.keys()) expect(names.model(names.modelKey(position))).toBe(position)
    expect(names.modelKey(0)).toBe("a")
    expect(names.modelKey(2)).toBe("~2")
  })

  it("finds nothing for what is not there", () => {
    expect(names.model("zzz")).toBeNull()
    expect(names.model("~9")).toBeNull()
    expect(names.task(undefined)).toBeNull()
  })
})

describe("numbers", () => {
  it("give differences a sign and never show one as zero", () => {
    expect([signed(0.123, 2), signed(-0.123, 2), signed(0, 2), signed(-0.0004, 2), signed(NaN, 2)]).toEqual([
      "+0.12", "−0.12", "0.00", "−0.0004", "–",
    ])
  })

  it("share the decimals of a column", () => {
    expect(pairedTexts([0.71638, 0.5, NaN], [0.012, 0.013, NaN])).toEqual(["0.716 ±0.012", "0.500 ±0.013", "–"])
    expect(pairedTexts([71.3, 64], [0.16, NaN], 1)).toEqual(["71.3 ±0.2", "64.0"])
    expect(pairedTexts([1284.37, -1012.2], [9.1, 1234.4], 0)).toEqual(["1,284 ±9", "-1,012 ±1,234"])
  })

  it("promise no more than holds", () => {
    expect([guaranteed(0.79487), guaranteed(0.7999999999999999), level(0.05), level(0.2)]).toEqual([
      "79.4\u00a0%", "80\u00a0%", "95\u00a0%", "80\u00a0%",
    ])
    expect([count(12032), count(999), count(1234567)]).toEqual(["12,032", "999", "1,234,567"])
  })
})
