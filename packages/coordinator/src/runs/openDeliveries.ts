import {
  addressToBytes,
  type Batch,
  buildPersonalTransaction,
  findCounterAddress,
  isBitSet,
  MAX_PERSONAL_MADE,
  type PersonalName,
  type PrivateBalance,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { placeIn } from '../balances/pages.ts';
import { DELIVERY, observedPersonal, ofMint } from '../balances/personal.ts';
import { readBitmap, type WindowAddresses } from '../ledger/probe.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from './context.ts';
import { DifferingLimits, sendUnkept } from './layerSend.ts';

/** A delivery takes all of the balance: a further one comes after the next window, when the last is long paid, as a rule. */
const DELIVERIES_AT_A_TIME = 2;
/** Accounts that are refused by themselves before any is made: then it is not about them. */
const MOST_REFUSED = 8;

/** A delivery whose account is to be made. */
type Wanted = PrivateBalance & { readonly personal: PersonalName };

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
  const { authority, config, layer, program, permissions, balances, newPersonal, claimsInFlight, log } = context;
  const lacking = await lackingDelivery(context, mint, payees);
  const placeAt = placeIn(await balances.of(mint, payees));
  const places = payees.places as Uint32Array;
  const missing = lacking
    .filter((index) => isBitSet(bitmap, index))
    .map(
      (index): Wanted => ({
        ...{ ...payees.entryAt(index), mint, ...placeAt(places[index] as number) },
        personal: newPersonal(mint),
      }),
    );
  const counter = await findCounterAddress(mint, { programAddress: program });
  const isPrivate = await permissions.areThere();
  const limits = new DifferingLimits(context);
  let made = 0;
  let refused = 0;
  let detail = '';
  const open = async (some: readonly Wanted[]): Promise<void> => {
    const transaction = await buildPersonalTransaction({
      ...{ authority, config, counter, balances: some, isPrivate, programAddress: program },
      withdrawals: DELIVERIES_AT_A_TIME,
      lifetime: await layer.lifetime(),
      computeUnitLimit: limits.next(),
    });
    const err = await sendUnkept(context, transaction);
    if (err === null) {
      made += some.length;
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
    // Who is held back has a bit, too, and perhaps nothing was ever paid to them. Another process may have made it.
    if (name === 'NotOwner' || name === 'PersonalExists') return;
    refused += 1;
    detail = error.message;
    if (made === 0 && refused >= MOST_REFUSED) throw error;
  };
  await forEachLimited(chunksOf(missing, MAX_PERSONAL_MADE), claimsInFlight, open);
  if (refused > 0) {
    log.warn(
      { mint, count: refused, detail },
      'deliveries to wallets wait for their accounts; the next window tries again',
    );
  }
}
