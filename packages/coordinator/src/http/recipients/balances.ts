import { addressFromBytes, addressToBytes, millisOf, ownerRecord, type PayoutDelivery } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { placeIn } from '../../balances/pages.ts';
import {
  type ObservedPersonal,
  type ObservedWithdrawal,
  observedPersonal,
  ofMint,
  ofOwner,
} from '../../balances/personal.ts';
import { pageOfPlace } from '../../domain/places.ts';
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
export async function ownBalances(input: OwnInput, entries: readonly OwnEntry[]): Promise<OwnBalance[]> {
  const found = new Map<string, OwnBalance>();
  for (const own of entries) {
    const { list, mint, entry } = own;
    const { owner } = ownerRecord(entry);
    const address = addressFromBytes(owner);
    const key = `${mint} ${address}`;
    const known = found.get(key);
    const place = known?.place ?? (await storedPlace(input, own, owner));
    const schedules = [...new Set([...(known?.schedules ?? []), list.schedule])];
    const { recipient, salt, delivery } = entry;
    found.set(key, { address, owner, recipient, salt, delivery, mint, place, schedules });
  }
  return [...found.values()];
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
  const personal = await readPersonal(input, own);
  const amounts = await readAmounts(input, own);
  const pools = await readPools(input, [...personal.values()]);
  const now = BigInt(Math.floor(input.time.now() / MS_PER_SECOND));
  const views: View[] = [];
  for (const [at, balance] of own.entries()) {
    const { address, mint, place, salt, delivery, schedules } = balance;
    const { symbol, decimals } = tokens.get(mint) ?? { symbol: null, decimals: 0 };
    const account = personal.get(at);
    const amount = amounts.get(at) ?? 0n;
    // More waits where a withdrawal was released after its account was read.
    const waiting = account?.waiting ?? 0n;
    const where = amounts.has(at) && place !== undefined ? await placeOf(input, mint, place) : null;
    views.push({
      address,
      mint,
      symbol,
      decimals,
      place: where,
      salt: Buffer.from(salt).toString('hex'),
      delivery,
      personal: account?.address ?? null,
      amount: (amount > waiting ? amount - waiting : 0n).toString(),
      withdrawals: account === undefined ? [] : account.withdrawals().map((each) => underWay(each, pools.get(mint))),
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

/** What the balances hold, by their number here; of those that nobody was paid into, none. */
async function readAmounts(input: OwnInput, own: readonly OwnBalance[]): Promise<ReadonlyMap<number, bigint>> {
  const amounts = new Map<number, bigint>();
  for (const mint of new Set(own.map((each) => each.mint))) {
    const placed = [...own.entries()].filter(([, each]) => each.mint === mint && each.place !== undefined);
    const reader = new LiabilityReader({ ...input, mint });
    await reader.balances(
      placed.map(([, { place }]) => place as number),
      (place, seen) => {
        for (const [at, each] of placed) {
          const isTheirs = seen !== undefined && Buffer.compare(seen.owner, each.owner) === 0;
          if (each.place === place && isTheirs) amounts.set(at, seen.amount);
        }
      },
    );
  }
  return amounts;
}

/** The accounts that hold what recipients ask of their balances, by the balances' numbers here. */
async function readPersonal(
  { layer, program }: OwnInput,
  own: readonly OwnBalance[],
): Promise<ReadonlyMap<number, ObservedPersonal>> {
  const found = new Map<number, ObservedPersonal>();
  const look = async (at: number, { owner, mint, place }: OwnBalance) => {
    if (place === undefined) return;
    const [account = null] = await layer.programAccounts(program, [...ofOwner(owner), ofMint(addressToBytes(mint))]);
    const personal = observedPersonal(account, program);
    if (personal !== undefined) found.set(at, personal);
  };
  await Promise.all([...own.entries()].map(([at, each]) => look(at, each)));
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
  { id, number, amount, wallet, dueAt }: ObservedWithdrawal,
  at: PoolAtOnce | undefined,
): View['withdrawals'][number] {
  const withdrawal = { id, amount: amount.toString(), wallet };
  if (number === 0n) return { ...withdrawal, number: null, state: 'waiting', releaseAt: millisOf(dueAt) };
  const state = () => {
    if (at?.isPaid(number)) return 'paid';
    if (dueAt !== 0n) return 'issued';
    return at !== undefined && number < at.pool.coveredTo ? 'recorded' : 'requested';
  };
  return { ...withdrawal, number: number.toString(), state: state(), releaseAt: null };
}

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
