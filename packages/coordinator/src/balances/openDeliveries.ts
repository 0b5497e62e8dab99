import {
  type Batch,
  buildPersonalTransaction,
  findCounterAddress,
  findPersonalAddress,
  isBitSet,
  MAX_PERSONAL_MADE,
  type PrivateBalance,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { readAccounts } from '../ledger/ledger.ts';
import { refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from '../runs/context.ts';
import { DifferingLimits, sendUnkept } from '../runs/layerSend.ts';
import { placeIn } from './pages.ts';

/** A delivery takes all of the balance: a further one comes after the next window, when the last is long paid, as a rule. */
const DELIVERIES_AT_A_TIME = 2;

/** Makes the accounts by which what was just paid goes on to wallets, where they are missing. Throws `RunError` where it can't. */
export async function openDeliveries(
  context: StageContext,
  { mint, bitmap }: Pick<Batch, 'mint' | 'bitmap'>,
  payees: PayableList,
): Promise<void> {
  const paid = payees.delivered().filter((index) => isBitSet(bitmap, index));
  if (paid.length === 0) return;
  const { authority, config, layer, program, permissions, balances, claimsInFlight } = context;
  const at = placeIn(await balances.of(mint, payees));
  const places = payees.places as Uint32Array;
  const wanted = new Map<Address, PrivateBalance & { readonly personal: Address }>();
  for (const index of paid) {
    const entry = { ...payees.entryAt(index), mint };
    const personal = await findPersonalAddress(entry, 0, { programAddress: program });
    wanted.set(personal, { ...entry, ...at(places[index] as number), personal });
  }
  const missing: (PrivateBalance & { readonly personal: Address })[] = [];
  await readAccounts(layer, [...wanted.keys()], (address, account) => {
    if (account?.owner !== program) missing.push(wanted.get(address) as PrivateBalance & { personal: Address });
  });
  const counter = await findCounterAddress(mint, { programAddress: program });
  const isPrivate = await permissions.areThere();
  const limits = new DifferingLimits(context);
  await forEachLimited(chunksOf(missing, MAX_PERSONAL_MADE), claimsInFlight, async (some) => {
    const transaction = await buildPersonalTransaction({
      ...{ authority, config, counter, balances: some, isPrivate, programAddress: program },
      withdrawals: DELIVERIES_AT_A_TIME,
      lifetime: await layer.lifetime(),
      computeUnitLimit: limits.next(),
    });
    const err = await sendUnkept(context, transaction);
    if (err !== null) throw refusedError('opening of deliveries', err);
  });
}
