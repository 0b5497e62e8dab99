import type { Command } from 'commander';

/** What a figure is held to: itself or its ratio to the limit, at most or at least so much. */
export type Goal = { readonly of: 'figure' | 'ratio'; readonly most?: number; readonly least?: number };

export type Verdict = 'met' | 'missed' | '–';

/** One line of the report: a figure beside its limit, both of the same run. */
export type Row = {
  /** Stays the same from run to run; see `expected.json`. */
  readonly id: string;
  readonly measure: string;
  readonly figure: number;
  readonly unit: string;
  readonly limit?: number;
  readonly limitName?: string;
  /** The figure as a multiple of the limit. */
  readonly ratio?: number;
  readonly goal?: Goal;
  /** A goal that is no number, in words; whoever makes the row judges it. */
  readonly goalName?: string;
  readonly verdict: Verdict;
};

/** A row before it is judged. */
export type RowInput = Omit<Row, 'verdict' | 'ratio'>;

/** Completes a row: its ratio, and whether its goal is met. */
export function judged(input: RowInput): Row {
  const { figure, limit, goal } = input;
  const ratio = limit === undefined ? undefined : figure / limit;
  const of = goal?.of === 'ratio' ? ratio : figure;
  const isMet =
    of !== undefined &&
    of <= (goal?.most ?? Number.POSITIVE_INFINITY) &&
    of >= (goal?.least ?? Number.NEGATIVE_INFINITY);
  const verdict = goal === undefined ? '–' : isMet ? 'met' : 'missed';
  return { ...input, ...(ratio !== undefined && { ratio }), verdict };
}

/** A table of what stands behind the rows. */
export type Details = { readonly title: string; readonly rows: readonly Readonly<Record<string, string | number>>[] };

/** A picture of points joined by lines. */
export type Plot = {
  /** Of its file, without the ending. */
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
};
export type Axis = { readonly label: string; readonly isLogarithmic?: boolean };

/** What a measure has found. */
export type Result = {
  readonly rows: readonly Row[];
  readonly details?: readonly Details[];
  readonly plots?: readonly Plot[];
  /** Numbers by name that the model reckons with. */
  readonly facts?: Readonly<Record<string, number>>;
};

/** Tells whoever waits what is being done. */
export type Say = (text: string) => void;

/** Something that `npm run bench` measures. */
export type Measure<Options = never> = {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly what: string;
  /** About how long it takes with its defaults, on two cores. */
  readonly minutes: number;
  /** Its options with the defaults of a whole run. */
  readonly options: (command: Command) => Command;
  /** Options of the short form that CI runs; left out there without them. */
  readonly short?: readonly string[];
  readonly run: (options: Options, say: Say) => Promise<Result>;
};

/** A measure and what it has found. */
export type Reported = { readonly name: string; readonly what: string; readonly result: Result };
