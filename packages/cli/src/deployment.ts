import {
  type BaseConnection,
  createPoolInstructions,
  fetchMaybeConfig,
  fetchMaybeCounter,
  fetchMaybePool,
  findConfigAddress,
  findCounterAddress,
  findPoolAddress,
  findProgramDataAddress,
  findSponsorAddress,
  getInitConfigInstructionAsync,
  type Ledgers,
  MAX_CLAIMS_PER_TRANSACTION,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  sendStepsToBase,
  sendToBase,
} from '@payouts/client';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';

/** Limits that suit a machine of one's own: windows may be seconds apart. */
const LOCAL_LIMITS = {
  maxRecipients: 1_048_576,
  minInterval: 1,
  minBatchTimeout: 1,
  maxBatchTimeout: 86_400,
  maxClaims: MAX_CLAIMS_PER_TRANSACTION,
  windowFee: 0,
  recipientFee: 0,
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

/** Whether a token has its pool (and with it its counter) already. */
export async function hasPool(ledgers: Pick<Ledgers, 'base'>, mint: Address): Promise<boolean> {
  return (await fetchMaybePool(ledgers.base, await findPoolAddress(mint))).exists;
}

/** Lamports for payouts' token accounts and pages, which whoever opens a token's pool puts in: some 400 new wallets. */
export const SPONSOR_LAMPORTS = 1_000_000_000n;

/** Transactions in the steps in which they go: those of a step side by side, a step when the last one is on the ledger. */
export type Steps = readonly (readonly (readonly Instruction[])[])[];

/** What opens a token's pool with its counter and fills its sponsor, as far as that is not there yet. */
export async function poolSteps(
  { base }: Pick<Ledgers, 'base'>,
  payer: TransactionSigner,
  mint: Address,
  tokenProgram: Address,
): Promise<Steps> {
  const [pool, counter, sponsor] = await Promise.all([
    findPoolAddress(mint).then((address) => fetchMaybePool(base, address)),
    findCounterAddress(mint).then((address) => fetchMaybeCounter(base, address)),
    findSponsorAddress(mint).then((address) => base.getBalance(address).send()),
  ]);
  const existing = { pool: pool.exists, counter: counter.exists };
  // Each creates accounts and derives addresses: one transaction for all would not fit a packet.
  const made = (await createPoolInstructions({ payer, mint, tokenProgram, existing })).map((each) => [each]);
  if (pool.exists) return [made];
  const [account = [], opening = [], ...rest] = made;
  const lacking = SPONSOR_LAMPORTS - sponsor.value;
  const filling = lacking > 0n ? [[await fillSponsorInstruction(payer, mint, lacking)]] : [];
  return [[account, ...filling], [opening], rest];
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

/** Puts lamports into a token's sponsor, which pays for its pages and for the token accounts that payouts open. */
export async function fillSponsorInstruction(
  payer: TransactionSigner,
  mint: Address,
  lamports: bigint,
): Promise<Instruction> {
  return getTransferSolInstruction({ source: payer, destination: await findSponsorAddress(mint), amount: lamports });
}
