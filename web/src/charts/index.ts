/** Every picture of the report: what draws it, and the numbers behind it. See README.md. */

export { aggregateRank, aggregateRankTable, type AggregateRank } from "./aggregaterank"
export { costFront, costFrontTable, type CostPoints } from "./costfront"
export { distributions, distributionsTable, type Distributions } from "./distributions"
export { dominance, dominanceTable, type Dominance } from "./dominance"
export { hasse, hasseTable, type Hasse } from "./hasse"
export { heatMap, heatMapTable, type HeatMap } from "./heatmap"
export { lanes, lanesTable, unseparatedRuns, type Lanes } from "./lanes"
export { leftOut, leftOutTable, type LeftOut } from "./leftout"
export { modelRanks, modelRanksTable, type ModelRanks } from "./modelranks"
export { rankIntervals, rankIntervalsTable, type RankIntervals } from "./rankintervals"
export { rankProbability, rankProbabilityTable, type RankProbability } from "./rankprobability"
export { sensitivity, sensitivityTable, type Sensitivity } from "./sensitivity"
export { duelAt, simplex, simplexTable, winnerRegions, type Duel, type Simplex } from "./simplex"
export {
  health,
  healthTable,
  neighbours,
  neighboursTable,
  votesPerPair,
  votesPerPairTable,
  type Health,
  type Neighbours,
  type VotesPerPair,
} from "./votes"
export { widths, widthsTable, type Widths } from "./widths"
export type { Cell, ChartOptions, DataTable } from "./svg"
export type { Edge } from "./layers"
