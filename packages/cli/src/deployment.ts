import {
  type BaseConnection,
  fetchMaybeConfig,
  findConfigAddress,
  findProgramDataAddress,
  getInitConfigInstructionAsync,
  type Ledgers,
  MAX_CLAIMS_PER_TRANSACTION,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  sendStepsToBase,
  sendToBase,
} from '@payouts/client';
import { poolSteps } from '@payouts/employer';
import type { Address, TransactionSigner } from '@solana/kit';

/** Limits that suit a machine of one's own: windows may be seconds apart. */
const LOCAL_LIMITS = {
  maxRecipients: 1_048_576,
  minInterval: 1,
  minBatchTimeout: 1,
  maxBatchTimeout: 86_400,
  maxClaims: MAX_CLAIMS_PER_TRANSACTION,
  windowFee: 0,
  recipientFee: 0,
  openingFee: 0,
} as const;
/** Seconds between the declaration that the execution layer is lost and its effect: the least that the ledger takes. */
const LOSS_GRACE = 86_400;

/** Creates the program's config if it has none. `upgradeAuthority` signs and governs; seconds and counts as in the config's layout. */
export async function ensureConfig(
  ledgers: Ledgers,
  input: {
    readonly upgradeAuthority: TransactionSigner;
    /** The second key, without which nobody can declare the execution layer lost. */
    readonly guardian: Address;
    readonly executionAuthority: Address;
    readonly validator: Address;
  },
): Promise<void> {
  const found = await fetchMaybeConfig(ledgers.base, await findConfigAddress());
  if (found.exists) return;
  const instruction = await getInitConfigInstructionAsync({
    upgradeAuthority: input.upgradeAuthority,
    programData: await findProgramDataAddress(PAYOUT_LEDGER_PROGRAM_ADDRESS),
    governance: input.upgradeAuthority.address,
    guardian: input.guardian,
    executionAuthority: input.executionAuthority,
    validator: input.validator,
    limits: LOCAL_LIMITS,
    flags: 0,
    lossGrace: LOSS_GRACE,
  });
  await sendToBase(ledgers, [instruction], input.upgradeAuthority);
}

/** Opens a token's pool with its counter and fills its sponsor; false: it has one already. */
export async function openPool(
  ledgers: BaseConnection,
  payer: TransactionSigner,
  mint: Address,
  tokenProgram: Address,
): Promise<boolean> {
  const steps = await poolSteps(ledgers, payer, mint, tokenProgram);
  if (steps.flat().length === 0) return false;
  await sendStepsToBase(ledgers, steps, payer);
  return true;
}
