import {
  addressToBytes,
  type Batch,
  buildPersonalTransaction,
  findCounterAddress,
  isBitSet,
  MAX_PERSONAL_MADE,
  newPersonal,
  type PersonalName,
  type PrivateBalance,
} from '@payouts/client';
import { readBitmap, type WindowAddresses } from '../ledger/probe.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from '../runs/context.ts';
import { DifferingLimits, sendUnkept } from '../runs/layerSend.ts';
import { placeIn } from './pages.ts';
import { DELIVERY, observedPersonal, ofMint } from './personal.ts';

/** A delivery takes all of the balance: a further one comes after the next window, when the last is long paid, as a rule. */
const DELIVERIES_AT_A_TIME = 2;
/** Accounts that are refused by themselves before any is made: then it is not about them. */
const MOST_REFUSED = 8;

/** A delivery whose account is to be made. */
type Wanted = PrivateBalance & { readonly personal: PersonalName };

const ownerKey = (owner: Uint8Array | undefined): string => Buffer.from(owner ?? []).toString('hex');

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
  const paid = delivered.filter((index) => isBitSet(bitmap, index));
  const { mint } = batch;
  const { authority, config, layer, program, permissions, balances, claimsInFlight, log } = context;
  const there = await layer.programAccounts(program, [...DELIVERY, ofMint(addressToBytes(mint))]);
  const owners = new Set(there.map((account) => ownerKey(observedPersonal(account, program)?.owner)));
  const placeAt = placeIn(await balances.of(mint, payees));
  const places = payees.places as Uint32Array;
  // Whoever stands in the list twice has one balance.
  const missing = new Map<string, Wanted>();
  for (const index of paid) {
    const owner = ownerKey(payees.ownerAt(index));
    if (owners.has(owner) || missing.has(owner)) continue;
    const personal = newPersonal(mint, { programAddress: program });
    missing.set(owner, { ...payees.entryAt(index), mint, ...placeAt(places[index] as number), personal });
  }
  const counter = await findCounterAddress(mint, { programAddress: program });
  const isPrivate = await permissions.areThere();
  const limits = new DifferingLimits(context);
  let made = 0;
  let refused = 0;
  let detail = '';
  /** The next variant of an account, if it is neither the last nor there already. */
  const another = async (one: PersonalToMake): Promise<PersonalToMake | 'last' | 'there'> => {
    const variant = one.variant + 1;
    if (variant === PERSONAL_VARIANTS) return 'last';
    const personal = await findPersonalAddress(one, variant, { programAddress: program });
    const isThere = (await readAccount(layer, personal))?.owner === program;
    return isThere ? 'there' : { ...one, personal, variant };
  };
  const open = async (some: readonly PersonalToMake[]): Promise<void> => {
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
  await forEachLimited(chunksOf([...missing.values()], MAX_PERSONAL_MADE), claimsInFlight, open);
  if (refused > 0) {
    log.warn(
      { mint, count: refused, detail },
      'deliveries to wallets wait for their accounts; the next window tries again',
    );
  }
}
