import { type Address, isAddress } from '@solana/kit';
import { fromHex, toHex } from '#platform';
import { ClientError } from '../http/clientError.ts';
import { type BalanceOwner, SALT_BYTES } from '../merkle/owner.ts';
import { type LiabilityProof, liabilityProofFromJson, liabilityProofToJson } from '../receipts/liabilityProof.ts';

/** A balance as a recipient keeps it for the day on which the execution layer is lost: whose it is, and what proves what it is owed. */
export type ProvenBalance = BalanceOwner & { readonly proofs: readonly LiabilityProof[] };

const HEX_SALT = new RegExp(`^[0-9a-f]{${2 * SALT_BYTES}}$`);

/**
 * What a proof file holds. `proofs`: those whose salt the writer doesn't have, as an operator's command writes them; among them may be one of
 * a window.
 */
export type ProofFile = { readonly balances: readonly ProvenBalance[]; readonly proofs: readonly LiabilityProof[] };

/** Writes balances with their proofs as JSON. Private: it has amounts, and the secrets that redeem them together with the key. */
export const proofFileToJson = (balances: readonly ProvenBalance[]) => ({
  payoutsProof: 1 as const,
  balances: balances.map(({ recipient, salt, delivery, proofs }) => ({
    recipient: recipient as string,
    salt: toHex(salt),
    delivery,
    proofs: proofs.map(liabilityProofToJson),
  })),
});

/** Writes proofs without whose they are in the same form. */
export const bareProofsToJson = (proofs: readonly LiabilityProof[]) => ({
  ...proofFileToJson([]),
  proofs: proofs.map(liabilityProofToJson),
});

/** What such JSON holds, from a source that is not trusted. Throws `INVALID_LEAF` for anything else. */
export function proofFileFromJson(json: unknown): ProofFile {
  const { payoutsProof, balances, proofs = [] } = objectOf(json);
  if (payoutsProof !== 1 || !Array.isArray(balances) || !Array.isArray(proofs)) return refuse();
  return { balances: balances.map(balanceFromJson), proofs: proofs.map(liabilityProofFromJson) };
}

function balanceFromJson(balance: unknown): ProvenBalance {
  const { recipient, salt, delivery, proofs } = objectOf(balance);
  if (typeof recipient !== 'string' || !isAddress(recipient)) return refuse();
  if (typeof salt !== 'string' || !HEX_SALT.test(salt) || !Array.isArray(proofs)) return refuse();
  if (delivery !== 'balance' && delivery !== 'wallet') return refuse();
  return { recipient: recipient as Address, salt: fromHex(salt), delivery, proofs: proofs.map(liabilityProofFromJson) };
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : refuse();

function refuse(): never {
  throw new ClientError('INVALID_LEAF', 'This is no proof file.');
}
