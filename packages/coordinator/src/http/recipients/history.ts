import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { LiabilityReader } from '../../liabilities/reader.ts';
import type { NamedIn, OwnEntry } from '../../lists/recipientIndex.ts';
import { groupedBy } from '../../platform/groupedBy.ts';
import { isPaid } from '../../store/crypto/paymentRecord.ts';
import { listLatestSettledRuns, type SettledRun } from '../../store/queries/payments.ts';
import { isKeptTransfer, isWithdrawal, type WithdrawalRecord } from '../../withdrawals/keptRecord.ts';
import { recordOf } from '../receipts.ts';
import type { OwnInput } from './own.ts';
import type { HistoryView } from './schemas.ts';
import type { KeptSide, OwnTransfers } from './transfers.ts';

type Item = Static<typeof HistoryView>['items'][number];

/** Where a page ends: what is shown next is older, or as old with a smaller mark. A withdrawal's mark is above all payments', a transfer's above both. */
export type HistoryPlace = { readonly at: number; readonly mark: number };

/** Above the id of every run. */
const WITHDRAWALS_FROM = 2 ** 40;
/** Above the number of every withdrawal; those to payment codes are above those that they have paid. */
const TRANSFERS_FROM = { payer: 2 ** 41, payee: 2 ** 42 } as const;
const MAX_AT = Number.MAX_SAFE_INTEGER;

type Placed = HistoryPlace & { readonly item: Item | undefined };
/** Of which it is found out only once it is on the page what is shown. */
type Unread = HistoryPlace & { readonly read: () => Promise<Item> };

const byPlace = (one: HistoryPlace, other: HistoryPlace) => other.at - one.at || other.mark - one.mark;
const isBehind = (one: HistoryPlace, place: HistoryPlace) => byPlace(one, place) > 0;

/** What a recipient was paid, took out and paid inside, newest first, behind a place; `next`: where the page ends if there is more. */
export async function readHistory(
  input: OwnInput & { readonly transfers: OwnTransfers },
  recipient: Address,
  { behind, limit }: { readonly behind: HistoryPlace | undefined; readonly limit: number },
): Promise<{ readonly items: Item[]; readonly next: HistoryPlace | undefined }> {
  const place = behind ?? { at: MAX_AT, mark: MAX_AT };
  const placed = [
    ...(await payments(input, recipient, place, limit + 1)),
    ...(await movements(input, recipient, place)),
  ].sort(byPlace);
  const page = placed.slice(0, limit);
  const items: Item[] = [];
  for (const one of page) {
    const item = 'read' in one ? await one.read() : one.item;
    if (item !== undefined) items.push(item);
  }
  const last = page.at(-1);
  return { items, next: placed.length > limit && last !== undefined ? { at: last.at, mark: last.mark } : undefined };
}

async function payments(input: OwnInput, recipient: Address, place: HistoryPlace, limit: number): Promise<Placed[]> {
  const named = groupedBy(await input.recipients.namedIn(recipient), ({ list }) => list.id);
  if (named.size === 0) return [];
  const from = { at: place.at, id: Math.min(place.mark, WITHDRAWALS_FROM) };
  const runs = await listLatestSettledRuns(input.database, [...named.keys()], from, limit);
  const placed: Placed[] = [];
  for (const run of runs) {
    // Only lists of this page are opened, however many there are.
    const own = await input.recipients.open(recipient, named.get(run.list_id) as NamedIn[]);
    placed.push({ at: Number(run.settled_at), mark: run.id, item: await paymentOf(input, own, run) });
  }
  return placed;
}

/** What a run paid to a recipient's entries of its list; undefined: nothing. */
async function paymentOf(input: OwnInput, own: readonly OwnEntry[], run: SettledRun): Promise<Item | undefined> {
  const [first] = own;
  if (first === undefined) return undefined;
  const { list, mint } = first;
  const record = await recordOf(input, list, run);
  const paid = own.filter(({ entry }) => record === undefined || isPaid(record, entry.index));
  if (paid.length === 0) return undefined;
  return {
    kind: 'payment',
    at: Number(run.settled_at),
    schedulePda: list.schedule,
    mint,
    window: run.window_number,
    amount: paid.reduce((sum, { entry }) => sum + entry.amount, 0n).toString(),
    known: record !== undefined,
    signature: run.signature,
  };
}

/** Withdrawals and private transfers behind a place. */
async function movements(
  input: OwnInput & { readonly transfers: OwnTransfers },
  recipient: Address,
  place: HistoryPlace,
): Promise<(Placed | Unread)[]> {
  const until = Math.min(place.at, input.time.now());
  const kept = await input.withdrawals.of(recipient, until);
  const mints = new Set((await input.recipients.namedIn(recipient)).map(({ mint }) => mint as Address));
  const paid = kept.filter(isKeptTransfer).map((one) => ({ ...one, salt: undefined }));
  const own = [...paid, ...(await input.transfers.received(recipient, mints, until))];
  const transfers = own
    .filter(({ record }) => record.state !== 'refused')
    .map((one) => ({
      ...placeOf(one),
      read: () => input.transfers.view(recipient, one),
    }));
  return [
    ...transfers.filter((one) => isBehind(one, place)),
    ...(await withdrawals(input, kept.map(({ record }) => record).filter(isWithdrawal), place)),
  ];
}

/** Two transfers of one moment are told apart by their numbers, or by the payers' marks. */
function placeOf({ record, salt }: KeptSide): HistoryPlace {
  const isPaid = salt === undefined;
  const number = isPaid ? Number(record.id) : Buffer.from(addressToBytes(record.payer)).readUInt32LE();
  return { at: record.seenAt, mark: TRANSFERS_FROM[isPaid ? 'payer' : 'payee'] + number };
}

async function withdrawals(input: OwnInput, kept: readonly WithdrawalRecord[], place: HistoryPlace): Promise<Placed[]> {
  const placed = kept
    .map((record) => ({ record, at: record.seenAt, mark: WITHDRAWALS_FROM + Number(record.number) }))
    .filter((one) => isBehind(one, place));
  const records = placed.map(({ record }) => record);
  const paid = await paidMeanwhile(input, records);
  return placed.map(({ record, at, mark }) => ({ at, mark, item: withdrawalOf(record, paid.has(record)) }));
}

/** Withdrawals that the base ledger has paid though nobody has noted it: the service stopped in between. Throws `RunError`. */
async function paidMeanwhile(input: OwnInput, records: readonly WithdrawalRecord[]): Promise<Set<WithdrawalRecord>> {
  const open = records.filter(({ state }) => state !== 'paid');
  const paid = new Set<WithdrawalRecord>();
  for (const mint of new Set(open.map((record) => record.mint))) {
    const own = open.filter((record) => record.mint === mint);
    const { isPaid: isPaidThere } = await new LiabilityReader({ ...input, mint }).pool(own);
    for (const record of own) if (isPaidThere(record.number)) paid.add(record);
  }
  return paid;
}

function withdrawalOf(record: WithdrawalRecord, isPaidMeanwhile: boolean): Item {
  const { seenAt, balance, mint, number, amount, wallet, state, issuedAt, paidAt } = record;
  return {
    kind: 'withdrawal',
    at: seenAt,
    balance,
    mint,
    number: number.toString(),
    amount: amount.toString(),
    wallet,
    state: isPaidMeanwhile ? 'paid' : state,
    issuedAt,
    paidAt,
  };
}
