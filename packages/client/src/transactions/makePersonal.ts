import type { Address } from '@solana/kit';
import { type Deployment, type PersonalName, personalNamed } from '../accounts/addresses.ts';
import { ApiFailed } from '../http/apiFailed.ts';
import { nextPersonalNumber, PERSONAL_NUMBERS_TRIED } from '../merkle/personal.ts';
import type { BalanceShown } from './showBalance.ts';
import { TransactionFailed } from './transactionFailed.ts';

/**
 * Has a balance's next personal account made, by `make`, which throws TransactionFailed or ApiFailed. At an address to which somebody has sent
 * lamports ahead it can't be: then the number after that is tried, three in all. Returns its address; throws what the last one threw.
 */
export async function makePersonal(
  { mint, personalNumber, personalKey }: Omit<BalanceShown, 'amount' | 'personal'> & { readonly mint: Address },
  make: (personal: PersonalName) => Promise<unknown>,
  deployment: Deployment = {},
): Promise<Address> {
  for (let further = 0; ; further++) {
    const personal = personalNamed(mint, personalKey, nextPersonalNumber(personalNumber, further), deployment);
    try {
      await make(personal);
      return personal.address;
    } catch (error) {
      if (further + 1 === PERSONAL_NUMBERS_TRIED || !isPerhapsOfAddress(error)) throw error;
    }
  }
}

/** The program has found nothing wrong with the balance or the call, so it may be the address, or that of its read permission. */
function isPerhapsOfAddress(error: unknown): boolean {
  if (error instanceof TransactionFailed) return ['transaction-failed', 'PermissionNotSet'].includes(error.code);
  if (!(error instanceof ApiFailed) || error.code !== 'transaction-refused') return false;
  return error.reason === undefined || error.reason === 'PermissionNotSet';
}
