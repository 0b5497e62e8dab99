/** The value below which a part of them lies; `part` from 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

/** The middle of an odd number of measurements. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How much y grows for 1 of x: the median over all pairs of points, which single outliers do not move. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const slopes: number[] = [];
  for (const [place, [x, y]] of points.entries()) {
    for (const [otherX, otherY] of points.slice(place + 1)) {
      if (otherX !== x) slopes.push((otherY - y) / (otherX - x));
    }
  }
  return slopes.length === 0 ? 0 : median(slopes);
}
