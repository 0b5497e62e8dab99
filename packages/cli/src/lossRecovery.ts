import {
  getCancelScheduleInstruction,
  getDeclareLossInstructionAsync,
  type Ledgers,
  type LiabilityProof,
  type PayoutDelivery,
  redeemInstructions,
  sendToBase,
} from '@payouts/client';
import { type Reclaim, reclaimInstruction } from '@payouts/employer';
import type { Address, TransactionSigner } from '@solana/kit';

/** Says on the base ledger that the execution layer is lost: it is, for good, when the config's grace time has passed. */
export async function declareLoss(
  ledgers: Ledgers,
  input: {
    readonly governance: TransactionSigner;
    readonly guardian: TransactionSigner;
    readonly payer: TransactionSigner;
  },
): Promise<void> {
  const { governance, guardian, payer } = input;
  await sendToBase(ledgers, [await getDeclareLossInstructionAsync({ governance, guardian })], payer);
}

/** Pays a private balance from the pool to its recipient's own token account, once the layer is lost. Needs no coordinator. */
export async function redeem(
  ledgers: Ledgers,
  input: {
    readonly recipient: TransactionSigner;
    readonly payer: TransactionSigner;
    readonly proof: LiabilityProof;
    /** The recipient's secret, and where the balance's money goes: they open the leaf's owner. */
    readonly salt: Uint8Array;
    readonly delivery?: PayoutDelivery;
  },
): Promise<void> {
  const { recipient, payer, proof, salt, delivery = 'balance' } = input;
  const { mint, leaf } = proof;
  if (leaf.kind !== 'balance') throw new Error('This proof is that of a window.');
  const owned = { salt, delivery, mint, leaf, proof: proof.proof };
  const instructions = await redeemInstructions({ recipient, payer, ...owned });
  await sendToBase(ledgers, instructions, payer);
}

/** Brings what an open window has not paid back to its vault, once the layer is lost. */
export async function reclaimWindow(
  ledgers: Ledgers,
  { payer, ...reclaim }: Reclaim & { readonly payer: TransactionSigner },
): Promise<void> {
  await sendToBase(ledgers, [await reclaimInstruction(reclaim)], payer);
}

/** Ends a schedule: what is reserved for its unopened windows is available at once. */
export async function cancelSchedule(
  ledgers: Ledgers,
  input: { readonly employer: TransactionSigner; readonly vault: Address; readonly schedule: Address },
): Promise<void> {
  await sendToBase(ledgers, [getCancelScheduleInstruction(input)], input.employer);
}
