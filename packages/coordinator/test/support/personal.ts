import {
  getPersonalEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PersonalArgs,
  type WithdrawingArgs,
} from '@payouts/client';
import { BLANK_PERSONAL } from '@payouts/testing/blankAccounts';
import type { Address } from '@solana/kit';
import { type ObservedPersonal, observedPersonal } from '../../src/balances/personal.ts';
import type { LedgerAccount } from '../../src/ledger/ledger.ts';
import { randomAddress } from './promised.ts';

/** A withdrawal of one base unit that waits for nothing and has no number yet, unless a test says otherwise. */
export const underWay = (fields: Partial<WithdrawingArgs> = {}): WithdrawingArgs => ({
  number: 0n,
  amount: 1n,
  wallet: randomAddress(),
  dueAt: 0n,
  id: 1,
  inRound: 0,
  toCode: 0,
  ...fields,
});

/** Who holds an account that holds what a recipient asks, and where it is. */
export type PersonalPlace = { readonly address?: Address; readonly program?: Address };

/** A personal account as the ledger keeps it: what it says of itself to those who look for work fits what stands in it. */
export function personalAccount(
  fields: Partial<PersonalArgs>,
  { address = randomAddress(), program = PAYOUT_LEDGER_PROGRAM_ADDRESS }: PersonalPlace = {},
): LedgerAccount {
  const { withdrawals = [], orderThreshold = 0n, delivery = 0 } = fields;
  const stands = withdrawals.some(({ inRound }) => inRound === 2);
  const data = getPersonalEncoder().encode({
    ...BLANK_PERSONAL,
    numbered: withdrawals.some(({ number, amount }) => amount !== 0n && number !== 0n) ? 1 : 0,
    waits: withdrawals.some(({ number, amount, inRound }) => amount !== 0n && number === 0n && inRound !== 2) ? 1 : 0,
    watched: BigInt(orderThreshold) !== 0n || delivery !== 0 || stands ? 1 : 0,
    nextId: 1 + withdrawals.length,
    ...fields,
  });
  return { address, owner: program, lamports: 1n, data: Uint8Array.from(data) };
}

/** The same as it is read. */
export function observed(fields: Partial<PersonalArgs>, place: PersonalPlace = {}): ObservedPersonal {
  const account = personalAccount(fields, place);
  return observedPersonal(account, account.owner) as ObservedPersonal;
}
