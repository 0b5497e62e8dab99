import type { Ledgers, Payee } from '@payouts/client';
import { changesText, compareLists, type ListChanges, type Payroll, percentOf, problemText } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { showTokens, sol, withName } from '../amounts.ts';
import { columns, dim, wrapped } from '../output.ts';
import type { TokenInfo } from '../token.ts';
import type { OpenVault } from './vault.ts';

type Base = Pick<Ledgers, 'base'>;

/** What a payroll would cost and change. */
export type Preview = {
  readonly payroll: Payroll;
  /** Of the list before it; undefined: there is none, or it is not at hand. */
  readonly changes?: ListChanges;
  /** Lamports for the ledger's accounts, which come back when the schedule is closed. */
  readonly rent: bigint;
  /** Windows that what is available in the vault would cover; undefined without a vault. */
  readonly covered?: bigint;
};

/** Bytes of a schedule's account, and of a batch's: docs/reference/ledger-layout.md. */
const SCHEDULE_BYTES = 488n;
const BATCH_BYTES = 320n;
/** Lamports of a transaction with one signature. */
export const FEE_LAMPORTS = 5_000n;
/** Changes and doubts that are listed one by one. */
const LISTED = 10;
/** Characters of a name that are shown. */
const NAME_LENGTH = 20;

/** Works out what a payroll costs and changes; `schedule`: the one whose list it is to replace. */
export async function previewOf(
  ledgers: Base,
  payroll: Payroll,
  input: {
    readonly vault?: OpenVault | undefined;
    readonly schedule?: Address | undefined;
    readonly present?: readonly Payee[] | undefined;
  },
): Promise<Preview> {
  const { vault, schedule, present } = input;
  return {
    payroll,
    ...(present && { changes: compareLists(present, payroll.lines) }),
    rent: await rentOf(ledgers, schedule),
    ...(vault && { covered: vault.available / payroll.total }),
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

/** A preview for people. Private: it names recipients whose amounts change. */
export function previewLines({ payroll, changes, rent, covered }: Preview, token: TokenInfo): string[] {
  const { lines, names, total, doubts } = payroll;
  const amounts = lines.map(({ amount }) => amount).sort((one, other) => (one < other ? -1 : 1));
  const amountAt = (at: number) => withName(amounts[at] as bigint, token);
  const toWallets = lines.filter(({ delivery }) => delivery === 'wallet').length;
  const rows = [
    ['recipients', lines.length.toLocaleString('en')],
    ['each window', withName(total, token)],
    ['smallest', amountAt(0)],
    ['in the middle', amountAt(Math.floor(amounts.length / 2))],
    ['largest', amountAt(amounts.length - 1)],
    ['rent (comes back) and fee', `${sol(rent + FEE_LAMPORTS)} SOL`],
  ];
  const text = columns(rows, [1]).map((row) => `  ${row}`);
  if (covered !== undefined) {
    const windows = covered === 1n ? '1 window' : `${covered} windows`;
    text.push('', `What is available in your vault covers ${windows}.`);
  }
  if (changes !== undefined)
    text.push('', `Against the current list: ${changesText(changes)}.`, ...changeLines(changes, token, names));
  if (toWallets > 0) {
    const who = toWallets === 1 ? '1 recipient is' : `${toWallets} recipients are`;
    const seen = 'everybody can see that wallet and amount (and guess by the time who pays)';
    text.push('', ...wrapped(`${who} paid to the wallet itself: ${seen}.`));
  }
  if (doubts.length > 0) {
    text.push('', 'Have a look at:', ...listed(doubts.map((doubt) => `  ${problemText(doubt)}`)));
  }
  return text;
}

/** What a schedule's fees come to; nothing where none are asked for. `lamports`: all that is prepaid now, or that a list may cost. */
export function feeLines(
  { windowFee, recipientFee }: { readonly windowFee: number; readonly recipientFee: number },
  lamports: bigint,
): string[] {
  if (lamports === 0n) return [];
  const each = `${sol(BigInt(windowFee))} for each window, ${sol(BigInt(recipientFee))} for each recipient who is paid for the first time`;
  return wrapped(
    `Prepays ${sol(lamports)} SOL to the operator: ${each}. What is not used comes back when the schedule is closed.`,
  );
}

/**
 * Changes one by one, the largest first: who, what, and the amounts before and after; below each the whole address, alone in its line, so
 * that it fits beside any amount and can be compared and copied. Private: it names recipients.
 */
export function changeLines(
  { added, removed, raised, lowered, redirected }: ListChanges,
  token: TokenInfo,
  names: ReadonlyMap<Address, string>,
): string[] {
  const changed = [
    ...[...raised, ...lowered].map((change) => ({
      recipient: change.recipient,
      cells: [
        `${change.after > change.before ? '+' : '−'}${percentOf(change)} %`,
        `${showTokens(change.before, token.decimals)} → ${withName(change.after, token)}`,
      ],
    })),
    ...added.map(({ recipient, amount }) => ({ recipient, cells: ['added', withName(amount, token)] })),
    ...removed.map(({ recipient, amount }) => ({ recipient, cells: ['removed', `was ${withName(amount, token)}`] })),
    ...redirected.map((recipient) => ({ recipient, cells: ['paid elsewhere', ''] })),
  ];
  const isNamed = names.size > 0;
  const rows = changed.slice(0, LISTED).flatMap(({ recipient, cells }) => {
    const [first, ...rest] = isNamed ? [plain(names.get(recipient) ?? ''), ...cells] : cells;
    return [[`  ${first}`, ...rest], [`    ${recipient}`]];
  });
  return [...columns(rows, [isNamed ? 2 : 1]), ...andMore(changed)];
}

/** A name on one line, without what a terminal would take for a command; of a long one the beginning. */
function plain(name: string): string {
  const text = name.replaceAll(/\p{C}+/gu, ' ');
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text;
}

function listed(lines: readonly string[]): string[] {
  return [...lines.slice(0, LISTED), ...andMore(lines)];
}

/** Says how many are not listed. */
function andMore({ length }: readonly unknown[]): string[] {
  return length > LISTED ? [dim(`  … and ${length - LISTED} more (--json lists all)`)] : [];
}
