import { payslipFromJson, windowFromJson } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Ask } from './ask.ts';
import type { Evidence, PayrollEvidence, StatementKind, WindowEvidence } from './evidence.ts';
import { type AuditGrant, grantPath, heldGrants } from './grants.ts';
import { isIn, overlap, type WindowRange } from './windows.ts';

/** What an auditor asks for. */
export type StatementWish = {
  readonly kind: StatementKind;
  /** Whoever signs the requests. */
  readonly auditor: Address;
  /** Of which payroll; all that were granted, if it doesn't say. An employer names their own, for totals. */
  readonly schedule?: Address | undefined;
  readonly range: WindowRange;
  /** Unix milliseconds. */
  readonly madeAt: number;
  /** Told how many windows have been read, now and then. */
  readonly onRead?: (windows: number) => void;
};

/** Reads all that a statement is made from. Throws `ClientError` INVALID_PAYSLIP, and what `ask` throws. */
export async function gatherEvidence(ask: Ask, wish: StatementWish): Promise<Evidence> {
  const { kind, auditor, schedule, range, madeAt, onRead = () => {} } = wish;
  const isAsked = (grant: AuditGrant) =>
    grant.scope === kind && (schedule === undefined || grant.schedulePda === schedule);
  // The employer of a payroll needs no grant for its totals.
  const isNamed = kind === 'totals' && schedule !== undefined;
  const grants = isNamed ? [] : (await heldGrants(ask)).filter(isAsked);
  const schedules = isNamed ? [schedule] : [...new Set(grants.map(({ schedulePda }) => schedulePda))].sort();
  const payrolls: PayrollEvidence[] = [];
  let read = 0;
  const tell = (windows: number) => {
    read += windows;
    onRead(read);
  };
  for (const each of schedules) {
    const own = grants.filter(({ schedulePda }) => schedulePda === each);
    const ranges = isNamed ? [range] : own.map((grant) => overlap(rangeOf(grant), range));
    const windows =
      kind === 'totals' ? await totalsOf(ask, each, ranges, tell) : await entriesOf(ask, own, range, tell);
    const named = [...new Set(own.flatMap(({ recipients }) => recipients))].sort();
    payrolls.push({ schedule: each, ranges, named, windows: windows.sort((a, b) => (a.window < b.window ? -1 : 1)) });
  }
  return { kind, auditor, madeAt, payrolls };
}

const rangeOf = ({ fromWindow, toWindow }: AuditGrant): WindowRange => ({
  from: fromWindow === null ? null : BigInt(fromWindow),
  to: toWindow === null ? null : BigInt(toWindow),
});

type Page<W> = { readonly windows: readonly W[]; readonly nextCursor: string | null };
type Numbered = { readonly window: string; readonly reason: string | null };
type Totals = Numbered & { readonly settled: unknown };
type Entries = Numbered & { readonly entries: readonly unknown[] };

/** The windows of pages, newest first, down to the first that is wanted. */
async function* pagesOf<W extends Numbered>(ask: Ask, path: string, from: bigint): AsyncGenerator<readonly W[]> {
  let cursor: string | null = null;
  do {
    const { windows, nextCursor }: Page<W> = await ask<Page<W>>(path + (cursor === null ? '' : `?cursor=${cursor}`));
    yield windows;
    const last: string | undefined = windows.at(-1)?.window;
    cursor = last !== undefined && BigInt(last) <= from ? null : nextCursor;
  } while (cursor !== null);
}

async function totalsOf(
  ask: Ask,
  schedule: Address,
  ranges: readonly WindowRange[],
  tell: (windows: number) => void,
): Promise<WindowEvidence[]> {
  const all: WindowEvidence[] = [];
  const from = ranges.reduce((least, range) => ((range.from ?? 0n) < least ? (range.from ?? 0n) : least), 2n ** 63n);
  for await (const windows of pagesOf<Totals>(ask, `/api/schedules/${schedule}/audit`, from)) {
    for (const { window: number, settled, reason } of windows) {
      const window = BigInt(number);
      if (!ranges.some((range) => isIn(window, range))) continue;
      all.push({ window, settled: settled === null ? null : windowFromJson(settled), entries: [], reason });
    }
    tell(windows.length);
  }
  return all;
}

/** What several grants give is put together: a recipient whom two of them name is there once. */
async function entriesOf(
  ask: Ask,
  grants: readonly AuditGrant[],
  range: WindowRange,
  tell: (windows: number) => void,
): Promise<WindowEvidence[]> {
  const all = new Map<bigint, WindowEvidence>();
  for (const { schedulePda, id } of grants) {
    const path = `${grantPath(schedulePda, id)}/payslips`;
    for await (const windows of pagesOf<Entries>(ask, path, range.from ?? 0n)) {
      for (const { window: number, entries, reason } of windows) {
        const window = BigInt(number);
        if (!isIn(window, range)) continue;
        const before = all.get(window)?.entries ?? [];
        const more = entries
          .map(payslipFromJson)
          .filter(({ leaf }) => before.every((one) => one.leaf.index !== leaf.index));
        all.set(window, { window, settled: null, entries: [...before, ...more], reason });
      }
      tell(windows.length);
    }
  }
  return [...all.values()];
}
