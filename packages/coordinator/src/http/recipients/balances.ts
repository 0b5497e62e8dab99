import {
  addressFromBytes,
  millisOf,
  type NotedPersonal,
  ownerRecord,
  type PayoutDelivery,
  paymentCodeOf,
  personalNamed,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { personalKeyIn, placeIn } from '../../balances/pages.ts';
import { PaymentCodes } from '../../balances/paymentCodes.ts';
import {
  type ObservedPersonal,
  type ObservedTransfer,
  type ObservedWithdrawal,
  observedPersonal,
} from '../../balances/personal.ts';
import { pageOfPlace } from '../../domain/places.ts';
import { readAccounts } from '../../ledger/ledger.ts';
import { LiabilityReader, type PoolAtOnce } from '../../liabilities/reader.ts';
import type { OwnEntry } from '../../lists/recipientIndex.ts';
import { findAdopted } from '../../store/queries/owners.ts';
import { readPlaces } from '../../store/queries/slots.ts';
import type { OwnInput } from './own.ts';
import type { BalancesView } from './schemas.ts';
import { readTokens } from './tokens.ts';

const MS_PER_SECOND = 1_000;

type View = Static<typeof BalancesView>['balances'][number];

/** A recipient's private balance: whose, in which token, where, and which schedules pay into it. */
export type OwnBalance = {
  /** The owner in base 58. */
  readonly address: Address;
  readonly owner: Uint8Array;
  readonly recipient: Address;
  readonly salt: Uint8Array;
  readonly delivery: PayoutDelivery;
  readonly mint: Address;
  readonly place: number | undefined;
  readonly schedules: readonly string[];
};

/** The balances of a recipient's entries, each once, in the entries' order. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function ownBalances(
  input: OwnInput,
  recipient: Address,
  entries: readonly OwnEntry[],
): Promise<OwnBalance[]> {
  const found = new Map<string, OwnBalance>();
  for (const own of entries) {
    const { list, mint, entry } = own;
    const { owner } = ownerRecord(entry);
    const address = addressFromBytes(owner);
    const key = `${mint} ${address}`;
    const known = found.get(key);
    const place = known?.place ?? (await storedPlace(input, own, owner));
    const schedules = [...new Set([...(known?.schedules ?? []), list.schedule])];
    const { salt, delivery } = entry;
    found.set(key, { address, owner, recipient, salt, delivery, mint, place, schedules });
  }
  return [...found.values(), ...(await codeBalances(input, recipient, new Set(entries.map(({ mint }) => mint))))];
}

/** The balances that payment codes of a recipient name, of these tokens. */
async function codeBalances(input: OwnInput, recipient: Address, mints: Iterable<Address>): Promise<OwnBalance[]> {
  const codes = new PaymentCodes(input);
  const found: OwnBalance[] = [];
  for (const mint of mints) {
    const own = await codes.of(mint, recipient);
    if (own === undefined) continue;
    const address = addressFromBytes(own.owner);
    found.push({ ...own, address, recipient, mint, delivery: 'balance', schedules: [] });
  }
  return found;
}

/** Where an entry's balance is; a list that lost its places, because those of the layer were taken over, gets them when it is paid again. */
async function storedPlace(
  { database, payloadKeys }: OwnInput,
  { list, mint, entry }: OwnEntry,
  owner: Uint8Array,
): Promise<number | undefined> {
  const places = await readPlaces(list, payloadKeys);
  return places === undefined ? findAdopted(database, payloadKeys, mint, owner) : places[entry.index];
}

/** What both ledgers show of a recipient's balances. Throws `RunError` when one of them can't be read. */
export async function balanceViews(input: OwnInput, own: readonly OwnBalance[]): Promise<View[]> {
  const tokens = await readTokens(input, [...new Set(own.map(({ mint }) => mint))]);
  const before = await readPlaced(input, own);
  const personal = await readPersonal(input, before);
  const placed = await readPlaced(input, own);
  const pools = await readPools(input, [...personal.values()]);
  const now = BigInt(Math.floor(input.time.now() / MS_PER_SECOND));
  const views: View[] = [];
  for (const [at, balance] of own.entries()) {
    const { address, mint, place, salt, delivery, schedules } = balance;
    const { symbol, decimals } = tokens.get(mint) ?? { symbol: null, decimals: 0 };
    const account = personal.get(at);
    const found = placed.get(at);
    const amount = found?.amount ?? 0n;
    // More waits where a withdrawal was released after its account was read.
    const waiting = account?.waiting ?? 0n;
    const where = found !== undefined && place !== undefined ? await placeOf(input, mint, place) : null;
    views.push({
      address,
      mint,
      symbol,
      decimals,
      place: where,
      salt: Buffer.from(salt).toString('hex'),
      delivery,
      personal: account?.address ?? null,
      personalNumber: found?.noted.number ?? 0,
      personalKey: found === undefined ? null : Buffer.from(found.key).toString('hex'),
      amount: (amount > waiting ? amount - waiting : 0n).toString(),
      withdrawals: account === undefined ? [] : account.withdrawals().map((each) => underWay(each, pools.get(mint))),
      transfers: account === undefined ? [] : account.transfers().map(transferUnderWay),
      standing:
        account === undefined
          ? []
          : account.standing().map(({ amount, ...part }) => ({ ...part, amount: amount.toString() })),
      order: account === undefined ? null : orderOf(account),
      recovery: account === undefined ? null : recoveryOf(account, now),
      schedules: [...schedules],
    });
  }
  return views;
}

async function placeOf({ balances }: OwnInput, mint: Address, place: number): Promise<View['place']> {
  return placeIn(await balances.pages.of(mint, [pageOfPlace(place)]))(place);
}

/** A balance where it is: what it holds, what is noted of its personal accounts, and what their addresses follow from. */
type Placed = {
  readonly mint: Address;
  readonly amount: bigint;
  readonly noted: NotedPersonal;
  readonly key: Uint8Array;
};

/** What pages show of the balances, by their number here; of those that nobody was paid into, nothing. */
async function readPlaced(input: OwnInput, own: readonly OwnBalance[]): Promise<ReadonlyMap<number, Placed>> {
  const found = new Map<number, Placed>();
  for (const mint of new Set(own.map((each) => each.mint))) {
    const placed = [...own.entries()].filter(([, each]) => each.mint === mint && each.place !== undefined);
    const places = placed.map(([, { place }]) => place as number);
    const keyOf = personalKeyIn(await input.balances.pages.of(mint, places.map(pageOfPlace)));
    await new LiabilityReader({ ...input, mint }).balances(places, (place, seen) => {
      for (const [at, each] of placed) {
        const isTheirs = seen !== undefined && Buffer.compare(seen.owner, each.owner) === 0;
        if (each.place === place && isTheirs) found.set(at, { mint, ...seen, key: keyOf(place, each.owner) });
      }
    });
  }
  return found;
}

/** The accounts that hold what recipients ask of their balances, by the balances' numbers here. */
async function readPersonal(
  { layer, program }: OwnInput,
  placed: ReadonlyMap<number, Placed>,
): Promise<ReadonlyMap<number, ObservedPersonal>> {
  const numbers = new Map<Address, number>();
  for (const [at, { mint, key, noted }] of placed) {
    const { address } = personalNamed(mint, key, noted.number, { programAddress: program });
    if (noted.isThere) numbers.set(address, at);
  }
  const found = new Map<number, ObservedPersonal>();
  await readAccounts(layer, [...numbers.keys()], (address, account) => {
    const personal = observedPersonal(account, program);
    if (personal !== undefined) found.set(numbers.get(address) as number, personal);
  });
  return found;
}

/** The pools of tokens of which a withdrawal is under way, with what they say of these withdrawals. */
async function readPools(
  input: OwnInput,
  personal: readonly ObservedPersonal[],
): Promise<ReadonlyMap<Address, PoolAtOnce>> {
  const numbers = new Map<Address, ObservedWithdrawal[]>();
  for (const each of personal) {
    const numbered = each.withdrawals().filter(({ number }) => number !== 0n);
    if (numbered.length > 0) numbers.set(each.mint, [...(numbers.get(each.mint) ?? []), ...numbered]);
  }
  const pools = new Map<Address, PoolAtOnce>();
  for (const [mint, pending] of numbers) pools.set(mint, await new LiabilityReader({ ...input, mint }).pool(pending));
  return pools;
}

function underWay(
  { id, number, amount, wallet, dueAt, inRound }: ObservedWithdrawal,
  at: PoolAtOnce | undefined,
): View['withdrawals'][number] {
  const withdrawal = { id, amount: amount.toString(), wallet };
  if (number === 0n) return { ...withdrawal, number: null, state: 'waiting', releaseAt: millisOf(dueAt), inRound };
  const state = () => {
    if (at?.isPaid(number)) return 'paid';
    if (dueAt !== 0n) return 'issued';
    return at !== undefined && number < at.pool.coveredTo ? 'recorded' : 'requested';
  };
  return { ...withdrawal, number: number.toString(), state: state(), releaseAt: null, inRound: false };
}

const transferUnderWay = ({ id, amount, code }: ObservedTransfer): View['transfers'][number] => ({
  id,
  amount: amount.toString(),
  paymentCode: paymentCodeOf(code),
});

function orderOf({ threshold, orderWallet, orderPart, delays }: ObservedPersonal): View['order'] {
  if (threshold === 0n) return null;
  return {
    threshold: threshold.toString(),
    wallet: orderWallet,
    part: orderPart === 0n ? null : orderPart.toString(),
    delayMinutes: delays ?? { least: 0, most: 0 },
  };
}

function recoveryOf(personal: ObservedPersonal, now: bigint): View['recovery'] {
  const { wallet, change, completesAt } = personal.recovery(now);
  if (wallet === null && change === null) return null;
  return {
    wallet,
    change: change && { wallet: change.wallet, from: millisOf(change.from) },
    completesAt: completesAt === null ? null : millisOf(completesAt),
  };
}
