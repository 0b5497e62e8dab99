import type { Question } from './observer.ts';

/** How well something is hidden. */
export type Hidden = {
  /** 2 to the entropy of the observer's posterior. */
  readonly among: number;
  /** The chance that the observer gives their best guess, and the chance that it is right. */
  readonly believed: number;
  readonly guessed: number;
};

/** Who has really made the observations: for each column its candidates, each with how many of which rows they have made. */
export type Truth = readonly (readonly (readonly (readonly [row: number, count: number])[])[])[];

/** Values this near to the best one are as good to whoever must guess. */
const TIE = 1e-9;
const entropyOf = (chance: number, over: number) => (chance > 0 ? -chance * Math.log2(chance / over) : 0);

/** For each observation: among how many candidates it is hidden. */
export function ofObservations({ rows, columns }: Question, chances: Float64Array, truth: Truth): Hidden[] {
  const width = columns.length;
  const judged = rows.map((_, row) => {
    const ofRow = chances.subarray(row * width, (row + 1) * width);
    const sum = ofRow.reduce((total, each) => total + each, 0);
    let [entropy, best] = [0, 0];
    for (const [column, { size }] of columns.entries()) {
      const chance = (ofRow[column] as number) / sum;
      entropy += entropyOf(chance, size);
      best = Math.max(best, chance / size);
    }
    const isBest = columns.map(({ size }, column) => (ofRow[column] as number) / sum / size >= best * (1 - TIE));
    const ties = columns.reduce((total, { size }, column) => total + (isBest[column] ? size : 0), 0);
    return { among: 2 ** entropy, believed: best, isBest, ties };
  });
  return truth.flatMap((candidates, column) =>
    candidates.flatMap((made) =>
      made.flatMap(([row, count]) => {
        const { among, believed, isBest, ties } = judged[row] as (typeof judged)[number];
        return Array<Hidden>(count).fill({ among, believed, guessed: isBest[column] ? 1 / ties : 0 });
      }),
    ),
  );
}

/** For each candidate: among how many observations one of theirs is hidden. */
export function ofCandidates({ rows, columns }: Question, chances: Float64Array, truth: Truth): Hidden[] {
  const width = columns.length;
  return columns.flatMap(({ size }, column) => {
    const ofColumn = rows.map((count, row) => (chances[row * width + column] as number) * count);
    const sum = ofColumn.reduce((total, each) => total + each, 0);
    let [entropy, best] = [0, 0];
    for (const [row, expected] of ofColumn.entries()) {
      entropy += entropyOf(expected / sum, rows[row] as number);
      best = Math.max(best, expected / (rows[row] as number));
    }
    const isBest = ofColumn.map((expected, row) => expected / (rows[row] as number) >= best * (1 - TIE));
    const ties = rows.reduce((total, count, row) => total + (isBest[row] ? count : 0), 0);
    return (truth[column] as Truth[number]).map((made): Hidden => {
      const own = made.reduce((total, [row, count]) => total + (isBest[row] ? count : 0), 0);
      return { among: 2 ** entropy, believed: best / size, guessed: own / ties };
    });
  });
}

/** Median and fifth percentile of the effective sets, share of best guesses that are right, and what the observer thinks it is. */
export type Summary = {
  readonly median: number;
  readonly fifth: number;
  readonly right: number;
  readonly believed: number;
};

export function summaryOf(all: readonly Hidden[]): Summary {
  const sorted = all.map(({ among }) => among).sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number;
  const mean = (of: (each: Hidden) => number) => all.reduce((sum, each) => sum + of(each), 0) / all.length;
  return {
    median: at(0.5),
    fifth: at(0.05),
    right: mean(({ guessed }) => guessed),
    believed: mean(({ believed }) => believed),
  };
}
