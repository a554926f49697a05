/** Patterns, which say without colour what a colour says. */

import { INK, el } from "./svg"

/** Thin slanted lines. */
export function hatch(id: string): SVGPatternElement {
  return el(
    "pattern",
    { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    el("line", { x1: 0, x2: 0, y1: 0, y2: 6, stroke: INK, "stroke-width": 1.6, "stroke-opacity": 0.55 }),
  )
}
