import { Random } from '@payouts/testing/random';
import { type Exit, exitsOf, type Habit, partsOf, releaseChances } from './habits.ts';
import { type Hidden, ofCandidates, ofObservations, type Summary, summaryOf, type Truth } from './measure.ts';
import { posterior } from './observer.ts';
import { makePayroll, type Payroll } from './payroll.ts';

/** A fresh wallet receives one withdrawal; a reused one receives all of somebody's. */
export type Wallets = 'fresh' | 'reused';

/** Windows of each employer that are observed. */
export const MONTHS = 6;

/** How well everybody's withdrawals are hidden among the others', and everybody among the withdrawals. */
export type Result = { readonly exits: Summary; readonly people: Summary };

/** People of one kind to the observer, within one question. */
type Kind = { readonly employer: number; readonly people: number[]; readonly each: number; readonly parts: number };

/** Has everybody withdraw by one habit, and the observer say whose each withdrawal was. */
export function simulate(habit: Habit, people: number, wallets: Wallets, seed: number): Result {
  const random = new Random(seed);
  const payroll = makePayroll(random, people, MONTHS);
  const exits = exitsOf(habit, payroll, random);
  const [ofExits, ofPeople]: [Hidden[], Hidden[]] = [[], []];
  for (const { kinds, rows, likelihood, rowsOf } of asked(habit, payroll, exits, wallets)) {
    const columns = kinds.map((kind) => ({ size: kind.people.length, each: kind.each }));
    const question = { rows, columns, likelihood };
    const truth: Truth = kinds.map((kind) => kind.people.map((person) => rowsOf.get(person) ?? []));
    const chances = posterior(question);
    // One by one: a hundred thousand arguments are too many for one call.
    for (const hidden of ofObservations(question, chances, truth)) ofExits.push(hidden);
    for (const hidden of ofCandidates(question, chances, truth)) ofPeople.push(hidden);
  }
  return { exits: summaryOf(ofExits), people: summaryOf(ofPeople) };
}

type Asked = {
  readonly kinds: readonly Kind[];
  readonly rows: number[];
  readonly likelihood: Float64Array;
  /** Rows of each person's own observations. */
  readonly rowsOf: Map<number, (readonly [row: number, count: number])[]>;
};

/** The observer's questions: one for all withdrawals, or wallets, that could be each other's by their amounts. */
function asked(habit: Habit, payroll: Payroll, exits: readonly Exit[], wallets: Wallets): Asked[] {
  return wallets === 'fresh' ? ofFresh(habit, payroll, exits) : ofReused(habit, payroll, exits);
}

const groupBy = <T>(items: Iterable<T>, keyOf: (item: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    group.push(item);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** Withdrawals of the last month, each to a wallet that nobody has seen. Those of one amount and instant look the same. */
function ofFresh({ part, within }: Habit, { people, windows }: Payroll, exits: readonly Exit[]): Asked[] {
  const month = MONTHS - 1;
  const partsIn = (salary: number) => (part === undefined ? 1 : (partsOf(salary, part, MONTHS)[month] as number));
  const known = people.map((person, place) => ({ ...person, place, parts: partsIn(person.salary) }));
  const chances = releaseChances(within, Math.max(...known.map(({ parts }) => parts)));
  const seen = new Map(groupBy(exits, ({ amount }) => String(amount)).map((group) => [group[0]?.amount, group]));
  const classes = part === undefined ? groupBy(known, ({ salary }) => String(salary)) : [known];
  return classes.map((members) => {
    const kinds = groupBy(members, ({ employer, parts }) => `${employer} ${parts}`)
      .map((same): Kind => {
        const { employer, parts } = same[0] as (typeof same)[number];
        return { employer, parts, each: parts, people: same.map(({ place }) => place) };
      })
      .filter(({ each }) => each > 0);
    const mine = seen.get(part ?? (members[0] as (typeof members)[number]).salary) ?? [];
    const instants = groupBy(
      mine.filter((exit) => exit.month === month),
      ({ at }) => String(at),
    );
    const likelihood = new Float64Array(instants.length * kinds.length);
    const rowsOf = new Map<number, [number, number][]>();
    for (const [row, group] of instants.entries()) {
      const at = (group[0] as Exit).at;
      for (const [column, { employer, parts }] of kinds.entries()) {
        const after = at - ((windows[employer] as readonly number[])[month] as number);
        likelihood[row * kinds.length + column] = (chances[parts] as Float64Array)[after] ?? 0;
      }
      for (const same of groupBy(group, ({ person }) => String(person))) {
        const { person } = same[0] as Exit;
        rowsOf.set(person, [...(rowsOf.get(person) ?? []), [row, same.length]]);
      }
    }
    return { kinds, rows: instants.map((group) => group.length), likelihood, rowsOf };
  });
}

/** Wallets, each with all of somebody's withdrawals. Whose amounts are the same in every month could be each other. */
function ofReused({ part, within }: Habit, { people, windows }: Payroll, exits: readonly Exit[]): Asked[] {
  const series = (salary: number) => (part === undefined ? String(salary) : partsOf(salary, part, MONTHS).join());
  const known = people.map((person, place) => ({ ...person, place, series: series(person.salary) }));
  const wallets = new Map<number, Exit[]>();
  for (const exit of exits) wallets.set(exit.person, [...(wallets.get(exit.person) ?? []), exit]);
  return groupBy(known, (person) => person.series).map((members) => {
    const kinds = groupBy(members, ({ employer }) => String(employer)).map((same): Kind => {
      const { employer } = same[0] as (typeof same)[number];
      return { employer, parts: 0, each: 1, people: same.map(({ place }) => place) };
    });
    const likelihood = new Float64Array(members.length * kinds.length);
    const rowsOf = new Map<number, [number, number][]>();
    for (const [row, { place }] of members.entries()) {
      rowsOf.set(place, [[row, 1]]);
      for (const [column, { employer }] of kinds.entries()) {
        const settled = windows[employer] as readonly number[];
        // Every draw is as likely as any other, so that it only counts whether they are possible after these settlements.
        likelihood[row * kinds.length + column] = isPossible(wallets.get(place) ?? [], settled, within) ? 1 : 0;
      }
    }
    return { kinds, rows: members.map(() => 1), likelihood, rowsOf };
  });
}

/** Whether a wallet's withdrawals can have followed these settlements: each within its time after the one before. */
function isPossible(exits: readonly Exit[], settled: readonly number[], within: number): boolean {
  let last: Exit | undefined;
  for (const exit of exits) {
    const from = last?.month === exit.month ? last.at : (settled[exit.month] as number);
    const after = exit.at - from;
    if (within === 0 ? exit.at !== (settled[exit.month] as number) + 1 : after < 1 || after > within) return false;
    last = exit;
  }
  return true;
}
