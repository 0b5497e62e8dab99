import type { Address } from '@solana/kit';
import { openLedger } from '../ledgerChange.ts';
import type { AskOptions, KeyOptions } from '../options.ts';
import type { LedgerOptions } from '../rpc.ts';
import { readToken } from '../token.ts';

/** What every command about a vault takes, and what one takes that changes it. */
export type VaultOptions = KeyOptions & AskOptions & LedgerOptions & { readonly token: Address };

/** What every command about a vault begins with: the employer's key, the ledger, the token. */
export async function openedVault(options: VaultOptions) {
  const { signer: employer, ledgers } = await openLedger(options);
  return { employer, ledgers, token: await readToken(ledgers, options.token) };
}
