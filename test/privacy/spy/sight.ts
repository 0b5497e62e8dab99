import { decodeEvents } from '@payouts/client';
import type { Answer, Evidence } from './evidence.ts';

/** A withdrawal as the base ledger shows it. */
export type Payout = {
  readonly at: number;
  readonly mint: string;
  readonly wallet: string;
  readonly number: bigint;
  readonly amount: bigint;
};
/** Addresses that the execution layer asked for in one request, in order. */
export type Lookup = { readonly at: number; readonly addresses: readonly string[] };
/** A list as its schedule shows it; `from`: unix milliseconds since when. */
export type PublicList = {
  readonly schedule: string;
  readonly mint: string;
  readonly vault: string;
  readonly root: string;
  readonly recipients: number;
  readonly total: bigint;
  readonly from: number;
};
/** A window's opening or settlement. */
export type Turn = { readonly at: number; readonly schedule: string; readonly window: bigint };

const ADDRESS = /[1-9A-HJ-NP-Za-km-z]{32,44}/g;
const ROUNDS = /^\/api\/rounds\/([^/]+)$/;
const SCHEDULE = /^\/api\/schedules\/([^/]+)$/;

/** Every withdrawal, in order of time. */
export function payoutsOf({ transactions }: Evidence): Payout[] {
  const payouts: Payout[] = [];
  for (const { at, err, logMessages, preTokenBalances, postTokenBalances } of transactions) {
    if (err !== null) continue;
    for (const event of decodeEvents(logMessages)) {
      if (event.__kind !== 'WithdrawalPaid') continue;
      const { number, amount, mint } = event;
      const had = (place: number) =>
        preTokenBalances.find(({ accountIndex }) => accountIndex === place)?.uiTokenAmount.amount ?? '0';
      const wallet = postTokenBalances.find(
        (after) => BigInt(after.uiTokenAmount.amount) - BigInt(had(after.accountIndex)) === amount,
      );
      if (wallet !== undefined) payouts.push({ at, mint, wallet: wallet.owner, number, amount });
    }
  }
  return payouts.sort((a, b) => a.at - b.at);
}

/** The size of each token's parts, as the API tells everybody. */
export function partSizesOf({ answers }: Evidence): Map<string, bigint> {
  const sizes = new Map<string, bigint>();
  for (const { path, status, body } of answers) {
    const mint = status === 200 ? ROUNDS.exec(path)?.[1] : undefined;
    const { size = null } = mint === undefined ? {} : (JSON.parse(body) as { size?: string | null });
    if (mint !== undefined && size !== null) sizes.set(mint, BigInt(size));
  }
  return sizes;
}

/** What every wallet got in sum, with each withdrawal. */
export function sumsOf(payouts: readonly Payout[]): Map<string, bigint[]> {
  const sums = new Map<string, bigint[]>();
  for (const { wallet, amount } of payouts) {
    const former = sums.get(wallet) ?? [];
    sums.set(wallet, [...former, (former.at(-1) ?? 0n) + amount]);
  }
  return sums;
}

/** Windows opened and settled, in order of time. */
export function turnsOf({ transactions }: Evidence, kind: 'WindowOpened' | 'WindowSettled'): Turn[] {
  return transactions.flatMap(({ at, err, logMessages }) =>
    err !== null
      ? []
      : decodeEvents(logMessages).flatMap((event) =>
          event.__kind === kind ? [{ at, schedule: event.schedule, window: event.window }] : [],
        ),
  );
}

/** Every list that a schedule has shown. */
export function listsOf({ answers }: Evidence): PublicList[] {
  const lists = new Map<string, PublicList>();
  for (const { at, path, status, body } of answers) {
    if (status !== 200 || !SCHEDULE.test(path)) continue;
    const view = JSON.parse(body) as Record<
      'schedulePda' | 'mint' | 'vault' | 'root' | 'amountPerExecution',
      string
    > & {
      recipients: number;
    };
    if (lists.has(view.root)) continue;
    const { schedulePda: schedule, mint, vault, root, recipients } = view;
    lists.set(root, { schedule, mint, vault, root, recipients, total: BigInt(view.amountPerExecution), from: at });
  }
  return [...lists.values()];
}

/** What the layer asked for by `getMultipleAccounts` and `getAccountInfo`. */
export function lookupsOf({ calls }: Evidence): Lookup[] {
  return textsOf(calls.filter(({ link }) => link === 'http')).flatMap(({ text, at }) =>
    [...text.matchAll(/"method":"get(?:MultipleAccounts|AccountInfo)","params":\[(\[[^\]]*\]|"[^"]*")/g)].map(
      (found) => ({ at: at(found.index), addresses: [...(found[1] as string).matchAll(ADDRESS)].map(([one]) => one) }),
    ),
  );
}

/** Every address in what the layer asked for, with when and in what order it was asked for first. */
export function askedFor({ calls }: Evidence): Map<string, number> {
  const asked = new Map<string, number>();
  for (const { text, at } of textsOf(calls)) {
    for (const { 0: address, index } of text.matchAll(ADDRESS)) {
      asked.set(address, Math.min(asked.get(address) ?? Number.POSITIVE_INFINITY, at(index)));
    }
  }
  return asked;
}

/** All that looks like an address in any text or account. */
export function addressesInSight(evidence: Evidence): Set<string> {
  const { answers, metrics, transactions, layer, log, dump, backup } = evidence;
  const texts = [
    ...answers.map(textOf),
    ...metrics.map(({ text }) => text),
    ...transactions.flatMap(({ logMessages, accountKeys }) => [...logMessages, ...accountKeys]),
    ...layer.flatMap((line) => (line.kind === 'account' ? [line.address] : [])),
    log.toString('latin1'),
    dump.toString('latin1'),
    backup.toString('latin1'),
  ];
  return new Set([
    ...askedFor(evidence).keys(),
    ...texts.flatMap((text) => [...text.matchAll(ADDRESS)].map(([one]) => one)),
  ]);
}

/** The texts of connections whole, and when a place in them passed. */
function textsOf(calls: Evidence['calls']): { readonly text: string; readonly at: (place: number) => number }[] {
  const connections = new Map<string, { text: string; readonly pieces: { from: number; at: number }[] }>();
  for (const { link, connection, text, at } of calls) {
    const key = `${link} ${connection}`;
    const one = connections.get(key) ?? { text: '', pieces: [] };
    connections.set(key, one);
    one.pieces.push({ from: one.text.length, at });
    one.text += link === 'websocket' ? `${text}\n` : text;
  }
  return [...connections.values()].map(({ text, pieces }) => ({
    text,
    at: (place) => pieces.findLast(({ from }) => from <= place)?.at ?? 0,
  }));
}

/** What of a public answer could name something: its headers and its body. */
export const textOf = ({ headers, body }: Answer): string => `${headers}\n${body}`;

/** Recipients who stand on the base ledger by their employer's choice: candidates who are wallets as well. */
export function deliveredTo(evidence: Evidence): Map<string, Payout[]> {
  const candidates = new Set(evidence.candidates.addresses);
  const delivered = new Map<string, Payout[]>();
  for (const payout of payoutsOf(evidence)) {
    if (!candidates.has(payout.wallet)) continue;
    delivered.set(payout.wallet, [...(delivered.get(payout.wallet) ?? []), payout]);
  }
  return delivered;
}
