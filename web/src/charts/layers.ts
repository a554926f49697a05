/** Places for the models of a partial order: layers from the top, as few crossings as a simple method finds. */

/** A line of the diagram: positions of the better and the worse model, none between them. */
export type Edge = readonly [better: number, worse: number]

export interface Point {
  x: number
  y: number
}

export interface LayerSettings {
  /** Width of the box of each model. */
  widths: readonly number[]
  edges: readonly Edge[]
  /** Room from left to right. */
  width: number
  /** Height of a box, and least distance between boxes of a layer. */
  boxHeight: number
  gap: number
}

export interface LayerLayout {
  /** Middle of each box. */
  points: Point[]
  /** Points that each line passes, ends included, in the order of the edges. */
  lines: Point[][]
  layers: number[][]
  height: number
}

/** Number of better models on the longest chain above each model. */
export function depths(size: number, edges: readonly Edge[]): number[] {
  const below = neighbours(size, edges)
  const waiting = new Array<number>(size).fill(0)
  for (const [, worse] of edges) waiting[worse]! += 1
  const depth = new Array<number>(size).fill(0)
  const ready = waiting.flatMap((count, i) => (count === 0 ? [i] : []))
  for (let k = 0; k < ready.length; k += 1) {
    const i = ready[k]!
    for (const j of below[i]!) {
      depth[j] = Math.max(depth[j]!, depth[i]! + 1)
      waiting[j]! -= 1
      if (waiting[j] === 0) ready.push(j)
    }
  }
  return depth
}

/** Models worse than each model, through any chain of lines. */
export function downSets(size: number, edges: readonly Edge[]): Set<number>[] {
  const below = neighbours(size, edges)
  const depth = depths(size, edges)
  const deepest = depth.map((_, i) => i).sort((a, b) => depth[b]! - depth[a]!)
  const down: Set<number>[] = Array.from({ length: size }, () => new Set())
  for (const i of deepest) {
    for (const j of below[i]!) {
      down[i]!.add(j)
      for (const k of down[j]!) down[i]!.add(k)
    }
  }
  return down
}

function neighbours(size: number, edges: readonly Edge[]): number[][] {
  const below: number[][] = Array.from({ length: size }, () => [])
  for (const [better, worse] of edges) below[better]!.push(worse)
  return below
}

const BEND = 10 // room for a line that passes a layer
const SWEEPS = 12

/** Layers of boxes, joined by lines that pass between boxes; null where a layer is too wide for the room. */
export function layLayers(settings: LayerSettings): LayerLayout | null {
  const { widths, edges, width, gap } = settings
  const size = widths.length
  const depth = depths(size, edges)
  const layerCount = Math.max(0, ...depth) + 1
  // Nodes from `size` on are the places where a long line passes a layer.
  const nodeWidth = [...widths]
  const nodeLayer = [...depth]
  const links: [number, number][] = []
  const paths = edges.map(([better, worse]) => {
    const path = [better]
    for (let layer = depth[better]! + 1; layer < depth[worse]!; layer += 1) {
      nodeWidth.push(BEND)
      nodeLayer.push(layer)
      path.push(nodeWidth.length - 1)
    }
    path.push(worse)
    for (let k = 1; k < path.length; k += 1) links.push([path[k - 1]!, path[k]!])
    return path
  })
  const layers: number[][] = Array.from({ length: layerCount }, () => [])
  nodeLayer.forEach((layer, node) => layers[layer]!.push(node))
  const distance = (a: number, b: number): number =>
    (nodeWidth[a]! + nodeWidth[b]!) / 2 + (a < size && b < size ? gap : Math.min(gap, 4))
  const needed = (layer: readonly number[]): number =>
    layer.reduce((sum, node, k) => sum + (k > 0 ? distance(layer[k - 1]!, node) : 0), 0) +
    ((nodeWidth[layer[0]!] ?? 0) + (nodeWidth[layer.at(-1)!] ?? 0)) / 2
  if (layers.some((layer) => needed(layer) > width)) return null
  const up: number[][] = nodeWidth.map(() => [])
  const down: number[][] = nodeWidth.map(() => [])
  for (const [a, b] of links) {
    down[a]!.push(b)
    up[b]!.push(a)
  }
  const ordered = uncross(layers, up, down)
  const x = straighten(ordered, up, down, nodeWidth, distance, width)
  const y: number[] = []
  let bottom = settings.boxHeight / 2
  ordered.forEach((_, k) => {
    if (k > 0) {
      const crossing = links.filter(([a]) => nodeLayer[a] === k - 1)
      const slant = Math.max(0, ...crossing.map(([a, b]) => Math.abs(x[a]! - x[b]!)))
      bottom += settings.boxHeight + Math.min(90, Math.max(26, 14 + slant * 0.1 + crossing.length * 0.7))
    }
    y.push(bottom)
  })
  const at = (node: number): Point => ({ x: x[node]!, y: y[nodeLayer[node]!]! })
  return {
    points: widths.map((_, i) => at(i)),
    lines: paths.map((path) => path.map(at)),
    layers: ordered.map((layer) => layer.filter((node) => node < size)),
    height: bottom + settings.boxHeight / 2,
  }
}

