import type { Payee } from '@payouts/client/browser';
import type { Address } from '@solana/kit';

/** A recipient whose amount differs between two lists; base units, all of their entries together. */
export type AmountChange = { readonly recipient: Address; readonly before: bigint; readonly after: bigint };

/** A recipient who is in one of two lists only; base units, all of their entries together. */
export type ListedAmount = { readonly recipient: Address; readonly amount: bigint };

/** Somebody who is paid at another address, as their name says. */
export type AddressMove = { readonly from: Address; readonly recipient: Address };

/** What a list changes of the one before it. Whoever is in `moved` is one person in all of it, under their new address. */
export type ListChanges = {
  readonly moved: readonly AddressMove[];
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

/**
 * Compares two lists recipient by recipient, whatever the order and however many entries each has. By `names`, those of both lists, it tells
 * who has another address from who leaves and who is new.
 */
export function compareLists(
  before: readonly Payee[],
  after: readonly Payee[],
  names: ReadonlyMap<Address, string> = new Map(),
): ListChanges {
  const old = sums(before);
  const fresh = sums(after);
  const moved = movesBetween(old, fresh, names);
  const fromOf = new Map(moved.map(({ from, recipient }) => [recipient, from]));
  const gone = new Set(fromOf.values());
  const changes: AmountChange[] = [];
  const added: ListedAmount[] = [];
  const redirected: Address[] = [];
  let unchanged = 0;
  for (const [recipient, { amount, deliveries }] of fresh) {
    const from = fromOf.get(recipient);
    const past = old.get(from ?? recipient);
    if (past === undefined) {
      added.push({ recipient, amount });
      continue;
    }
    const isRedirected = deliveries !== past.deliveries;
    if (isRedirected) redirected.push(recipient);
    if (past.amount !== amount) changes.push({ recipient, before: past.amount, after: amount });
    else if (!isRedirected && from === undefined) unchanged += 1;
  }
  changes.sort((one, other) => size(other) - size(one));
  const isGone = (recipient: Address) => !fresh.has(recipient) && !gone.has(recipient);
  return {
    moved,
    added,
    removed: [...old].flatMap(([recipient, { amount }]) => (isGone(recipient) ? [{ recipient, amount }] : [])),
    raised: changes.filter((change) => change.after > change.before),
    lowered: changes.filter((change) => change.after < change.before),
    redirected,
    unchanged,
  };
}

/** Names that one address has in each list, and another one in each. A name that stands twice in either tells nobody apart. */
function movesBetween(
  old: ReadonlyMap<Address, Sum>,
  fresh: ReadonlyMap<Address, Sum>,
  names: ReadonlyMap<Address, string>,
): readonly AddressMove[] {
  if (names.size === 0) return [];
  const past = addressesByName(old, names);
  return [...addressesByName(fresh, names)].flatMap(([name, recipient]) => {
    const from = past.get(name);
    return from === undefined || recipient === undefined || from === recipient ? [] : [{ from, recipient }];
  });
}

/** The address of each name; undefined where several have it. */
function addressesByName(
  recipients: ReadonlyMap<Address, Sum>,
  names: ReadonlyMap<Address, string>,
): ReadonlyMap<string, Address | undefined> {
  const found = new Map<string, Address | undefined>();
  for (const recipient of recipients.keys()) {
    const name = (names.get(recipient) ?? '').normalize().trim().replaceAll(/\s+/g, ' ');
    if (name !== '') found.set(name, found.has(name) ? undefined : recipient);
  }
  return found;
}

/** By how much an amount changes, in per cent without a sign: whole ones, or one decimal below ten. Rounded half up. */
export function percentOf({ before, after }: AmountChange): number {
  const difference = after > before ? after - before : before - after;
  const tenths = Number((difference * 2_000n + before) / (2n * before));
  return tenths < 100 ? tenths / 10 : Math.round(tenths / 10);
}

/** "1 address changed, 1 raise of 40 %, 2 newcomers, 1 leaver"; "nothing changes" for equal lists. */
export function changesText({ moved, added, removed, raised, lowered, redirected }: ListChanges): string {
  const parts = [
    moved.length > 0 && `${moved.length.toLocaleString('en')} ${moved.length === 1 ? 'address' : 'addresses'} changed`,
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
