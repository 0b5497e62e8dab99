import { MOST_PARTS } from '@payouts/client';
import { mean } from './figures.ts';
import type { Variant } from './play.ts';
import { JOININGS, type Options, type Outcome, simulateRounds } from './simulate.ts';
import type { Steady } from './steady.ts';
import { DAY, PAY_DAYS, type Population } from './world.ts';

const PEOPLE = [100, 1_000, 10_000] as const;
type People = (typeof PEOPLE)[number];

/** What the protocol is to reach for those who keep to the default; shares of one, hours, parts. */
const GOALS: readonly {
  readonly name: string;
  readonly most: Readonly<Partial<Record<People, number>>>;
  readonly unit: '%' | 'h' | '';
  readonly of: (outcome: Outcome) => number;
}[] = [
  {
    name: 'whose wallet is this',
    most: { 100: 0.05, 1000: 0.01, 10000: 0.002 },
    unit: '%',
    of: (each) => each.byHabit.rounds.whose,
  },
  {
    name: 'which wallet is this person’s',
    most: { 100: 0.05, 1000: 0.01, 10000: 0.002 },
    unit: '%',
    of: (each) => each.byHabit.rounds.which,
  },
  { name: 'the same, best of six months', most: {}, unit: '%', of: (each) => each.byHabit.rounds.whichOfAll },
  { name: 'the person worst placed', most: { 1000: 0.025 }, unit: '%', of: (each) => each.byHabit.rounds.worst },
  { name: 'the same, in any month', most: {}, unit: '%', of: (each) => each.byHabit.rounds.worstOfAll },
  { name: 'two wallets one person’s', most: { 1000: 0.02 }, unit: '%', of: (each) => each.byHabit.rounds.link },
  { name: 'effective set, median', most: {}, unit: '', of: (each) => each.byHabit.rounds.median },
  { name: 'effective set, 5th percentile', most: {}, unit: '', of: (each) => each.byHabit.rounds.fifth },
  { name: '90 % of a pay is out, median', most: { 1000: 48 }, unit: 'h', of: (each) => each.hours.median },
  { name: 'longest wait', most: { 100: 240, 1000: 240, 10000: 240 }, unit: 'h', of: (each) => each.hours.longest },
  { name: 'parts of a person in a month', most: { 100: 8, 1000: 8, 10000: 8 }, unit: '', of: (each) => each.parts },
];

const EVERYBODY: Population = { habits: [[100, 'rounds']] };
const MONTHLY: Population = { payDays: PAY_DAYS.filter(([, { yearly }]) => yearly === 12) };
const hours = (first: bigint, any = 240n): Variant => ({ firstLimit: first * 3_600n, limit: any * 3_600n });

/** What makes a difference, at 1,000 people. */
const VARIANTS: readonly (readonly [string, Options])[] = [
  ['as above', {}],
  ['the first parts within 24 h', hours(24n)],
  ['the first parts within 48 h', hours(48n)],
  ['the first parts within 96 h', hours(96n)],
  ['the others within 168 h', hours(84n, 168n)],
  ['the others within 336 h', hours(84n, 336n)],
  ['4 first parts', { firstParts: 4 }],
  ['8 first parts', { firstParts: 8 }],
  ['10 parts at most', { mostParts: 10 }],
  ['8 parts at most', { mostParts: 8 }],
  ['all parts together, within 84 h', { firstParts: MOST_PARTS }],
  ['all parts together, within 96 h', { firstParts: MOST_PARTS, ...hours(96n) }],
  ['all employers pay monthly', MONTHLY],
  ['everybody keeps to the default', EVERYBODY],
  ['both', { ...EVERYBODY, ...MONTHLY }],
  ['hostile employers have a window due before every round', { hostileWindows: true }],
];
const HOSTILE: readonly (readonly [string, Options])[] = [
  ['hostile recipients shift the rounds, the worst of eight ways', {}],
  ['the same, all monthly and all by the default', { ...EVERYBODY, ...MONTHLY }],
];

/** Half-days after each leaving at which hostile recipients ask, to have the next one counted from then. */
const DELAYS = 8;

const plain = (value: number) =>
  value < 0.995 ? value.toFixed(2) : value < 9.95 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
const percent = (share: number) => `${plain(100 * share)} %`;
const written = (value: number, unit: string) =>
  unit === '%' ? percent(value) : `${plain(value)}${unit === '' ? '' : ` ${unit}`}`;
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n');

