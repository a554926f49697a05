import { beforeEach, describe, expect, it } from "vitest"
import { finder, countShown, chosen, pinned } from "../src/pins"
import { Board } from "../src/board"
import type { Context } from "../src/context"
import { Names } from "../src/names"
import type { PageData } from "../src/data"
import { Address, formatState, parseState } from "../src/state"

const MODELS = ["gpt-4 turbo", "Llama 3 70b", "llama 3 8b", "one, two", "gemini"]
const none = { kind: "f4", bytes: "" } as const

function contextOf(hash: string): Context {
  history.replaceState(null, "", hash || "/")
  const data = { models: MODELS, tasks: [], order: [4, 0, 1, 2, 3], best: none, worst: none, mean: none, se: none, shownBetter: none } as unknown as PageData
  const rows = new Map(MODELS.map((_, model) => [model, document.createElement("tr")]))
  return { board: new Board(data), rows, names: new Names(data), address: new Address(), part: null, paint: () => {} }
}

describe("several names", () => {
  const found = (query: string) => MODELS.filter(finder(query))

  it("are found by any word, or by all words between two commas", () => {
    expect(found("LLAMA gemini")).toEqual(["Llama 3 70b", "llama 3 8b", "gemini"])
    expect(found("llama 70b, gpt")).toEqual(["gpt-4 turbo", "Llama 3 70b"])
    expect(found("llama 70b,")).toEqual(["Llama 3 70b"])
    expect([found(" , ").length, found("").length, found("xyz").length]).toEqual([5, 5, 0])
  })

  it("are counted without a new rank", () => {
    expect([countShown(5, 5, 29), countShown(29, 29, 29), countShown(25, 80, 500), countShown(25, 500, 500)]).toEqual([
      "5 of 29 shown, ranks among 29",
      "29 models",
      "25 of 80 found, ranks among 500",
      "25 of 500 shown, ranks among 500",
    ])
  })
})

describe("ticked models", () => {
  beforeEach(() => history.replaceState(null, "", "/"))

  it("stand in the address by name, and by number where a comma is in it", () => {
    const state = { pin: "gemini,Llama 3 70b,~3,nobody", only: "1" }
    expect(formatState(state)).toBe("#pin=gemini,Llama+3+70b,%7E3,nobody&only=1")
    expect(parseState(formatState(state))).toEqual(state)
    expect(pinned(contextOf(formatState(state)))).toEqual([4, 1, 3])
  })

  it("are all that is shown where only they are wanted, and none of them hides nothing", () => {
    expect(chosen(contextOf("#pin=gemini,llama+3+8b&only=1"))).toEqual([4, 2])
    expect(chosen(contextOf("#pin=gemini,llama+3+8b&only=1&q=llama"))).toEqual([2])
    expect(chosen(contextOf("#pin=gemini"))).toEqual([4, 0, 1, 2, 3])
    expect(chosen(contextOf("#only=1"))).toEqual([4, 0, 1, 2, 3])
  })
})
