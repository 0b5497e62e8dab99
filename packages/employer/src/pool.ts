import {
  type BaseConnection,
  createPoolInstructions,
  fetchMaybeCounter,
  fetchMaybePool,
  findCounterAddress,
  findPoolAddress,
  findSponsorAddress,
} from '@payouts/client';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Steps } from './changes/change.ts';

/** Whether a token has its pool (and with it its counter) already. */
export async function hasPool(ledgers: Pick<BaseConnection, 'base'>, mint: Address): Promise<boolean> {
  return (await fetchMaybePool(ledgers.base, await findPoolAddress(mint))).exists;
}

/** Lamports for payouts' token accounts and pages, which whoever opens a token's pool puts in: some 400 new wallets. */
export const SPONSOR_LAMPORTS = 1_000_000_000n;

/** What opens a token's pool with its counter and fills its sponsor, as far as that is not there yet. */
export async function poolSteps(
  { base }: Pick<BaseConnection, 'base'>,
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

/** Puts lamports into a token's sponsor, which pays for its pages and for the token accounts that payouts open. */
export async function fillSponsorInstruction(
  payer: TransactionSigner,
  mint: Address,
  lamports: bigint,
): Promise<Instruction> {
  return getTransferSolInstruction({ source: payer, destination: await findSponsorAddress(mint), amount: lamports });
}
