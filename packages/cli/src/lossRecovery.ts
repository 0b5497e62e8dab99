import {
  getCancelScheduleInstruction,
  getDeclareLossInstructionAsync,
  getReclaimWindowInstructionAsync,
  type Ledgers,
  type LiabilityProof,
  type PayoutDelivery,
  redeemInstructions,
  sendToBase,
} from '@payouts/client';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';

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

/** An open window of a layer that is lost; `proof` unless it opened after the last recording. */
export type Reclaim = {
  readonly mint: Address;
  readonly tokenProgram?: Address;
  readonly vault: Address;
  readonly schedule: Address;
  readonly proof?: LiabilityProof | undefined;
};

/** The instruction that brings what an open window has not paid back to its vault, once the layer is lost. Anybody may send it. */
export function reclaimInstruction({ proof, ...accounts }: Reclaim): Promise<Instruction> {
  if (proof !== undefined && proof.leaf.kind !== 'window') throw new Error('This proof is that of a balance.');
  const leaf = proof?.leaf.kind === 'window' ? proof.leaf : { index: 0, paid: 0n, blind: new Uint8Array(16) };
  const { index, paid, blind } = leaf;
  return getReclaimWindowInstructionAsync({ ...accounts, index, paid, blind, proof: [...(proof?.proof ?? [])] });
}

/** Sends that instruction. */
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