/** Plays withdrawals in rounds with a seed, and says in tables what the observer made of them. `progress` is told what is played. */
export function roundTables(seed: number, progress: (what: string) => void): string {
  const outcomes = new Map<People, Outcome>();
  for (const people of PEOPLE) {
    progress(`rounds, ${people.toLocaleString('en')} people`);
    outcomes.set(people, simulateRounds(people, seed));
  }
  const outcomeOf = (people: People) => outcomes.get(people) as Outcome;
  const columns = PEOPLE.map((people) => `${people.toLocaleString('en')} people`);
  const goals = GOALS.map(({ name, most, unit, of }) => [
    name,
    ...PEOPLE.map((people) => {
      const [value, limit] = [of(outcomeOf(people)), most[people]];
      if (limit === undefined) return written(value, unit);
      return `${written(value, unit)} (≤ ${written(limit, unit)}: ${value <= limit ? 'met' : 'missed'})`;
    }),
  ]);
  const others = OTHERS.map(([name, of]) => [name, ...PEOPLE.map((people) => of(outcomeOf(people)))]);
  const joining = JOININGS.map((each) => [each, ...PEOPLE.map((people) => percent(outcomeOf(people).joining[each]))]);
  const steady = STEADY.map(([name, of]) => [name, ...PEOPLE.map((people) => percent(of(outcomeOf(people).steady)))]);
  return [
    'In rounds, equal parts to fresh wallets: those who keep to the default\n',
    table(['', ...columns], goals),
    '\nOthers, and the second token’s: whose wallet is this / which wallet is this person’s\n',
    table(['', ...columns], others),
    '\nWallets that something links: whose are they\n',
    table(['linked', ...columns], joining),
    '\nThe same on the first of each month, to the same wallets\n',
    table(['', ...columns], steady),
    '\nWhat makes a difference, 1,000 people\n',
    variants(seed, progress),
  ].join('\n');
}

const guesses = ({ whose, which }: { readonly whose: number; readonly which: number }) =>
  `${percent(whose)} / ${percent(which)}`;
const OTHERS: readonly (readonly [string, (outcome: Outcome) => string])[] = [
  ['joined into one wallet later (10 %)', (each) => guesses(each.byHabit.joins)],
  ['all sent to one exchange (10 %)', (each) => guesses(each.byHabit.exchange)],
  ['at once, in full, to one wallet (20 %)', (each) => guesses(each.byHabit['at once'])],
  ['everybody', (each) => guesses(each.all)],
  ['default, second token with a fifth as many people', (each) => guesses(each.second)],
];

const STEADY: readonly (readonly [string, (steady: Steady) => number])[] = [
  ['one wallet: whose is it', ({ one }) => one],
  ['the same, the person worst placed', ({ worst }) => worst],
  ['fixed wallets, a part for each: whose is one', ({ fixed }) => fixed],
  ['fixed wallets: which is this person’s', ({ which }) => which],
  ['of what is paid is out', ({ out }) => out],
];

function variants(seed: number, progress: (what: string) => void): string {
  const cellsOf = (outcomes: readonly Outcome[]) => {
    const most = (of: (outcome: Outcome) => number) => Math.max(...outcomes.map(of));
    return [
      percent(most((each) => each.byHabit.rounds.whose)),
      percent(most((each) => each.byHabit.rounds.which)),
      percent(most((each) => each.byHabit.rounds.worst)),
      percent(most((each) => each.byHabit.rounds.link)),
      written(mean(outcomes.map(({ hours }) => hours.median)), 'h'),
      written(
        most((each) => each.hours.longest),
        'h',
      ),
    ];
  };
  const rows = VARIANTS.map(([name, options]) => {
    progress(name);
    return [name, ...cellsOf([simulateRounds(1_000, seed, options)])];
  });
  for (const [name, options] of HOSTILE) {
    progress(name);
    const delays = Array.from({ length: DELAYS }, (_, delay) => (BigInt(delay) * DAY) / 2n);
    const outcomes = delays.map((hostileAfter) => simulateRounds(1_000, seed, { ...options, hostileAfter }));
    rows.push([name, ...cellsOf(outcomes)]);
  }
  return table(['', 'whose', 'which', 'worst placed', 'two wallets', '90 % out', 'longest'], rows);
}
