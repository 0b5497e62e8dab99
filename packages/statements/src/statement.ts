import {
  type EntryState,
  entryState,
  isSameBytes,
  nextTurn,
  type Payslip,
  proofFaults,
  type SignedWindow,
  windowFaults,
  windowToJson,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Evidence, PayrollEvidence, StatementKind, WindowEvidence } from './evidence.ts';
import type { LedgerLook, LedgerTotal } from './onLedger.ts';
import { missingWindows, type WindowRange, type WindowSpan } from './windows.ts';

/** One figure of a statement: a window's, or a named recipient's entry of it. */
export type Line = {
  readonly schedule: Address;
  readonly window: bigint;
  /** Null: the coordinator has no proof. */
  readonly settled: SignedWindow | null;
  readonly entry: AuditedEntry | null;
  /** Why it is not verified, each as a sentence; none: it is, and counts. */
  readonly faults: readonly string[];
};

/** An entry of a named recipient. `amount` in base units: what the list promises. */
export type AuditedEntry = {
  readonly recipient: Address;
  readonly index: number;
  readonly amount: bigint;
  /** Null: not proven. */
  readonly state: EntryState | null;
};

/** Verified figures of one token together, in base units. */
export type Sum = {
  readonly mint: Address;
  readonly decimals: number;
  readonly symbol: string | null;
  readonly promised: bigint;
  readonly paid: bigint;
  readonly lines: number;
};

export type PayrollStatement = {
  readonly schedule: Address;
  readonly lines: readonly Line[];
  readonly sums: readonly Sum[];
  /** Windows that should be there, and that the coordinator did not show: not settled, or left out. */
  readonly missing: readonly WindowSpan[];
  /** Named recipients of whom no entry was shown. */
  readonly absent: readonly Address[];
  /** How the totals compare with the ledger's own: `same`, `other`, or not compared. */
  readonly total: 'same' | 'other' | 'closed' | 'part' | 'not-asked';
};

/** What was granted, verified and summed. */
export type Statement = {
  readonly kind: StatementKind;
  readonly auditor: Address;
  readonly madeAt: number;
  /** Whether the base ledger was asked about every figure; else all was verified offline. */
  readonly isLookedUp: boolean;
  /** The keys that have signed the windows. */
  readonly issuers: readonly Address[];
  /** Whether each of them is the execution authority: named by whoever verifies, or by the ledger today. */
  readonly isAuthorityKnown: boolean;
  /** Verified windows that paid a list which was replaced since, so that the ledger has its root no more; 0 where nobody asked. */
  readonly formerRoots: number;
  readonly payrolls: readonly PayrollStatement[];
  /** Over all windows of all payrolls, a sum for each token. */
  readonly sums: readonly Sum[];
  /** The same for each named recipient. */
  readonly people: readonly { readonly recipient: Address; readonly sums: readonly Sum[] }[];
  /** Figures that count nowhere, since they could not be verified. */
  readonly unverified: number;
};

/** What the base ledger is asked, and how. */
export type StatementLedger = {
  readonly window: (settled: SignedWindow) => Promise<LedgerLook>;
  readonly total: (schedule: Address) => Promise<LedgerTotal | null>;
};

export type VerifyOptions = {
  /** The execution authority, where the auditor knows it. */
  readonly authority?: Address | undefined;
  readonly ledger?: StatementLedger | undefined;
  /** Told how many windows have been verified, one after the other. */
  readonly onVerified?: (windows: number) => void;
};

/** Verifies evidence and adds up what holds. Needs no network but for `ledger`. */
export async function verifyEvidence(evidence: Evidence, options: VerifyOptions = {}): Promise<Statement> {
  const { kind, auditor, madeAt } = evidence;
  const verifier = new Verifier(kind, options);
  const payrolls: PayrollStatement[] = [];
  for (const payroll of evidence.payrolls) payrolls.push(await verifier.payroll(payroll));
  const lines = payrolls.flatMap((payroll) => payroll.lines);
  const recipients = [...new Set(lines.flatMap(({ entry }) => entry?.recipient ?? []))].sort();
  return {
    kind,
    auditor,
    madeAt,
    isLookedUp: options.ledger !== undefined,
    issuers: [...verifier.issuers].sort(),
    isAuthorityKnown: verifier.isAuthorityKnown,
    formerRoots: verifier.formerRoots,
    payrolls,
    sums: sumsOf(lines),
    people: recipients.map((recipient) => ({
      recipient,
      sums: sumsOf(lines.filter(({ entry }) => entry?.recipient === recipient)),
    })),
    unverified: lines.filter(({ faults }) => faults.length > 0).length,
  };
}

/** The schedule whose windows are looked at, and its ledger program, where the ledger was asked. */
type Place = { readonly schedule: Address; readonly program: Address | undefined };

class Verifier {
  readonly issuers = new Set<Address>();
  isAuthorityKnown: boolean;
  formerRoots = 0;
  #verified = 0;

  constructor(
    private readonly kind: StatementKind,
    private readonly options: VerifyOptions,
  ) {
    this.isAuthorityKnown = options.authority !== undefined || options.ledger !== undefined;
  }

