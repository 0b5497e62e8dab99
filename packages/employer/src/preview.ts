import { type BaseConnection, type Payee, prepaidOpenings, type ScheduleFees } from '@payouts/client';
import {
  changesText,
  compareLists,
  type ListChanges,
  type ListedAmount,
  type Payroll,
  percentOf,
  type TakenColumns,
} from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { showTokens, sol, withName } from './amounts.ts';
import type { TokenInfo } from './token.ts';
import type { OpenVault } from './vault.ts';

type Base = Pick<BaseConnection, 'base'>;

/** A payroll in numbers; amounts in base units. */
export type PayrollSummary = {
  readonly recipients: number;
  readonly total: bigint;
  readonly smallest: bigint;
  /** That of the line in the middle, by amounts. */
  readonly middle: bigint;
  readonly largest: bigint;
  /** Lines that are paid to the wallet itself. */
  readonly toWallets: number;
  /** What its columns were taken for. */
  readonly columns: TakenColumns;
};

/** Adds a payroll up. */
export function summaryOf({
  lines,
  total,
  columns,
}: Pick<Payroll, 'total' | 'columns'> & { readonly lines: readonly Payee[] }): PayrollSummary {
  const amounts = sorted(lines);
  return {
    recipients: lines.length,
    total,
    smallest: amounts[0] ?? 0n,
    middle: amounts[Math.floor(amounts.length / 2)] ?? 0n,
    largest: amounts.at(-1) ?? 0n,
    toWallets: lines.filter(({ delivery }) => delivery === 'wallet').length,
    columns,
  };
}

/** What a payroll would cost and change. */
export type Preview = {
  readonly summary: PayrollSummary;
  /** With the list before it; undefined: there is none, or it is not at hand. */
  readonly comparison?: ListComparison;
  /** Lamports for the ledger's accounts, which come back when the schedule is closed. */
  readonly rent: bigint;
  /** Windows that what is available in the vault would cover; undefined without a vault. */
  readonly covered?: bigint;
};

/** What a list changes of the current one, and what is usual there: the middle amount, base units; zero where nobody is paid yet. */
export type ListComparison = { readonly changes: ListChanges; readonly usual: bigint };

/** Compares a list with the current one; `names`: of the people in both. */
export function compared(
  present: readonly Payee[],
  after: readonly Payee[],
  names: ReadonlyMap<Address, string>,
): ListComparison {
  const amounts = sorted(present);
  return { changes: compareLists(present, after, names), usual: amounts[Math.floor(amounts.length / 2)] ?? 0n };
}

/** Bytes of a schedule's account, and of a batch's: docs/reference/ledger-layout.md. */
const SCHEDULE_BYTES = 720n;
const BATCH_BYTES = 320n;
/** Lamports of a transaction with one signature. */
export const FEE_LAMPORTS = 5_000n;
/** How many times the middle amount of the current list somebody new must get to be worth a look. */
const UNUSUAL = 2n;

/** Works out what a payroll costs and changes; `schedule`: the one whose list it is to replace. */
export async function previewOf(
  ledgers: Base,
  summary: PayrollSummary,
  input: {
    readonly vault?: OpenVault | undefined;
    readonly schedule?: Address | undefined;
    readonly comparison?: ListComparison | undefined;
  },
): Promise<Preview> {
  const { vault, schedule, comparison } = input;
  return {
    summary,
    ...(comparison && { comparison }),
    rent: await rentOf(ledgers, schedule),
    ...(vault && { covered: vault.available / summary.total }),
  };
}

/** A schedule has its accounts once, however often its list is replaced. */
async function rentOf({ base }: Base, schedule: Address | undefined): Promise<bigint> {
  if (schedule !== undefined) return 0n;
  const [batch, own] = await Promise.all(
    [BATCH_BYTES, SCHEDULE_BYTES].map((bytes) => base.getMinimumBalanceForRentExemption(bytes).send()),
  );
  return (batch as bigint) + (own as bigint);
}

/** A payroll in numbers, as names and values. */
export const summaryRows = (summary: PayrollSummary, token: TokenInfo): readonly (readonly [string, string])[] => [
  ['recipients', summary.recipients.toLocaleString('en')],
  ['each window', withName(summary.total, token)],
  ['smallest', withName(summary.smallest, token)],
  ['in the middle', withName(summary.middle, token)],
  ['largest', withName(summary.largest, token)],
];

/** The same, with what it costs. */
export const previewRows = ({ summary, rent }: Preview, token: TokenInfo): readonly (readonly [string, string])[] => [
  ...summaryRows(summary, token),
  ['rent (comes back) and fee', `${sol(rent + FEE_LAMPORTS)} SOL`],
];

/** What there is to say of a payroll apart from that, sentence by sentence: what it changes comes last. */
export function previewSentences({ summary, comparison, covered }: Preview, token: TokenInfo): string[] {
  const { toWallets } = summary;
  const sentences = columnSentences(summary.columns);
  if (covered !== undefined) {
    const windows = covered === 1n ? '1 window' : `${covered} windows`;
    sentences.push(`What is available in your vault covers ${windows}.`);
  }
  if (toWallets > 0) {
    const who = toWallets === 1 ? '1 recipient is' : `${toWallets} recipients are`;
    const seen = 'everybody can see that wallet and amount (and guess by the time who pays)';
    sentences.push(`${who} paid to the wallet itself: ${seen}.`);
  }
  if (comparison !== undefined) sentences.push(...comparisonSentences(comparison, token));
  return sentences;
}

