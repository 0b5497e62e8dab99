import {
  APPROVAL_KIND,
  accountsOf,
  availableOf,
  checkVault,
  fetchAllMaybeSchedule,
  fetchMaybeVault,
  findApprovalAddress,
  findVaultAddress,
  getApprovalDecoder,
  getScheduleDecoder,
  getVaultDecoder,
  type Ledgers,
  levelOf,
  MOST_IDS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  SCHEDULE_KIND,
  type Schedule,
  schedulesById,
  tokensIn,
  VAULT_KIND,
  type Vault,
  type Violation,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';
import type { TokenInfo } from './token.ts';

type Base = Pick<Ledgers, 'base' | 'sending'>;

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

/** What was sent to a vault's token account without a deposit, base units. */
export function surplusOf({ vault, held, available }: Pick<OpenVault, 'vault' | 'held' | 'available'>): bigint {
  const surplus = held - available - vault.reserved;
  return surplus > 0n ? surplus : 0n;
}

/** Where a schedule names its vault. */
const VAULT_AT = 8n;

/** Reads an employer's vault of a token; undefined if there is none. */
export async function findVault(ledgers: Base, employer: Address, token: TokenInfo): Promise<OpenVault | undefined> {
  const address = await findVaultAddress(employer, token.mint);
  const found = await fetchMaybeVault(ledgers.base, address, levelOf(ledgers));
  if (!found.exists || found.data.closed) return undefined;
  return opened(ledgers, { address, vault: found.data });
}

async function opened(
  ledgers: Base,
  { address, vault }: { readonly address: Address; readonly vault: Vault },
): Promise<OpenVault> {
  const held = await tokensIn(ledgers.base, vault.tokenAccount, levelOf(ledgers).commitment);
  return { address, vault, held, available: availableOf(vault), violations: checkVault(vault, held) };
}

/** Reads an employer's vault of a token. Throws `Failure` vault-missing. */
export async function readVault(ledgers: Base, employer: Address, token: TokenInfo): Promise<OpenVault> {
  const vault = await findVault(ledgers, employer, token);
  if (vault !== undefined) return vault;
  throw new Failure('vault-missing', `You have no vault of ${token.name}. Open one first.`);
}

/** A schedule and where it stands. */
export type PlacedSchedule = { readonly address: Address; readonly schedule: Schedule };

/** Accounts that a ledger shows in one call. */
const ACCOUNTS_A_CALL = 100;

/** All schedules of a vault that are not closed, by their number. */
export async function schedulesOf(ledgers: Base, { address, vault }: OpenVault): Promise<PlacedSchedule[]> {
  if (vault.nextId > MOST_IDS) return listedSchedules(ledgers, address);
  const addresses = await schedulesById(address, vault.nextId);
  const found: PlacedSchedule[] = [];
  for (let at = 0; at < addresses.length; at += ACCOUNTS_A_CALL) {
    const some = addresses.slice(at, at + ACCOUNTS_A_CALL);
    for (const account of await fetchAllMaybeSchedule(ledgers.base, some, levelOf(ledgers))) {
      if (account.exists) found.push({ address: account.address, schedule: account.data });
    }
  }
  return found;
}

async function listedSchedules({ base }: Base, vault: Address): Promise<PlacedSchedule[]> {
  const named = { address: vault, at: VAULT_AT };
  const accounts = await accountsOf(base, PAYOUT_LEDGER_PROGRAM_ADDRESS, SCHEDULE_KIND, named);
  const decoder = getScheduleDecoder();
  return accounts
    .map(({ address, bytes }) => ({ address, schedule: decoder.decode(bytes) }))
    .sort((one, other) => (one.schedule.id < other.schedule.id ? -1 : 1));
}

/** Where a vault names its employer, and an approval policy its approver. */
const EMPLOYER_AT = 8n;
const APPROVER_AT = 40n;

/** All open vaults of an employer, with the mint of each. */
export async function vaultsOf(ledgers: Base, employer: Address): Promise<(OpenVault & { readonly mint: Address })[]> {
  const named = { address: employer, at: EMPLOYER_AT };
  const accounts = await accountsOf(ledgers.base, PAYOUT_LEDGER_PROGRAM_ADDRESS, VAULT_KIND, named);
  const decoder = getVaultDecoder();
  const vaults = accounts.map(({ address, bytes }) => ({ address, vault: decoder.decode(bytes) }));
  return Promise.all(
    vaults
      .filter(({ vault }) => !vault.closed)
      .map(async (each) => ({ ...(await opened(ledgers, each)), mint: each.vault.mint })),
  );
}

/** Where the approval policies of an employer's open vaults are, whether they have one or not. */
export const approvalsOf = async (ledgers: Base, employer: Address): Promise<Address[]> =>
  Promise.all((await vaultsOf(ledgers, employer)).map(({ address }) => findApprovalAddress(address)));

/** Vaults in which somebody approves. */
export async function vaultsApprovedBy({ base }: Base, approver: Address): Promise<Address[]> {
  const named = { address: approver, at: APPROVER_AT };
  const accounts = await accountsOf(base, PAYOUT_LEDGER_PROGRAM_ADDRESS, APPROVAL_KIND, named);
  const decoder = getApprovalDecoder();
  return accounts.map(({ bytes }) => decoder.decode(bytes).vault);
}

/** Schedules that wait for somebody who approves. */
export async function schedulesAwaiting(ledgers: Base, approver: Address): Promise<PlacedSchedule[]> {
  const found: PlacedSchedule[] = [];
  for (const vault of await vaultsApprovedBy(ledgers, approver)) found.push(...(await listedSchedules(ledgers, vault)));
  return found.filter(({ schedule }) => schedule.proposedAt !== 0n);
}
