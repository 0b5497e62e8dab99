/** Observations that look the same, and candidates that are the same to the observer. */
export type Question = {
  /** How many observations there are of each kind. */
  readonly rows: readonly number[];
  /** How many candidates there are of each kind, and how many of the observations each of them has made. */
  readonly columns: readonly { readonly size: number; readonly each: number }[];
  /** Likelihood that a given observation of a row's kind was made by a candidate of a column's, one row after the other. */
  readonly likelihood: Float64Array;
};

/** Observations up to which every assignment is counted. */
const EXACT = 8;
const ROUNDS = 60;
/** Entries above which fewer rounds must do. */
const LARGE = 2_000_000;
const FEW_ROUNDS = 8;

/**
 * The observer's posterior: the chance that an observation of a row was made by a candidate of a column, given that every observation
 * was made by somebody, and every candidate has made as many as they must have. Few observations: by counting all assignments. Many:
 * by scaling rows and columns in turn (Sinkhorn), which is what is done when nobody can count them.
 */
export function posterior(question: Question): Float64Array {
  const units = question.rows.reduce((sum, count) => sum + count, 0);
  return units <= EXACT ? byCounting(question) : byScaling(question);
}

/** Sums over all assignments of observations to candidates, each weighed with its likelihood. */
export function byCounting({ rows, columns, likelihood }: Question): Float64Array {
  const rowOf = rows.flatMap((count, row) => Array<number>(count).fill(row));
  const columnOf = columns.flatMap(({ size, each }, column) => Array<number>(size * each).fill(column));
  const [units, width] = [rowOf.length, columns.length];
  const weight = (unit: number, place: number) =>
    likelihood[(rowOf[unit] as number) * width + (columnOf[place] as number)] as number;
  // before[p][taken]: the first p places have taken these observations; after: the places from p on take all the others.
  const before = Array.from({ length: units + 1 }, () => new Float64Array(2 ** units));
  const after = before.map((each) => Float64Array.from(each));
  (before[0] as Float64Array)[0] = 1;
  (after[units] as Float64Array)[2 ** units - 1] = 1;
  const extend = (taken: number, onto: (unit: number, next: number) => void) => {
    for (let unit = 0; unit < units; unit += 1) if ((taken & (1 << unit)) === 0) onto(unit, taken | (1 << unit));
  };
  for (let place = 0; place < units; place += 1) {
    const [here, there] = [before[place] as Float64Array, before[place + 1] as Float64Array];
    for (let taken = 0; taken < here.length; taken += 1) {
      const ways = here[taken] as number;
      if (ways === 0) continue;
      extend(taken, (unit, next) => {
        there[next] = (there[next] as number) + ways * weight(unit, place);
      });
    }
  }
  for (let place = units - 1; place >= 0; place -= 1) {
    const [here, there] = [after[place] as Float64Array, after[place + 1] as Float64Array];
    for (let taken = 0; taken < here.length; taken += 1) {
      extend(taken, (unit, next) => {
        here[taken] = (here[taken] as number) + weight(unit, place) * (there[next] as number);
      });
    }
  }
  const total = (after[0] as Float64Array)[0] as number;
  const chances = new Float64Array(rows.length * width);
  for (let place = 0; place < units; place += 1) {
    const [here, there] = [before[place] as Float64Array, after[place + 1] as Float64Array];
    for (let taken = 0; taken < here.length; taken += 1) {
      const ways = here[taken] as number;
      if (ways === 0) continue;
      extend(taken, (unit, next) => {
        const at = (rowOf[unit] as number) * width + (columnOf[place] as number);
        const share = (ways * weight(unit, place) * (there[next] as number)) / total;
        chances[at] = (chances[at] as number) + share / (rows[rowOf[unit] as number] as number);
      });
    }
  }
  return chances;
}

/** Scales columns and rows in turn until both add up. */
export function byScaling({ rows, columns, likelihood }: Question): Float64Array {
  const width = columns.length;
  const needed = columns.map(({ size, each }) => size * each);
  const scale = Float64Array.from(needed);
  const rounds = likelihood.length > LARGE ? FEW_ROUNDS : ROUNDS;
  const rowScale = new Float64Array(rows.length);
  const scaleRows = () => {
    for (let row = 0; row < rows.length; row += 1) {
      let sum = 0;
      for (let column = 0, at = row * width; column < width; column += 1, at += 1) {
        sum += (likelihood[at] as number) * (scale[column] as number);
      }
      rowScale[row] = sum > 0 ? 1 / sum : 0;
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    scaleRows();
    const sums = new Float64Array(width);
    for (let row = 0; row < rows.length; row += 1) {
      const weight = (rowScale[row] as number) * (rows[row] as number);
      for (let column = 0, at = row * width; column < width; column += 1, at += 1) {
        sums[column] = (sums[column] as number) + (likelihood[at] as number) * weight;
      }
    }
    for (let column = 0; column < width; column += 1) {
      const sum = sums[column] as number;
      scale[column] = sum > 0 ? (needed[column] as number) / sum : 0;
    }
  }
  scaleRows();
  return likelihood.map(
    (each, at) => each * (rowScale[Math.floor(at / width)] as number) * (scale[at % width] as number),
  );
}
