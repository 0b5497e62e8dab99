import {
  addressToBytes,
  type Batch,
  buildPersonalTransaction,
  findCounterAddress,
  isBitSet,
  MAX_PERSONAL_MADE,
  nextPersonalNumber,
  PERSONAL_NUMBERS_TRIED,
  type PrivateBalance,
  personalNamed,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { personalKeyIn, placeIn } from '../balances/pages.ts';
import { DELIVERY, observedPersonal, ofMint } from '../balances/personal.ts';
import { readBitmap, type WindowAddresses } from '../ledger/probe.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import { LiabilityReader } from '../liabilities/reader.ts';
import type { PayableList } from '../lists/payableList.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** A delivery takes all of the balance: a further one comes after the next window, when the last is long paid, as a rule. */
const DELIVERIES_AT_A_TIME = 2;
/** Accounts that are refused by themselves before any is made: then it is not about them. */
const MOST_REFUSED = 8;

/** A delivery whose account is to be made: what its address follows from, and the number of the last one that it had. */
type Wanted = PrivateBalance & { readonly key: Uint8Array; readonly last: number };

const ownerKey = (owner: Uint8Array | undefined): string => Buffer.from(owner ?? []).toString('hex');

/** Indexes of those in a list whose money goes on to wallets and who have no account for that yet, of each balance one. */
export async function lackingDelivery(
  { layer, program }: Pick<StageContext, 'layer' | 'program'>,
  mint: Address,
  payees: PayableList,
): Promise<number[]> {
  const delivered = payees.delivered();
  if (delivered.length === 0) return [];
  const there = await layer.programAccounts(program, [...DELIVERY, ofMint(addressToBytes(mint))]);
  const known = new Set(there.map((account) => ownerKey(observedPersonal(account, program)?.owner)));
  return delivered.filter((index) => {
    const owner = ownerKey(payees.ownerAt(index));
    const isLacking = !known.has(owner);
    known.add(owner);
    return isLacking;
  });
}

/** Where the balances of these of a list are, and what the addresses of their accounts follow from. */
async function wantedOf(
  context: StageContext,
  mint: Address,
  payees: PayableList,
  indexes: readonly number[],
): Promise<Wanted[]> {
  const pages = await context.balances.of(mint, payees);
  const [placeAt, keyOf] = [placeIn(pages), personalKeyIn(pages)];
  const places = payees.places as Uint32Array;
  const last = new Map<number, number>();
  await new LiabilityReader({ ...context, mint }).balances(
    indexes.map((index) => places[index] as number),
    (place, seen) => last.set(place, seen?.noted.number ?? 0),
  );
  return indexes.map((index) => {
    const place = places[index] as number;
    const key = keyOf(place, payees.ownerAt(index) as Uint8Array);
    return { ...payees.entryAt(index), mint, ...placeAt(place), key, last: last.get(place) ?? 0 };
  });
}

/**
 * Makes the accounts by which what was just paid goes on to wallets, where they are missing. One that can't be made keeps nobody else
 * waiting. Throws `RunError` where none can.
 */
export async function openDeliveries(
  context: StageContext,
  at: WindowAddresses,
  batch: Batch,
  payees: PayableList,
): Promise<void> {
  const delivered = payees.delivered();
  const bitmap = delivered.length === 0 ? undefined : await readBitmap(context.layer, at, batch);
  if (bitmap === undefined) return;
  const { mint } = batch;
  const { authority, config, program, permissions, claimsInFlight, log } = context;
  const lacking = await lackingDelivery(context, mint, payees);
  const missing = await wantedOf(
    context,
    mint,
    payees,
    lacking.filter((index) => isBitSet(bitmap, index)),
  );
  const counter = await findCounterAddress(mint, { programAddress: program });
  const isPrivate = await permissions.areThere();
  const sender = new LayerSender(context);
  let opened = 0;
  let refused = 0;
  let detail = '';
  const open = async (some: readonly Wanted[], further = 0): Promise<void> => {
    const made = some.map((each) => {
      const { mint, key, last } = each;
      const number = nextPersonalNumber(last, further);
      return { ...each, personal: personalNamed(mint, key, number, { programAddress: program }) };
    });
    const opening = { authority, config, counter, balances: made, isPrivate, programAddress: program };
    const err = await sender.send((terms) =>
      buildPersonalTransaction({ ...opening, withdrawals: DELIVERIES_AT_A_TIME, ...terms }),
    );
    if (err === null) {
      opened += some.length;
      return;
    }
    const error = refusedError('opening of deliveries', err);
    const name = programErrorName(err);
    // The counter gets more before the stage is tried again.
    if (name === 'SponsorShort') throw error;
    if (some.length > 1) {
      const half = Math.ceil(some.length / 2);
      for (const part of [some.slice(0, half), some.slice(half)]) await open(part);
      return;
    }
    // Who is held back has a bit, too, and perhaps nothing was ever paid to them. Another process may have made it. And nothing is
    // delivered to nobody or to the pool, whom older lists may name.
    if (name === 'NotOwner' || name === 'PersonalExists' || name === 'InvalidWallet') return;
    const isPerhapsOfAddress = name === undefined || name === 'PermissionNotSet';
    if (isPerhapsOfAddress && further + 1 < PERSONAL_NUMBERS_TRIED) return open(some, further + 1);
    refused += 1;
    detail = error.message;
    if (opened === 0 && refused >= MOST_REFUSED) throw error;
  };
  await forEachLimited(chunksOf(missing, MAX_PERSONAL_MADE), claimsInFlight, (some) => open(some));
  if (refused > 0) {
    log.warn(
      { mint, count: refused, detail },
      'deliveries to wallets wait for their accounts; the next window tries again',
    );
  }
}
