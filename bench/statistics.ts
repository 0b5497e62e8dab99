/** The value below which a part of them lies; `part` from 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

/** The middle of an odd number of measurements. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The least of measurements: for work that is the same each time, in which only what the machine does beside takes longer. */
export const least = (values: readonly number[]): number => quantile(values, 0);

/** How much y grows for 1 of x: the median over all pairs of points, which single outliers do not move. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], place) =>
    points
      .slice(place + 1)
      .filter(([otherX]) => otherX !== x)
      .map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Milliseconds of each of several kinds of work, in turn, so that whatever else the machine does meets all of them. */
export async function inTurn(rounds: number, ...works: readonly (() => unknown)[]): Promise<number[][]> {
  const took: number[][] = works.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [place, work] of works.entries()) took[place]?.push(await timed(work));
  }
  return took;
}
