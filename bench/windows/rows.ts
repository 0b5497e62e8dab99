import { type Details, judged, type Plot, type Row } from '../runner/measure.ts';
import { median } from '../runner/statistics.ts';
import type { BareClaims } from './bareClaims.ts';
import type { SizeFigures, WindowFigures } from './size.ts';

/** The size of which the largest window speaks, and what it may take. */
const LARGE = 80_000;
const LARGE_SECONDS = { new: 40, known: 15 } as const;
const RATIOS = { new: 1.2, known: 15 } as const;
const LAMPORTS = { new: 3_200, known: 5 } as const;
/** A recipient of a compressed-token airdrop. */
const AIRDROP_LAMPORTS = 1_000;
const BALANCES = ['known', 'new'] as const;
const MB = 1e6;

/** Rates that a window is held against, from a validator as empty as the window's. */
export type Limits = { readonly raw: number; readonly bare: BareClaims };

const named = (recipients: number) => recipients.toLocaleString('en');
const ofKind = ({ windows }: SizeFigures, balances: WindowFigures['balances']) =>
  windows.filter((window) => window.balances === balances);
/** The middle of a figure over the windows of a kind; not a number if there are none. */
export const middle = (size: SizeFigures, balances: WindowFigures['balances'], of: keyof WindowFigures): number =>
  median(ofKind(size, balances).map((window) => Number(window[of])));

/** Rates of one size beside single transfers and bare claims. */
export function rateRows(size: SizeFigures, { raw, bare }: Limits): Row[] {
  const { recipients } = size;
  const kinds = BALANCES.filter((balances) => ofKind(size, balances).length > 0);
  const row = (balances: (typeof kinds)[number], by: 'raw' | 'bare') =>
    judged({
      id: `windows.${recipients}.${balances}.${by}`,
      measure: `${balances} recipients paid, end to end, ${named(recipients)} of them`,
      figure: recipients / middle(size, balances, 'seconds'),
      unit: '/s',
      limit: by === 'raw' ? raw : bare[balances],
      limitName: by === 'raw' ? 'single transfers, bare' : 'the same claims, bare',
      goal: { of: 'ratio', least: by === 'raw' ? RATIOS[balances] : 0.8 },
    });
  return [...kinds.map((balances) => row(balances, 'raw')), ...kinds.map((balances) => row(balances, 'bare'))];
}

export function lamportRows(size: SizeFigures): Row[] {
  return BALANCES.filter((balances) => ofKind(size, balances).length > 0).map((balances) =>
    judged({
      id: `windows.${balances}.lamports`,
      measure: `lamports a recipient and window, ${named(size.recipients)} ${balances} ones`,
      figure: middle(size, balances, 'lamports') / size.recipients,
      unit: '',
      limit: AIRDROP_LAMPORTS,
      limitName: 'a compressed-token airdrop',
      goal: { of: 'figure', most: LAMPORTS[balances] },
    }),
  );
}

/** The largest window: time, memory and database. Its goals are those of 80,000 recipients. */
export function largeRows(size: SizeFigures): Row[] {
  const { recipients, peakMemory, databaseBytes } = size;
  const goal = (most: number) => (recipients === LARGE ? { goal: { of: 'figure', most } as const } : {});
  const window = `one window of ${named(recipients)}`;
  return [
    ...BALANCES.filter((balances) => ofKind(size, balances).length > 0).map((balances) =>
      judged({
        id: `windows.large.${balances}`,
        measure: `${window} ${balances}, due to final on base`,
        figure: middle(size, balances, 'dueToFinal'),
        unit: 's',
        ...goal(LARGE_SECONDS[balances]),
      }),
    ),
    judged({
      id: 'windows.large.memory',
      measure: `${window}, the coordinator's peak memory`,
      figure: peakMemory,
      unit: 'MB',
      ...goal(512),
    }),
    judged({
      id: 'windows.large.database',
      measure: `${window}, growth of the database with its list and ${size.windows.length} windows`,
      figure: databaseBytes / MB,
      unit: 'MB',
      ...goal(200),
    }),
  ];
}

export function transactionRow(sizes: readonly SizeFigures[]): Row {
  const counts = sizes.map(({ recipients }) => recipients);
  return judged({
    id: 'windows.transactions',
    measure: `base transactions a window, most of ${named(Math.min(...counts))} to ${named(Math.max(...counts))} recipients`,
    figure: Math.max(...sizes.flatMap(({ windows }) => windows.map((window) => window.baseTransactions))),
    unit: '',
    goal: { of: 'figure', most: 4 },
  });
}

export function windowDetails(sizes: readonly SizeFigures[]): Details[] {
  const windows = sizes.flatMap(({ recipients, windows: of }) =>
    of.map((one) => ({
      recipients,
      balances: one.balances,
      'due to final s': one.dueToFinal.toFixed(2),
      'stages s': one.seconds.toFixed(2),
      'claim stage s': one.claimSeconds.toFixed(2),
      'claims/s end to end': Math.round(recipients / one.seconds),
      'base transactions': one.baseTransactions,
      lamports: one.lamports,
      'of them in the batch': one.batchLamports,
      "validator's lamports": one.validatorLamports,
      'units a claim': Math.round(one.units / recipients),
      'database kB': Math.round(one.databaseBytes / 1e3),
    })),
  );
  const lists = sizes.map((size) => ({
    recipients: size.recipients,
    'registration s': size.registrationSeconds.toFixed(2),
    'its database MB': (size.registeredBytes / MB).toFixed(2),
    "coordinator's peak MB": size.peakMemory,
    'look for withdrawals ms': size.withdrawalLook.toFixed(1),
  }));
  return [
    { title: 'Windows', rows: windows },
    { title: 'Their lists', rows: lists },
  ];
}

export function windowPlot(sizes: readonly SizeFigures[]): Plot {
  const line = (balances: WindowFigures['balances']) => ({
    name: `${balances} recipients`,
    points: sizes
      .filter((size) => ofKind(size, balances).length > 0)
      .map((size) => [size.recipients, middle(size, balances, 'dueToFinal')] as const),
  });
  return {
    name: 'windows',
    title: 'A window, from due to final on the base ledger',
    x: { label: 'recipients', isLogarithmic: true },
    y: { label: 'seconds', isLogarithmic: true },
    lines: BALANCES.map(line),
  };
}
