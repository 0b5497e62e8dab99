import { type OwnVault, ownVault, readToken, type TokenInfo } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type CommandSession, openEmployer } from '../ledgerChange.ts';
import type { AskOptions, KeyOptions } from '../options.ts';
import type { LedgerOptions } from '../rpc.ts';
import type { TreasuryOptions } from '../treasury.ts';

/** What every command about a vault takes, and what one takes that changes it. */
export type VaultOptions = KeyOptions & AskOptions & LedgerOptions & TreasuryOptions & { readonly token: Address };

/** The employer's vault of the token that a command is about. */
export type OpenedVault = OwnVault & CommandSession;

/** The employer's key, the ledger, the token. Throws `Failure`. */
export async function openToken(options: VaultOptions): Promise<CommandSession & { readonly token: TokenInfo }> {
  const session = await openEmployer(options);
  return { ...session, token: await readToken(session.ledgers, options.token) };
}

/** The same with the vault. Throws `Failure` vault-missing, too. */
export async function openVault(options: VaultOptions): Promise<OpenedVault> {
  const session = await openEmployer(options);
  return { ...(await ownVault(session, options.token)), employer: session.employer };
}
