import {
  type Batch,
  buildPersonalTransaction,
  findCounterAddress,
  findPersonalAddress,
  isBitSet,
  MAX_PERSONAL_MADE,
  PERSONAL_VARIANTS,
  type PersonalToMake,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { placeIn } from '../balances/pages.ts';
import { readAccount, readAccounts } from '../ledger/ledger.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from './context.ts';
import { DifferingLimits, sendUnkept } from './layerSend.ts';

/** A delivery takes all of the balance: a further one comes after the next window, when the last is long paid, as a rule. */
const DELIVERIES_AT_A_TIME = 2;
/** Accounts that are refused by themselves before any is made: then it is not about them. */
const MOST_REFUSED = 8;

/**
 * Makes the accounts by which what was just paid goes on to wallets, where they are missing. Where one can't be made, because somebody has
 * sent lamports to its address, another variant of the address is tried; one that can't be made at all keeps nobody else waiting. Throws
 * `RunError` where none can.
 */
export async function openDeliveries(
  context: StageContext,
  { mint, bitmap }: Pick<Batch, 'mint' | 'bitmap'>,
  payees: PayableList,
): Promise<void> {
  const paid = payees.delivered().filter((index) => isBitSet(bitmap, index));
  if (paid.length === 0) return;
  const { authority, config, layer, program, permissions, balances, claimsInFlight, log } = context;
  const at = placeIn(await balances.of(mint, payees));
  const places = payees.places as Uint32Array;
  const wanted = new Map<Address, PersonalToMake>();
  for (const index of paid) {
    const entry = { ...payees.entryAt(index), mint };
    const personal = await findPersonalAddress(entry, 0, { programAddress: program });
    wanted.set(personal, { ...entry, ...at(places[index] as number), personal, variant: 0 });
  }
  const missing: PersonalToMake[] = [];
  await readAccounts(layer, [...wanted.keys()], (address, account) => {
    if (account?.owner !== program) missing.push(wanted.get(address) as PersonalToMake);
  });
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
    // Who is held back has a bit, too, and perhaps nothing was ever paid to them.
    if (name === 'NotOwner') return;
    const next = await another(some[0] as PersonalToMake);
    if (next === 'there') return;
    if (next !== 'last') return open([next]);
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
