const STEPS_MS = [
  50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
  7_200_000, 21_600_000, 86_400_000,
];
/** Labels of so many stand beside each other on a phone. */
const MOST_TICKS = 5;

/** Round distances from the beginning of a length of time, few enough to be read; milliseconds. */
export function ticksOf(lengthMs: number): number[] {
  const step =
    STEPS_MS.find((each) => lengthMs / each <= MOST_TICKS) ??
    Math.ceil(lengthMs / MOST_TICKS / 86_400_000) * 86_400_000;
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, place) => place * step);
}
