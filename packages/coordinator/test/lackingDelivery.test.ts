import {
  addressFromBytes,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payee,
  prepareList,
  type RecipientList,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import type { LedgerAccount } from '../src/ledger/ledger.ts';
import { PayableList } from '../src/lists/payableList.ts';
import { lackingDelivery } from '../src/runs/openDeliveries.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { recordsOf } from './support/lists.ts';
import { personalAccount } from './support/personal.ts';
import { randomAddress, somePayees } from './support/promised.ts';

const mint = randomAddress();
const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const toWallet = (payee: Payee): Payee => ({ ...payee, delivery: 'wallet' });

async function payable(payees: readonly Payee[]): Promise<PayableList> {
  const list: RecipientList = prepareList([...payees]);
  const records = recordsOf(list);
  return new PayableList(records, await records.terms(), undefined);
}

/** Which of a list lack an account, beside accounts of the layer. */
const lacking = (list: PayableList, accounts: readonly LedgerAccount[] = []) =>
  lackingDelivery({ layer: layerShowing(() => accounts), program }, mint, list);

/** The account of what somebody of a list asks. */
const personalOf = (
  list: PayableList,
  index: number,
  { delivery = 1, of = mint }: { delivery?: number; of?: Address },
) => personalAccount({ mint: of, owner: list.ownerAt(index), recipient: list.entryAt(index).recipient, delivery });

it('names those whose money goes on to wallets and who have no account for that, until they have one', async () => {
  const payees = somePayees(6);
  const list = await payable(payees.map((payee, line) => (line % 2 === 0 ? toWallet(payee) : payee)));
  const delivered = list.delivered();
  expect(delivered).toHaveLength(3);
  expect(await lacking(list)).toEqual(delivered);
  const [first, ...others] = delivered as [number, ...number[]];
  expect(await lacking(list, [personalOf(list, first, {})])).toEqual(others);
  const everybody = delivered.map((index) => personalOf(list, index, {}));
  expect(await lacking(list, everybody)).toEqual([]);
});

it('takes no account of another token, or of a balance whose money stays, for theirs', async () => {
  const list = await payable(somePayees(2).map(toWallet));
  const others = [personalOf(list, 0, { of: randomAddress() }), personalOf(list, 1, { delivery: 0 })];
  expect(await lacking(list, others)).toEqual([0, 1]);
});

it('asks the layer for nothing where nobody’s money goes on', async () => {
  const list = await payable(somePayees(3));
  const layer = layerShowing(() => {
    throw new Error('asked');
  });
  expect(await lackingDelivery({ layer, program }, mint, list)).toEqual([]);
});

it('names each balance once, of however many leaves', async () => {
  const list = await payable(somePayees(2).map(toWallet));
  const owner = list.ownerAt(0);
  const twice = {
    delivered: () => [0, 1, 2],
    ownerAt: (index: number) => (index === 1 ? list.ownerAt(1) : owner),
  } as unknown as PayableList;
  expect(await lacking(twice)).toEqual([0, 1]);
  expect(addressFromBytes(owner)).not.toBe(addressFromBytes(list.ownerAt(1)));
});