/** Characters of a name or a column's header that are shown. */
const NAME_LENGTH = 20;

/** A name on one line, without what a terminal would take for a command; of a long one the beginning. */
export function plainName(name: string): string {
  const text = name.replaceAll(/\p{C}+/gu, ' ');
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text;
}

/** What columns were taken for, where the file calls them otherwise. */
function columnSentences({ taken }: TakenColumns): string[] {
  const renamed = taken.filter(({ column, header }) => column !== header.toLowerCase());
  if (renamed.length === 0) return [];
  return [`Columns: ${renamed.map(({ column, header }) => `“${plainName(header)}” is the ${column}`).join(', ')}.`];
}

/** What a list changes of the current one, with a warning where somebody new gets far more than is usual in it. */
export function comparisonSentences(comparison: ListComparison, token: TokenInfo): string[] {
  const text = [`Against the current list: ${changesText(comparison.changes)}.`];
  const { length: moved } = comparison.changes.moved;
  if (moved > 0) {
    const who = moved === 1 ? 'One person is' : `${moved.toLocaleString('en')} people are`;
    text.push(`${who} paid at another address: have they told you so themselves?`);
  }
  const { length } = unusualNewcomers(comparison);
  if (length > 0) {
    const who = length === 1 ? 'Somebody new gets' : `${length} new recipients get`;
    text.push(`${who} ${UNUSUAL} times the usual ${withName(comparison.usual, token)} or more: is that meant?`);
  }
  return text;
}

/** Who is new in a list and gets far more than is usual in the current one. */
export const unusualNewcomers = ({ changes, usual }: ListComparison): readonly ListedAmount[] =>
  usual === 0n ? [] : changes.added.filter(({ amount }) => amount >= usual * UNUSUAL);

const sorted = (entries: readonly { readonly amount: bigint }[]): BigUint64Array =>
  BigUint64Array.from(entries, ({ amount }) => amount).sort();

/**
 * A recipient whose pay changes. `what` is "Address changed", "Raise of 40 %", "Cut of 5 %", "Newcomer", "Leaver" or "Paid elsewhere"; `amounts`
 * "500.00 → 700.00 USDC"; `from`: where they were paid until now, if that changes.
 */
export type ChangeRow = {
  readonly recipient: Address;
  readonly from?: Address;
  readonly what: string;
  readonly amounts: string;
};

/** A change before it is in words: a long list of changes is put into words only as far as it is looked at. */
export type ListChange = {
  readonly kind: 'moved' | 'raised' | 'lowered' | 'added' | 'removed' | 'redirected';
  readonly recipient: Address;
  readonly from?: Address;
  readonly before: bigint;
  readonly after: bigint;
};

/** Changes one by one: other addresses before all, then the largest first. */
export const changesInOrder = ({
  moved,
  added,
  removed,
  raised,
  lowered,
  redirected,
}: ListChanges): readonly ListChange[] => [
  ...moved.map((move) => ({ kind: 'moved', ...move, before: 0n, after: 0n }) as const),
  ...raised.map((change) => ({ kind: 'raised', ...change }) as const),
  ...lowered.map((change) => ({ kind: 'lowered', ...change }) as const),
  ...added.map(({ recipient, amount }) => ({ kind: 'added', recipient, before: 0n, after: amount }) as const),
  ...removed.map(({ recipient, amount }) => ({ kind: 'removed', recipient, before: amount, after: 0n }) as const),
  ...redirected.map((recipient) => ({ kind: 'redirected', recipient, before: 0n, after: 0n }) as const),
];

/** A change in words: who, what, and the amounts before and after. Private: it names a recipient. */
export function changeRow(change: ListChange, token: TokenInfo): ChangeRow {
  const { kind, recipient, from, before, after } = change;
  if (kind === 'moved') return { recipient, ...(from && { from }), what: 'Address changed', amounts: '' };
  if (kind === 'added') return { recipient, what: 'Newcomer', amounts: `nothing → ${withName(after, token)}` };
  if (kind === 'removed') return { recipient, what: 'Leaver', amounts: `${withName(before, token)} → nothing` };
  if (kind === 'redirected') return { recipient, what: 'Paid elsewhere', amounts: '' };
  const what = `${kind === 'raised' ? 'Raise' : 'Cut'} of ${percentOf(change)} %`;
  return { recipient, what, amounts: `${showTokens(before, token.decimals)} → ${withName(after, token)}` };
}

/** What a schedule's fees come to; nothing where none are asked for. `lamports`: all that is prepaid now, or that a list may cost. */
export function feeSentences(fees: ScheduleFees, lamports: bigint, token: TokenInfo): string[] {
  if (lamports === 0n) return [];
  const { windowFee, recipientFee, openingFee, leastOpening } = fees;
  const each = `${sol(BigInt(windowFee))} for each window, ${sol(BigInt(recipientFee))} for each recipient who is paid for the first time`;
  const sentences = [
    `Prepays ${sol(lamports)} SOL to the operator: ${each}${isOpening(fees) ? ', and for new wallets' : ''}.`,
  ];
  if (isOpening(fees)) {
    const opening = `${sol(BigInt(openingFee))} for each ${withName(leastOpening, token)} of a window`;
    sentences.push(`For new wallets: ${opening}, as far as emptied wallets have not given enough back.`);
  }
  return [...sentences, 'What is not used comes back when the schedule is closed.'];
}

const isOpening = (fees: ScheduleFees): boolean => fees.openingFee > 0 && prepaidOpenings(fees, 1n) > 0n;
