/** Upper tails of Student's t and the normal distribution, and their inverses. */

const TINY = 1e-300

/** Logarithm of the gamma function for x > 0: Stirling's series, moved up to where it is exact. */
function logGamma(x: number): number {
  let shift = 0
  while (x < 15) shift += Math.log(x++)
  const y = 1 / (x * x)
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift
}

/** log(Gamma(a + 1/2) / Gamma(a)) without the loss of two large numbers. */
function logGammaRatio(a: number): number {
  if (a < 30) return logGamma(a + 0.5) - logGamma(a)
  const z = 1 / a
  // Asymptotic series of the ratio: exact to rounding for a >= 30.
  return (
    0.5 * Math.log(a) +
    z * (-1 / 8 + z * z * (1 / 192 + z * z * (-1 / 640 + z * z * (17 / 14336 - (z * z * 31) / 18432))))
  )
}

/** Regularised incomplete beta I_x(a, 1/2) by its continued fraction (modified Lentz). */
function betaHalf(x: number, a: number, front: number, complement: number): number {
  // The fraction converges fast for x < (a + 1) / (a + 5/2); else the symmetric one does.
  if (x < (a + 1) / (a + 2.5)) return (front * fraction(x, a, 0.5)) / a
  return 1 - (front * fraction(complement, 0.5, a)) / 0.5
}

function fraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < 2000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / guard(1 + even * d)
    c = guard(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / guard(1 + odd * d)
    c = guard(1 + odd / c)
    const step = d * c
    value *= step
    if (Math.abs(step - 1) < 1e-16) break
  }
  return value
}

function guard(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

/** Upper tail of the normal distribution. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  if (z < 3) {
    // Power series of the distribution function around zero: all terms are positive.
    let term = z
    let sum = z
    for (let k = 3; term > sum * 1e-17; k += 2) sum += term *= (z * z) / k
    return 0.5 - density * sum
  }
  // Continued fraction of Mills' ratio, from its far end.
  let below = z
  for (let k = Math.ceil(20 + 400 / z); k >= 1; k--) below = z + k / below
  return density / below
}

/** Probability that a t variable with df degrees of freedom is at least t; df infinite: normal. */
export function upperTail(t: number, df: number): number {
  if (!(df > 0)) return 1
  if (df === Infinity) return normalTail(t)
  if (t < 0) return 1 - upperTail(-t, df)
  if (t === 0) return 0.5
  const square = t * t
  const x = df / (df + square)
  const complement = 1 / (1 + df / square)
  const logX = square < df ? -Math.log1p(square / df) : Math.log(df) - 2 * Math.log(t) + Math.log(complement)
  const a = df / 2
  const front = Math.exp(
    logGammaRatio(a) - 0.5 * Math.log(Math.PI) + a * logX + 0.5 * Math.log(complement),
  )
  return 0.5 * betaHalf(x, a, front, complement)
}

/** Statistic whose upper tail is `level`; infinite at level 0 and without degrees of freedom. */
export function criticalValue(level: number, df: number): number {
  if (!(level > 0) || !(df > 0)) return Infinity
  if (level === 0.5) return 0
  if (level > 0.5) return -criticalValue(1 - level, df)
  let low = 0
  let high = 1
  while (upperTail(high, df) > level) {
    low = high
    high *= 2
    if (high > 1e307) return Infinity
  }
  // The logarithm of the tail is smooth: secant steps inside a bracket, halved where they fail.
  const target = Math.log(level)
  let at = Math.log(upperTail(high, df)) - target
  let before = Math.log(upperTail(low, df)) - target
  let side = 0
  for (let step = 0; step < 200; step++) {
    let middle = (low * at - high * before) / (at - before)
    if (!(middle > low && middle < high)) middle = (low + high) / 2
    const value = Math.log(upperTail(middle, df)) - target
    if (value === 0) return middle
    if (value > 0) {
      low = middle
      before = value
      if (side === 1) at /= 2
      side = 1
    } else {
      high = middle
      at = value
      if (side === -1) before /= 2
      side = -1
    }
    if (high - low <= 4e-16 * high) break
  }
  return (low + high) / 2
}
