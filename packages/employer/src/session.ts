import {
  type BaseConnection,
  type Config,
  fetchMaybeConfig,
  fetchMaybeSchedule,
  findConfigAddress,
  levelOf,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Schedule,
  ScheduleStatus,
} from '@payouts/client';
import type { Address, TransactionSigner } from '@solana/kit';
import { Failure } from './failure.ts';
import { readToken, type TokenInfo } from './token.ts';
import { type OpenVault, readVault } from './vault.ts';

/** Who acts, on which ledger, and how moments in unix milliseconds are written for them. */
export type EmployerSession = {
  readonly employer: TransactionSigner;
  readonly ledgers: BaseConnection;
  readonly timeText: (at: number) => string;
};

/** An employer, and their vault of a token. */
export type OwnVault = EmployerSession & { readonly token: TokenInfo; readonly vault: OpenVault };

/** And a schedule of that vault. */
export type OwnSchedule = OwnVault & { readonly address: Address; readonly schedule: Schedule };

/** What a status is called. */
export const STATUS_NAMES: Readonly<Record<ScheduleStatus, string>> = {
  [ScheduleStatus.Active]: 'active',
  [ScheduleStatus.Paused]: 'paused',
  [ScheduleStatus.Cancelled]: 'cancelled',
  [ScheduleStatus.Completed]: 'completed',
  [ScheduleStatus.Awaiting]: 'awaiting approval',
};

/** Reads the employer's vault of a token. Throws `Failure` token-unknown or vault-missing. */
export async function ownVault(session: EmployerSession, mint: Address): Promise<OwnVault> {
  const token = await readToken(session.ledgers, mint);
  return { ...session, token, vault: await readVault(session.ledgers, session.employer.address, token) };
}

/** A schedule as it is final, or as the connection waits for. Throws `Failure` schedule-unknown. */
export async function readSchedule(ledgers: BaseConnection, address: Address): Promise<Schedule> {
  const found = await fetchMaybeSchedule(ledgers.base, address, levelOf(ledgers));
  if (found.exists) return found.data;
  throw new Failure('schedule-unknown', `There is no schedule ${address} on this ledger.`);
}

/** Reads a schedule of the employer. Throws `Failure` schedule-unknown, token-unknown, vault-missing or not-yours. */
export async function ownSchedule(session: EmployerSession, address: Address): Promise<OwnSchedule> {
  const schedule = await readSchedule(session.ledgers, address);
  const own = await ownVault(session, schedule.mint);
  if (own.vault.address === schedule.vault) return { ...own, address, schedule };
  throw new Failure('not-yours', `The schedule ${address} belongs to another vault than yours.`);
}

/** The ledger program's config. Throws `Failure` config-missing. */
export async function readConfig(ledgers: Pick<BaseConnection, 'base' | 'sending'>): Promise<Config> {
  const found = await fetchMaybeConfig(ledgers.base, await findConfigAddress(), levelOf(ledgers));
  if (found.exists) return found.data;
  throw new Failure(
    'config-missing',
    `The ledger program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} has no config on this ledger: is it the right one?`,
  );
}
