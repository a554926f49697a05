/** Which ranks stand at an axis. */

import { textWidth } from "./names"
import { TICK_SIZE } from "./svg"

/** 1, then ranks at even distances as the room allows, round ones or every other one, then the last one. */
export function rankTicks(size: number, room: number): number[] {
  const widest = textWidth(String(size), TICK_SIZE) + 10
  const most = Math.max(2, Math.floor(room / widest))
  if (size <= most) return Array.from({ length: size }, (_, i) => i + 1)
  let step = 1
  for (let power = 1; step === 1; power *= 10) {
    step = [2, 5, 10].map((k) => k * power).find((k) => size / k <= most - 1) ?? 1
  }
  const inner: number[] = []
  for (let rank = step === 2 ? 3 : step; rank <= size - 0.8 * step; rank += step) inner.push(rank)
  return [1, ...inner, size]
}
