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
import { type Address, type Base58EncodedBytes, getBase58Decoder, getBase64Encoder } from '@solana/kit';
import { Failure } from '../failure.ts';
import { amountIn, type TokenInfo } from '../token.ts';

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
  const held = await amountIn(ledgers, found.data.tokenAccount);
  return {
    address,
    vault: found.data,
    held,
    available: availableOf(found.data),
    violations: checkVault(found.data, held),
  };
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
  const kind = getBase58Decoder().decode(new Uint8Array([SCHEDULE_KIND])) as Base58EncodedBytes;
  const accounts = await base
    .getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, {
      encoding: 'base64',
      filters: [
        { memcmp: { offset: 0n, bytes: kind, encoding: 'base58' } },
        { memcmp: { offset: VAULT_AT, bytes: vault as string as Base58EncodedBytes, encoding: 'base58' } },
      ],
    })
    .send();
  const decoder = getScheduleDecoder();
  return accounts
    .map(({ pubkey, account }) => ({
      address: pubkey,
      schedule: decoder.decode(getBase64Encoder().encode(account.data[0])),
    }))
    .sort((one, other) => (one.schedule.id < other.schedule.id ? -1 : 1));
}
