/** The data island of the page: what render/pagedata.py writes. Matrices are row-major. */

/** Numbers in base64, little-endian: unsigned integers of so many bytes, or floats. */
export interface Packed {
  kind: "u1" | "u2" | "u4" | "f4" | "f8"
  bytes: string
}

export type Direction = "higher" | "lower"
export type Kind = "items" | "folds" | "runs" | "estimates" | "votes"

export interface TaskData {
  name: string
  kind: Kind
  n: number
  category: string | null
  family: string | null
  metric: string | null
  direction: Direction
  /** Weight in the published average. */
  weight: number
  /** Error rate of the rank intervals on this task. */
  alpha: number
  /** Error rate of one side of them; null where nothing is promised. */
  side: number | null
  /** What the rank intervals state, ready to show. */
  claim: string
  /** Whether their level is only nearly held: it is not printed then. */
  approximate: boolean
  test: string
  scoreTitle: string
  /** What stands behind ± of its scores, ready to show. */
  scoreNote: string
  /** Decimals of its scores; null for powers of ten. */
  decimals: number | null
  /** Ends of the own intervals of its scores, where they are not ± a multiple of the error. */
  ends: { low: Packed; high: Packed } | null
  /** Degrees of freedom behind its scores: one number, one per model, or null for a normal tail. */
  df: number | null | Packed
  counts: OutcomesData | null
}

/** What became of the expected rows, per model; null for a list of zeros, or what was not counted. */
export interface OutcomesData {
  expected: number
  zeros: Packed | null
  unscored: Packed | null
  errors: Packed | null
  missing: Packed | null
}

/** Rank intervals of all models, with what they state. */
export interface RanksData {
  title: string
  words: string
  best: number[]
  worst: number[]
}

/** An arena in one category: of the models that it ranks, best first, by position. */
export interface PartData {
  name: string
  votes: string
  words: string
  models: number[]
  best: number[]
  worst: number[]
  score: number[]
  low: (number | null)[]
  high: (number | null)[]
  decimals: number
}

export interface AverageData {
  title: string
  words: string
  level: string
  over: "items" | "tasks" | "families"
  unit: "score" | "rank"
  direction: Direction
  alpha: number
  scope: "each" | "all"
  score: (number | null)[]
  low: (number | null)[]
  high: (number | null)[]
  /** Least and greatest average that there can be, where that is known. */
  bounds: [number | null, number | null]
  /** Whether low and high, and the ranks, are ranges of draws: they describe and promise nothing. */
  isRange: boolean
  best: number[]
  worst: number[]
}

/** What models cost beside what they score; null where it is not known. */
export interface CostsData {
  metric: string
  cost: (number | null)[]
  low: (number | null)[]
  high: (number | null)[]
  /** On the front as observed; may be on the true one. */
  observed: boolean[]
  possible: boolean[]
  /** Level of statements about scores, and what is seen in the chart. */
  level: string
  words: string
}

/** What draws of the scores say of ranks, on what is shown first, where it may stand beside them. */
export interface SharesData {
  /** Share of draws in which a model is first, and among the first `topCount`. */
  first: (number | null)[] | null
  top: (number | null)[] | null
  topCount: number
  /** Models times ranks; null where there are no draws, or too many models. */
  rankProbability: Packed | null
  /** Models times models: how likely the first is better. */
  dominance: Packed | null
}

/** What may be recomputed here, and by which rules. */
export interface ExploreData {
  merge: "joint" | "quantile" | "union" | null
  /** Whether observed ranks are merged instead of rank intervals. */
  observed: boolean
  /** Error rate of the board, and of one side of the merged intervals, where they were made for it. */
  split: { alpha: number; side: number; holds: boolean } | null
  alphaOverall: number | null
  alphasOverall: number[]
  average: AverageRule | null
  /** Why averages cannot be recomputed. */
  reason: string
}

export interface AverageRule {
  rule: "items" | "tasks"
  correction: "holm" | "bonferroni" | "none"
  /** Whether the board drew its critical values, in place of which Holm's are used here. */
  drawn: boolean
  scope: "each" | "all"
  alpha: number
  alphas: number[]
  offset: number[]
  factor: number[]
  /** Code of the family of each task, where families are averaged. */
  families: number[] | null
}

