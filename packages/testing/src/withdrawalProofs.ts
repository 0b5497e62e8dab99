import type { Ledgers } from '@payouts/client';
import {
  getConfirmWithdrawalInstructionDataDecoder,
  identifyPayoutLedgerInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PayoutLedgerInstruction,
  type WithdrawalProof,
} from '@payouts/client';
import {
  type Address,
  type Base64EncodedDataResponse,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';

/** What of a personal account's history is looked at, newest first. */
const LOOKED_AT = 20;
/** The proof of whoever doesn't know a withdrawal's blind. */
const UNPROVEN: WithdrawalProof = { index: 0, blind: new Uint8Array(16), proof: [] };

/**
 * The proof by which a withdrawal of a personal account was issued last, by its id there, as the layer's history has it; before the
 * first, one that proves nothing.
 */
export async function lastProof(layer: Ledgers['layer'], personal: Address, id: number): Promise<WithdrawalProof> {
  const found = await layer.getSignaturesForAddress(personal, { limit: LOOKED_AT, commitment: 'confirmed' }).send();
  for (const { signature } of found) {
    const transaction = await layer
      .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0, commitment: 'confirmed' })
      .send();
    const proof = transaction && proofIn(transaction.transaction, id);
    if (proof !== undefined && proof !== null) return proof;
  }
  return UNPROVEN;
}

function proofIn([bytes]: Base64EncodedDataResponse, id: number): WithdrawalProof | undefined {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(bytes));
  const { instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  for (const { programAddress, data } of instructions) {
    if (programAddress !== PAYOUT_LEDGER_PROGRAM_ADDRESS || data === undefined) continue;
    if (identifyPayoutLedgerInstruction(data) !== PayoutLedgerInstruction.ConfirmWithdrawal) continue;
    const { proven, ...asked } = getConfirmWithdrawalInstructionDataDecoder().decode(data);
    if (asked.id === id && proven.blind.some((byte) => byte !== 0)) return proven;
  }
  return undefined;
}
