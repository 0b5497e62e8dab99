import { type Details, judged, type Plot, type Row } from '../runner/measure.ts';
import { slope } from '../runner/statistics.ts';
import { isHistory, otherRows, type Sample } from './sample.ts';

/** Flat is what grows by no more than this in 1,000 windows: memory in MB, everything else in pieces, of which some come and go. */
const FLAT = { memory: 10, pieces: 50 } as const;
const THOUSAND = 1_000;

/** Growth in 1,000 windows over the second half: the first one fills caches and pools. */
export function growth(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const half = samples.slice(Math.floor(samples.length / 2));
  return slope(half.map((sample) => [sample.windows, of(sample)])) * THOUSAND;
}

export function soakRows(samples: readonly Sample[]): Row[] {
  const windows = samples.at(-1)?.windows ?? 0;
  const row = (id: string, what: string, most: number, unit: string, of: (sample: Sample) => number) =>
    judged({
      id: `soak.${id}`,
      measure: `${what}, growth in 1,000 of ${windows.toLocaleString('en')} windows`,
      figure: growth(samples, of),
      unit,
      goal: { of: 'figure', most },
    });
  return [
    row('memory', "coordinator's memory", FLAT.memory, 'MB', ({ resident }) => resident),
    row('heap', 'its heap', FLAT.memory, 'MB', ({ heap }) => heap),
    row('files', 'its open files', FLAT.pieces, '', (sample) => sample.openFiles),
    row('handles', 'its handles', FLAT.pieces, '', ({ handles }) => handles),
    row(
      'subscriptions',
      "the ledgers' open files, subscriptions among them",
      FLAT.pieces,
      '',
      (sample) => sample.ledgerFiles,
    ),
    row('rows', 'rows of tables that keep no history', FLAT.pieces, '', otherRows),
  ];
}

export function soakDetails(samples: readonly Sample[]): Details[] {
  const lines = samples.map((sample) => ({
    windows: sample.windows,
    seconds: Math.round(sample.seconds),
    'memory MB': sample.resident.toFixed(1),
    'heap MB': sample.heap.toFixed(1),
    'open files': sample.openFiles,
    handles: sample.handles,
    "ledgers' files": sample.ledgerFiles,
    'database MB': (sample.databaseBytes / 1e6).toFixed(1),
    'rows without history': otherRows(sample),
  }));
  const tables = Object.keys(samples.at(-1)?.rows ?? {}).map((table) => ({
    table,
    'keeps history': isHistory(table) ? 'yes' : '',
    rows: samples.at(-1)?.rows[table] ?? 0,
    'growth in 1,000 windows': Math.round(growth(samples, ({ rows }) => rows[table] ?? 0)),
  }));
  return [
    { title: 'What a coordinator holds', rows: lines },
    { title: 'Rows by table', rows: tables.filter(({ rows }) => rows > 0) },
  ];
}

export function soakPlots(samples: readonly Sample[]): Plot[] {
  const line = (name: string, of: (sample: Sample) => number) => ({
    name,
    points: samples.map((sample) => [sample.windows, of(sample)] as const),
  });
  const x = { label: 'settled windows' };
  return [
    {
      name: 'soak-memory',
      title: "A coordinator's memory over windows",
      x,
      y: { label: 'MB' },
      lines: [line('resident', ({ resident }) => resident), line('heap', ({ heap }) => heap)],
    },
    {
      name: 'soak-handles',
      title: 'What it holds open over windows, and rows that are no history',
      x,
      y: { label: 'pieces' },
      lines: [
        line('open files', (sample) => sample.openFiles),
        line('handles', ({ handles }) => handles),
        line("ledgers' open files", (sample) => sample.ledgerFiles),
        line('other rows', otherRows),
      ],
    },
  ];
}
