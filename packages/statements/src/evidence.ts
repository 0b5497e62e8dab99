import {
  ClientError,
  JsonFields,
  type Payslip,
  payslipFromJson,
  payslipToJson,
  type SignedWindow,
  windowFromJson,
  windowToJson,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { WindowRange } from './windows.ts';

/** What a statement is about: the totals of windows, or the entries of named recipients. */
export type StatementKind = 'totals' | 'recipients';

/** What the coordinator showed of a settled window: a proof, or why it has none. `entries`: of named recipients, paid or not. */
export type WindowEvidence = {
  readonly window: bigint;
  readonly settled: SignedWindow | null;
  readonly entries: readonly Payslip[];
  readonly reason: string | null;
};

export type PayrollEvidence = {
  readonly schedule: Address;
  /** What was asked for of what was granted. */
  readonly ranges: readonly WindowRange[];
  /** Whom the grants name; nobody for totals. */
  readonly named: readonly Address[];
  readonly windows: readonly WindowEvidence[];
};

/**
 * All that a statement is made from: proofs, none of which is verified yet. Private where it has entries: it holds addresses, amounts and
 * salts.
 */
export type Evidence = {
  readonly kind: StatementKind;
  /** Whom the coordinator showed it. */
  readonly auditor: Address;
  /** Unix milliseconds. */
  readonly madeAt: number;
  readonly payrolls: readonly PayrollEvidence[];
};

/** Name of the file that a statement's PDF holds. */
export const EVIDENCE_FILE = 'statement.json';

const rangeToJson = ({ from, to }: WindowRange) => ({ from: from?.toString() ?? null, to: to?.toString() ?? null });

/** Writes evidence: 64-bit numbers as decimal text, bytes as hexadecimal. */
export function evidenceToJson({ kind, auditor, madeAt, payrolls }: Evidence) {
  return {
    statement: 1 as const,
    kind,
    auditor: auditor as string,
    madeAt,
    payrolls: payrolls.map(({ schedule, ranges, named, windows }) => ({
      schedule: schedule as string,
      ranges: ranges.map(rangeToJson),
      named: named.map(String),
      windows: windows.map(({ window, settled, entries, reason }) => ({
        window: window.toString(),
        settled: settled === null ? null : windowToJson(settled),
        entries: entries.map(payslipToJson),
        reason,
      })),
    })),
  };
}

/** What the coordinator may say of a window that it can't prove: one line. */
const SENTENCE = /^[\p{L}\p{N}\p{P}\p{Zs}]{1,500}$/u;

/** Evidence from a source that is not trusted, as `evidenceToJson` writes it. Throws `INVALID_PAYSLIP`, naming the field. */
export function evidenceFromJson(json: unknown): Evidence {
  const refuse = (what: string) => new ClientError('INVALID_PAYSLIP', `This is no audit statement: ${what}.`);
  const fields = new JsonFields(json, '', ['statement', 'kind', 'auditor', 'madeAt', 'payrolls'], refuse);
  if (fields.raw('statement') !== 1) throw refuse('"statement" is not 1, the only version there is');
  return {
    kind: fields.text('kind', ['totals', 'recipients']),
    auditor: fields.address('auditor'),
    madeAt: fields.count('madeAt'),
    payrolls: fields.objects('payrolls', ['schedule', 'ranges', 'named', 'windows']).map((payroll) => ({
      schedule: payroll.address('schedule'),
      ranges: payroll.objects('ranges', ['from', 'to']).map((range) => ({
        from: range.raw('from') === null ? null : range.u64('from'),
        to: range.raw('to') === null ? null : range.u64('to'),
      })),
      named: payroll.addresses('named'),
      windows: payroll
        .objects('windows', ['window', 'settled', 'entries', 'reason'])
        .map((window) => windowEvidence(window, refuse)),
    })),
  };
}

function windowEvidence(fields: JsonFields, refuse: (what: string) => Error): WindowEvidence {
  const [settled, entries] = [fields.raw('settled'), fields.raw('entries')];
  if (!Array.isArray(entries)) throw refuse('the entries of a window are no list');
  return {
    window: fields.u64('window'),
    settled: settled === null ? null : windowFromJson(settled),
    entries: entries.map(payslipFromJson),
    reason: fields.raw('reason') === null ? null : fields.matching('reason', SENTENCE, 'sentence'),
  };
}
