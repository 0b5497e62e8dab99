import {
  createPoolInstructions,
  DELEGATION_PROGRAM_ADDRESS,
  fetchMaybeConfig,
  fetchMaybePool,
  findConfigAddress,
  findEscrowAddress,
  findPoolAddress,
  findProgramDataAddress,
  getInitConfigInstructionAsync,
  type Ledgers,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  sendToBase,
} from '@payouts/client';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  getStructEncoder,
  getU8Encoder,
  getU64Encoder,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';

const TOP_UP_ESCROW = 9n;

/** Limits that suit a machine of one's own: windows may be seconds apart. */
const LOCAL_LIMITS = {
  maxRecipients: 80_384,
  minInterval: 1,
  minBatchTimeout: 1,
  maxBatchTimeout: 86_400,
  maxClaims: 250,
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
export const ESCROW_LAMPORTS = 1_000_000_000n;

/** Opens a token's pool with its counter and fills its escrow; false: it has one already. */
export async function openPool(
  ledgers: Pick<Ledgers, 'base' | 'time'>,
  payer: TransactionSigner,
  mint: Address,
  tokenProgram: Address,
): Promise<boolean> {
  if (await hasPool(ledgers, mint)) return false;
  // Each creates accounts and derives addresses: one transaction for all would not fit a packet.
  for (const instruction of await createPoolInstructions({ payer, mint, tokenProgram })) {
    await sendToBase(ledgers, [instruction], payer);
  }
  await sendToBase(ledgers, [await topUpEscrowInstruction(payer, mint, ESCROW_LAMPORTS)], payer);
  return true;
}

/**
 * Puts lamports into the pool's escrow, from which payouts pay for recipients' token accounts and for pages.
 * Layout: the delegation program's instruction 9 (top up ephemeral balance): u64 9, amount u64, index u8.
 */
export async function topUpEscrowInstruction(
  payer: TransactionSigner,
  mint: Address,
  lamports: bigint,
): Promise<Instruction> {
  const pool = await findPoolAddress(mint);
  const payerMeta: AccountSignerMeta = { address: payer.address, role: AccountRole.WRITABLE_SIGNER, signer: payer };
  const data = getStructEncoder([
    ['selector', getU64Encoder()],
    ['amount', getU64Encoder()],
    ['index', getU8Encoder()],
  ]).encode({ selector: TOP_UP_ESCROW, amount: lamports, index: 0 });
  return {
    programAddress: DELEGATION_PROGRAM_ADDRESS,
    accounts: [
      payerMeta,
      { address: pool, role: AccountRole.READONLY },
      { address: await findEscrowAddress(pool), role: AccountRole.WRITABLE },
      { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    ],
    data,
  };
}