  async payroll({ schedule, ranges, named, windows }: PayrollEvidence): Promise<PayrollStatement> {
    const total = await this.options.ledger?.total(schedule);
    const place = { schedule, program: total?.program };
    const lines: Line[] = [];
    const seen = new Set<bigint>();
    for (const window of windows) {
      lines.push(...(await this.#linesOf(place, window, seen.has(window.window))));
      seen.add(window.window);
      this.options.onVerified?.(++this.#verified);
      // A page stays quick while a long statement is verified.
      await nextTurn();
    }
    if (total != null) this.formerRoots += formerRoots(lines, total);
    const shown = [...seen].reduce((last, window) => (window > last ? window : last), -1n);
    const last = total == null || total.windows - 1n < shown ? shown : total.windows - 1n;
    const people = new Set(lines.map(({ entry }) => entry?.recipient));
    return {
      schedule,
      lines,
      sums: sumsOf(lines),
      missing: missingWindows(ranges, [...seen], last),
      absent: named.filter((recipient) => !people.has(recipient)),
      total: this.kind === 'recipients' ? 'part' : comparison(lines, ranges, total),
    };
  }

  async #linesOf(place: Place, evidence: WindowEvidence, isRepeated: boolean): Promise<Line[]> {
    const { schedule } = place;
    const { window, settled, entries, reason } = evidence;
    const repeated = isRepeated ? ['The window was shown before.'] : [];
    const plain = { schedule, window, entry: null };
    if (reason !== null) return [{ ...plain, settled: null, faults: [...repeated, reason] }];
    if (this.kind === 'totals') {
      const faults = settled === null ? ['There is no proof.'] : await this.#windowFaults(place, window, settled);
      return [{ ...plain, settled, faults: [...repeated, ...faults] }];
    }
    const lines: Line[] = [];
    const known = new Map<string, readonly string[]>();
    const indexes = new Set<number>();
    for (const payslip of entries) {
      const { leaf, settled: paid } = payslip;
      // By all of it: another window could name the same signature.
      const proof = JSON.stringify(windowToJson(paid));
      const faults = known.get(proof) ?? (await this.#windowFaults(place, window, paid));
      known.set(proof, faults);
      // Whoever says several things of one window can't be right in all of them.
      const other = known.size > 1 ? ['Another entry was shown with another proof of the window.'] : [];
      const again = indexes.has(leaf.index) ? ['The entry was shown before.'] : [];
      indexes.add(leaf.index);
      const wrong = [...repeated, ...again, ...other, ...faults, ...proofFaults(payslip)];
      lines.push({ schedule, window, settled: paid, entry: entryOf(payslip, wrong), faults: wrong });
    }
    return lines;
  }

  async #windowFaults({ schedule, program }: Place, window: bigint, settled: SignedWindow): Promise<readonly string[]> {
    const { authority, ledger } = this.options;
    const faults = await windowFaults(settled, authority);
    if (settled.schedule !== schedule || settled.window !== window) faults.push('The proof is of another window.');
    if (program !== undefined && settled.program !== program) faults.push('The proof is of another ledger program.');
    const look = await ledger?.window(settled);
    this.issuers.add(settled.issuer);
    if (look?.isAuthority === false && authority === undefined) this.isAuthorityKnown = false;
    return [...faults, ...(look?.faults ?? [])];
  }
}

const entryOf = (payslip: Payslip, faults: readonly string[]): AuditedEntry => {
  const { recipient, index, amount } = payslip.leaf;
  return { recipient, index, amount, state: faults.length > 0 ? null : entryState(payslip) };
};

/** Verified windows that paid another list than the ledger promises now. */
function formerRoots(lines: readonly Line[], { root }: LedgerTotal): number {
  const former = lines.filter(
    ({ settled, faults }) => faults.length === 0 && settled !== null && !isSameBytes(settled.root, root),
  );
  return new Set(former.map(({ window }) => window)).size;
}

function comparison(
  lines: readonly Line[],
  ranges: readonly WindowRange[],
  total: LedgerTotal | null | undefined,
): PayrollStatement['total'] {
  if (total === undefined) return 'not-asked';
  if (total === null) return 'closed';
  if (!ranges.some(({ from, to }) => (from ?? 0n) === 0n && to === null)) return 'part';
  const verified = lines.filter(({ faults }) => faults.length === 0);
  const paid = verified.reduce((all, { settled }) => all + (settled?.paid ?? 0n), 0n);
  return BigInt(verified.length) === total.windows && paid === total.paid ? 'same' : 'other';
}

/** What a verified line has promised, and what it has paid. */
export function amountsOf({ settled, entry }: Pick<Line, 'settled' | 'entry'>): { promised: bigint; paid: bigint } {
  if (entry !== null) return { promised: entry.amount, paid: entry.state === 'paid' ? entry.amount : 0n };
  return { promised: settled?.promised ?? 0n, paid: settled?.paid ?? 0n };
}

/** A sum of verified lines for each token, in order of their mints. */
export function sumsOf(lines: readonly Line[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const line of lines) {
    if (line.faults.length > 0 || line.settled === null) continue;
    const { mint, decimals, symbol } = line.settled;
    const { promised, paid } = amountsOf(line);
    const name = `${mint} ${decimals}`;
    const before = sums.get(name) ?? { mint, decimals, symbol, promised: 0n, paid: 0n, lines: 0 };
    sums.set(name, {
      ...before,
      promised: before.promised + promised,
      paid: before.paid + paid,
      lines: before.lines + 1,
    });
  }
  return [...sums.values()].sort((one, other) => (one.mint < other.mint ? -1 : 1));
}
