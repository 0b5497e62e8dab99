import {
  type BaseConnection,
  type CreateScheduleOptions,
  createScheduleInstructions,
  findScheduleAddress,
  findTokenAddress,
  findVaultAddress,
  getDepositInstruction,
  type Ledgers,
  type RecipientList,
  sendStepsToBase,
  sendToBase,
} from '@payouts/client';
import { openVaultSteps, registrationText } from '@payouts/employer';
import type { Address, TransactionSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { publicRequest } from './requests.ts';

/** Opens an employer's vault (and the token's pool, when it is the first) and returns its address. */
export async function openVault(
  ledgers: BaseConnection,
  employer: TransactionSigner,
  mint: Address,
  program: Address = TOKEN_PROGRAM_ADDRESS,
): Promise<Address> {
  await sendStepsToBase(ledgers, await openVaultSteps({ ledgers, employer }, { mint, program }), employer);
  return findVaultAddress(employer.address, mint);
}

/** Moves tokens (base units) from the employer's own token account into their vault. */
export async function deposit(
  ledgers: Ledgers,
  employer: TransactionSigner,
  mint: Address,
  amount: bigint,
): Promise<void> {
  const vault = await findVaultAddress(employer.address, mint);
  const instruction = getDepositInstruction({
    depositor: employer,
    sourceToken: await findTokenAddress(employer.address, mint, TOKEN_PROGRAM_ADDRESS),
    vault,
    vaultToken: await findTokenAddress(vault, mint, TOKEN_PROGRAM_ADDRESS),
    mint,
    amount,
  });
  await sendToBase(ledgers, [instruction], employer);
}

/** When and how often a list is paid. `batchTimeout` in seconds; `firstExecution` is unix seconds. */
export type ScheduleTerms = Pick<
  CreateScheduleOptions,
  'id' | 'calendar' | 'firstExecution' | 'executions' | 'batchTimeout' | 'missed' | 'keep'
>;

/** Promises a list on the ledger and returns the schedule's address. */
export async function createSchedule(
  ledgers: Ledgers,
  employer: TransactionSigner,
  mint: Address,
  list: RecipientList,
  terms: ScheduleTerms,
): Promise<Address> {
  await sendToBase(ledgers, await createScheduleInstructions({ employer, mint, list, ...terms }), employer);
  return findScheduleAddress(await findVaultAddress(employer.address, mint), terms.id);
}

/** Gives a schedule's list to the coordinator. True when it is new there, false when it had the same list before. Throws `RequestRefused`. */
export async function registerSchedule(apiUrl: string, schedule: Address, list: RecipientList): Promise<boolean> {
  const { status } = await publicRequest(apiUrl, '/api/schedules', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: registrationText(schedule, list),
  });
  return status === 201;
}