/** Pairs i < j in the order (0,1), (0,2), …, (1,2), … of one task. */
export interface PairsData {
  /** Difference i minus j, higher is better; null where it is the difference of the means. */
  difference: Packed | null
  se: Packed
  /** Degrees of freedom: one number, one per pair, or null for a normal tail. */
  df: number | null | Packed
  /** Independent rows: one number, or one per pair; 0: not known. */
  n: number | Packed
  /** Degrees of freedom behind the scores: one number, one per model, or null. */
  modelDf: number | null | Packed
  /** Rows on which i, and on which j, did better; null where not known. */
  ahead: Packed | null
  behind: Packed | null
  binary: boolean
  /** Rows of each model whose score lies in each bin: models times bins. */
  bins: { edges: number[]; counts: Packed } | null
}

/** Scores of rows that several tasks share: tasks times rows times models. */
export interface SharedRowsData {
  tasks: number[]
  rows: number
  /** Scores that there are, null for a model without the task; null where the scores stand themselves. */
  levels: (number | null)[] | null
  /** Scores, or their places among the levels: one bit each where there are two. */
  scores: Packed
}

/** Health of the votes of one task, and what its neighbours need to be told apart. */
export interface HealthData {
  /** Error rate and power that the numbers of votes are for. */
  alpha: number
  power: number
  findings: { name: string; value: string | null; sentence: string; concern: boolean }[]
  neighbours: {
    ahead: number
    behind: number
    /** Of the log strengths. */
    difference: number | null
    se: number | null
    /** 0: enough already; null: none can be named. */
    votes: number | null
  }[]
}

export interface NoteData {
  number: number | null
  code: string
  text: string
  models: number[]
  tasks: number[]
}

export interface PageData {
  schema: "rankbars.page/1"
  rankbars: string
  lead: "task" | "aggregate" | "new_task"
  models: string[]
  tasks: TaskData[]
  /** Positions of the models, best first, as the page lists them. */
  order: number[]
  /** Null where rows hold for one model named in advance. */
  tier: number[] | null
  coverage: (number | null)[]
  /** First column of ranks of the board. */
  leadRanks: RanksData
  /** What it is about, in two words. */
  ranked: string
  /** The same for somebody who had one model in mind: rows of single models; null where there are none. */
  oneModel: { ranks: RanksData; title: string; level: string } | null
  newTask: RanksData | null
  average: AverageData | null
  /** Categories of votes that were ranked; null where there are none. */
  parts: PartData[] | null
  shares: SharesData | null
  /** Only where costs were given. */
  costs: CostsData | null
  /** Tasks times models. */
  best: Packed
  worst: Packed
  mean: Packed
  se: Packed
  /** Strengths of votes on the scale of Elo, on a board of one set of votes. */
  elo: Packed | null
  /** Null where every model has every score. */
  taskCoverage: Packed | null
  /** One bit for each pair, models times models: whether the first was shown better; all of them hold at once. */
  shownBetter: Packed
  /** Lines of the Hasse diagram (better, worse); null where there is no order. */
  edges: Packed | null
  explore: ExploreData
  /** What new-task intervals are made of, tasks times models, where that is not best and worst. */
  merged: { best: Packed; worst: Packed } | null
  pairs: (PairsData | null)[] | null
  /** Of tasks that are averaged row by row, where averages of others can be computed again; null without any. */
  sharedRows: SharedRowsData[] | null
  /** Per task; null for tasks without votes. */
  health: (HealthData | null)[] | null
  /** What is known of models beside their scores: per attribute a text of each model. */
  attributes: Record<string, (string | null)[]> | null
  inputs: string[]
  notes: NoteData[]
}

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array }

/** The numbers in a packed list. */
export function unpack(packed: Packed): Numbers {
  const text = atob(packed.bytes)
  const size = text.length
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = text.charCodeAt(i)
  return new TYPES[packed.kind](bytes.buffer)
}

/** The bits of a packed list, the first in the lowest of its byte. */
export function unpackBits(packed: Packed, size: number): Uint8Array {
  const bytes = unpack(packed)
  const bits = new Uint8Array(size)
  for (let k = 0; k < size; k++) bits[k] = (bytes[k >> 3]! >> (k & 7)) & 1
  return bits
}

/** A number that may be one for all, one each, or null for infinitely many. */
export function unpackShared(value: number | null | Packed): number | Float64Array {
  if (value === null) return Infinity
  return typeof value === "number" ? value : Float64Array.from(unpack(value))
}

/** Position of the pair i < j. */
export function pairIndex(i: number, j: number, models: number): number {
  return i * models - (i * (i + 1)) / 2 + (j - i - 1)
}
