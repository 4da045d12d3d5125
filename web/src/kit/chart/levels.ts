/**
 * The levels that a chart has lines at: round and evenly spaced, from zero (or below the least) to the most or above it;
 * at most about `count` of them. Figures are counts and shares: nothing lies between two whole numbers.
 */
export function levelsOf(least: number, most: number, count: number): number[] {
  const [low, high] = [Math.min(least, 0), Math.max(most, 0)]
  const step = roundStep((high - low) / count)
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), 1)]
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}

/** The next of 1, 2, 5, 10, 20, 50 and so on. */
function roundStep(rough: number): number {
  if (rough <= 1) return 1
  const unit = 10 ** Math.floor(Math.log10(rough))
  return unit * ([1, 2, 5].find((factor) => factor * unit >= rough) ?? 10)
}

/** Places of values that have no neighbour: no line leads to them. */
export function lonely(values: readonly (number | null | undefined)[]): number[] {
  const isHole = (at: number) => (values[at] ?? null) === null
  return values.flatMap((_, at) => (!isHole(at) && isHole(at - 1) && isHole(at + 1) ? [at] : []))
}