/** Reorder every layer by the mean place of its neighbours, down and up again; keep the best found. */
function uncross(layers: number[][], up: number[][], down: number[][]): number[][] {
  let current = layers.map((layer) => [...layer])
  let best = current
  let fewest = crossings(current, down)
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const downwards = sweep % 2 === 0
    const place = places(current)
    const next = current.map((layer) => [...layer])
    const indices = next.map((_, k) => k)
    for (const k of downwards ? indices.slice(1) : indices.reverse().slice(1)) {
      const wanted = new Map(
        next[k]!.map((node) => {
          const near = (downwards ? up : down)[node]!
          const sum = near.reduce((total, other) => total + place[other]!, 0)
          return [node, near.length > 0 ? sum / near.length : place[node]!]
        }),
      )
      next[k]!.sort((a, b) => wanted.get(a)! - wanted.get(b)! || place[a]! - place[b]!)
      next[k]!.forEach((node, i) => (place[node] = spread(i, next[k]!.length)))
    }
    current = next
    const count = crossings(current, down)
    if (count < fewest) [best, fewest] = [current, count]
  }
  return best
}

function places(layers: readonly (readonly number[])[]): number[] {
  const place: number[] = []
  for (const layer of layers) layer.forEach((node, i) => (place[node] = spread(i, layer.length)))
  return place
}

function spread(i: number, count: number): number {
  return (i + 0.5) / count
}

function crossings(layers: readonly (readonly number[])[], down: readonly (readonly number[])[]): number {
  const place: number[] = []
  for (const layer of layers) layer.forEach((node, i) => (place[node] = i))
  let count = 0
  for (const layer of layers) {
    const seen: number[] = []
    for (const node of layer) {
      const targets = down[node]!.map((other) => place[other]!)
      for (const target of targets) count += seen.filter((other) => other > target).length
      seen.push(...targets)
    }
  }
  return count
}

/** Give nodes their places: near their neighbours, in order, not touching, within the width. */
function straighten(
  layers: readonly (readonly number[])[],
  up: readonly (readonly number[])[],
  down: readonly (readonly number[])[],
  widths: readonly number[],
  distance: (a: number, b: number) => number,
  width: number,
): number[] {
  const x: number[] = []
  for (const layer of layers) layer.forEach((node, i) => (x[node] = width * spread(i, layer.length)))
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const round = sweep % 2 === 0 ? layers : [...layers].reverse()
    for (const layer of round) {
      if (layer.length === 0) continue
      const wanted = layer.map((node) => {
        const near = [...up[node]!, ...down[node]!]
        return near.length > 0 ? near.reduce((sum, other) => sum + x[other]!, 0) / near.length : x[node]!
      })
      const offsets: number[] = []
      layer.forEach((node, i) => offsets.push(i === 0 ? 0 : offsets[i - 1]! + distance(layer[i - 1]!, node)))
      const least = widths[layer[0]!]! / 2
      const most = width - widths[layer.at(-1)!]! / 2 - offsets.at(-1)!
      const fitted = isotonic(wanted.map((value, i) => value - offsets[i]!))
      layer.forEach((node, i) => (x[node] = Math.min(Math.max(fitted[i]!, least), most) + offsets[i]!))
    }
  }
  return x
}

/** The nearest sequence that never falls (pool adjacent violators). */
export function isotonic(values: readonly number[]): number[] {
  const pools: { sum: number; count: number }[] = []
  for (const value of values) {
    pools.push({ sum: value, count: 1 })
    while (pools.length > 1) {
      const [one, two] = [pools.at(-2)!, pools.at(-1)!]
      if (one.sum / one.count <= two.sum / two.count) break
      pools.splice(-2, 2, { sum: one.sum + two.sum, count: one.count + two.count })
    }
  }
  return pools.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count))
}

/** Places in columns, one line per model: for narrow rooms and wide layers. */
export interface LaneLayout {
  /** Models from top to bottom; better ones first. */
  order: number[]
  /** Column of each model. */
  lane: number[]
  lanes: number
}

/** Models below each other; chains of lines share a column where they can. */
export function layLanes(size: number, edges: readonly Edge[]): LaneLayout {
  const waiting = new Array<number>(size).fill(0)
  const parents: number[][] = Array.from({ length: size }, () => [])
  const below = neighbours(size, edges)
  for (const [better, worse] of edges) {
    waiting[worse]! += 1
    parents[worse]!.push(better)
  }
  const order: number[] = []
  const done = new Set<number>()
  while (order.length < size) {
    // The first in the given order whose betters are all placed.
    const next = waiting.findIndex((count, i) => count === 0 && !done.has(i))
    if (next < 0) break
    done.add(next)
    order.push(next)
    for (const j of below[next]!) waiting[j]! -= 1
  }
  const lane = new Array<number>(size).fill(0)
  const tail: (number | null)[] = []
  for (const i of order) {
    const own = parents[i]!.map((p) => lane[p]!).filter((k) => parents[i]!.includes(tail[k] ?? -1))
    const free = tail.findIndex((last) => last === null)
    const k = own.length > 0 ? Math.min(...own) : free >= 0 ? free : tail.length
    lane[i] = k
    // A model without worse ones ends its chain: the column is free again.
    tail[k] = below[i]!.length > 0 ? i : null
  }
  return { order, lane, lanes: Math.max(1, tail.length) }
}
