import {
  findPageAddress,
  findRedeemedPageAddress,
  findTokenAddress,
  getCancelScheduleInstruction,
  getDeclareLossInstructionAsync,
  getReclaimWindowInstructionAsync,
  getRedeemInstructionAsync,
  type Ledgers,
  type LiabilityProof,
  sendToBase,
} from '@payouts/client';
import type { Address, TransactionSigner } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';

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
  },
): Promise<void> {
  const { recipient, payer, proof } = input;
  const { mint, leaf } = proof;
  if (leaf.kind !== 'balance') throw new Error('This proof is that of a window.');
  const { index, amount, pendingNumber, pendingAmount, blind } = leaf;
  const instructions = [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: recipient.address, mint }),
    await getRedeemInstructionAsync({
      recipient,
      payer,
      mint,
      destinationToken: await findTokenAddress(recipient.address, mint),
      redeemed: await findRedeemedPageAddress(mint, index),
      page: await findPageAddress(mint, pendingNumber),
      index,
      amount,
      pendingNumber,
      pendingAmount,
      blind,
      proof: [...proof.proof],
    }),
  ];
  await sendToBase(ledgers, instructions, payer);
}

/** Brings what an open window has not paid back to its vault, once the layer is lost; `proof` unless it opened after the last recording. */
export async function reclaimWindow(
  ledgers: Ledgers,
  input: {
    readonly payer: TransactionSigner;
    readonly mint: Address;
    readonly vault: Address;
    readonly schedule: Address;
    readonly proof?: LiabilityProof;
  },
): Promise<void> {
  const { payer, mint, vault, schedule, proof } = input;
  if (proof !== undefined && proof.leaf.kind !== 'window') throw new Error('This proof is that of a balance.');
  const leaf = proof?.leaf.kind === 'window' ? proof.leaf : { index: 0, paid: 0n, blind: new Uint8Array(16) };
  const { index, paid, blind } = leaf;
  const claim = { mint, vault, schedule, index, paid, blind, proof: [...(proof?.proof ?? [])] };
  await sendToBase(ledgers, [await getReclaimWindowInstructionAsync(claim)], payer);
}

/** Ends a schedule: what is reserved for its unopened windows is available at once. */
export async function cancelSchedule(
  ledgers: Ledgers,
  input: { readonly employer: TransactionSigner; readonly vault: Address; readonly schedule: Address },
): Promise<void> {
  await sendToBase(ledgers, [getCancelScheduleInstruction(input)], input.employer);
}
