import {
  availableOf,
  checkVault,
  fetchMaybeVault,
  findVaultAddress,
  getScheduleDecoder,
  type Ledgers,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  SCHEDULE_KIND,
  type Schedule,
  type Vault,
  type Violation,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { accountsOf, tokensIn } from '../../ledgerAccounts.ts';
import { Failure } from '../failure.ts';
import type { TokenInfo } from '../token.ts';

type Base = Pick<Ledgers, 'base'>;

/** An employer's vault as the base ledger shows it. */
export type OpenVault = {
  readonly address: Address;
  readonly vault: Vault;
  /** Base units in the vault's token account. */
  readonly held: bigint;
  /** Base units that can be withdrawn or promised. */
  readonly available: bigint;
  readonly violations: readonly Violation[];
};

/** Where a schedule names its vault. */
const VAULT_AT = 8n;

/** Reads an employer's vault of a token; undefined if there is none. */
export async function findVault(ledgers: Base, employer: Address, token: TokenInfo): Promise<OpenVault | undefined> {
  const address = await findVaultAddress(employer, token.mint);
  const found = await fetchMaybeVault(ledgers.base, address, { commitment: 'finalized' });
  if (!found.exists || found.data.closed) return undefined;
  const { data: vault } = found;
  const held = await tokensIn(ledgers.base, vault.tokenAccount);
  return { address, vault, held, available: availableOf(vault), violations: checkVault(vault, held) };
}

/** Reads an employer's vault of a token. Throws `Failure` vault-missing. */
export async function readVault(ledgers: Base, employer: Address, token: TokenInfo): Promise<OpenVault> {
  const vault = await findVault(ledgers, employer, token);
  if (vault !== undefined) return vault;
  throw new Failure(
    'vault-missing',
    `You have no vault of ${token.name}. Open one: payout vault init --token ${token.mint}`,
  );
}

/** A schedule and where it stands. */
export type PlacedSchedule = { readonly address: Address; readonly schedule: Schedule };

/** All schedules of a vault that are not closed, by their number. */
export async function schedulesOf({ base }: Base, vault: Address): Promise<PlacedSchedule[]> {
  const named = { address: vault, at: VAULT_AT };
  const accounts = await accountsOf(base, PAYOUT_LEDGER_PROGRAM_ADDRESS, SCHEDULE_KIND, named);
  const decoder = getScheduleDecoder();
  return accounts
    .map(({ address, bytes }) => ({ address, schedule: decoder.decode(bytes) }))
    .sort((one, other) => (one.schedule.id < other.schedule.id ? -1 : 1));
}
