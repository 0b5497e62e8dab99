import type { Payee } from '@payouts/client/browser';
import type { Address } from '@solana/kit';

/** A recipient whose amount differs between two lists; base units, all of their entries together. */
export type AmountChange = { readonly recipient: Address; readonly before: bigint; readonly after: bigint };

/** A recipient who is in one of two lists only; base units, all of their entries together. */
export type ListedAmount = { readonly recipient: Address; readonly amount: bigint };

/** What a list changes of the one before it. */
export type ListChanges = {
  readonly added: readonly ListedAmount[];
  readonly removed: readonly ListedAmount[];
  /** By how much in proportion, the largest first. */
  readonly raised: readonly AmountChange[];
  readonly lowered: readonly AmountChange[];
  /** Recipients whose money would arrive in another place: the private balance or their wallet. */
  readonly redirected: readonly Address[];
  readonly unchanged: number;
};

/** All entries of a recipient together; `deliveries`: each of them a bit. */
type Sum = { amount: bigint; deliveries: number };

const DELIVERY_BITS = { balance: 1, wallet: 2 } as const;

/** Compares two lists recipient by recipient, whatever the order and however many entries each has. */
export function compareLists(before: readonly Payee[], after: readonly Payee[]): ListChanges {
  const old = sums(before);
  const fresh = sums(after);
  const changes: AmountChange[] = [];
  const added: ListedAmount[] = [];
  const redirected: Address[] = [];
  let unchanged = 0;
  for (const [recipient, { amount, deliveries }] of fresh) {
    const past = old.get(recipient);
    if (past === undefined) {
      added.push({ recipient, amount });
      continue;
    }
    const isRedirected = deliveries !== past.deliveries;
    if (isRedirected) redirected.push(recipient);
    if (past.amount !== amount) changes.push({ recipient, before: past.amount, after: amount });
    else if (!isRedirected) unchanged += 1;
  }
  changes.sort((one, other) => size(other) - size(one));
  return {
    added,
    removed: [...old].flatMap(([recipient, { amount }]) => (fresh.has(recipient) ? [] : [{ recipient, amount }])),
    raised: changes.filter((change) => change.after > change.before),
    lowered: changes.filter((change) => change.after < change.before),
    redirected,
    unchanged,
  };
}

/** By how much an amount changes, in per cent without a sign: whole ones, or one decimal below ten. Rounded half up. */
export function percentOf({ before, after }: AmountChange): number {
  const difference = after > before ? after - before : before - after;
  const tenths = Number((difference * 2_000n + before) / (2n * before));
  return tenths < 100 ? tenths / 10 : Math.round(tenths / 10);
}

/** "1 raise of 40 %, 2 newcomers, 1 leaver"; "nothing changes" for equal lists. */
export function changesText({ added, removed, raised, lowered, redirected }: ListChanges): string {
  const parts = [
    raised.length > 0 && `${counted(raised, 'raise')} of ${spread(raised)}`,
    lowered.length > 0 && `${counted(lowered, 'cut')} of ${spread(lowered)}`,
    added.length > 0 && counted(added, 'newcomer'),
    removed.length > 0 && counted(removed, 'leaver'),
    redirected.length > 0 && `${redirected.length.toLocaleString('en')} paid elsewhere`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing changes' : parts.join(', ');
}

const counted = ({ length }: readonly unknown[], what: string): string =>
  `${length.toLocaleString('en')} ${what}${length === 1 ? '' : 's'}`;

/** Changes come with the largest first. */
function spread(changes: readonly AmountChange[]): string {
  const [most, least] = [changes[0], changes.at(-1)].map((change) => percentOf(change as AmountChange));
  return least === most ? `${most} %` : `${least} to ${most} %`;
}

const size = ({ before, after }: AmountChange) => Math.abs(Number(after - before)) / Number(before);

function sums(payees: readonly Payee[]): Map<Address, Sum> {
  const found = new Map<Address, Sum>();
  for (const { recipient, amount, delivery = 'balance' } of payees) {
    const sum = found.get(recipient);
    const bit = DELIVERY_BITS[delivery];
    if (sum === undefined) found.set(recipient, { amount, deliveries: bit });
    else {
      sum.amount += amount;
      sum.deliveries |= bit;
    }
  }
  return found;
}
