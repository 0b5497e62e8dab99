import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256Into } from './hash.ts';

/** Size of a leaf's salt in bytes. */
export const SALT_BYTES = 16;

/** Where a recipient's money goes: to their private balance, or on to their own wallet. */
export type PayoutDelivery = 'balance' | 'wallet';

/** Whose balance: recipient, their secret salt of 16 bytes, and where its money goes. */
export type BalanceOwner = {
  readonly recipient: Address;
  readonly salt: Uint8Array;
  readonly delivery: PayoutDelivery;
};

/** Half of what a salt is hashed to: the first opens an owner, the second blinds a leaf. */
const HALF_BYTES = 16;
const saltInput = new Uint8Array(1 + SALT_BYTES);
const halves = new Uint8Array(HASH_BYTES);
const ownerInput = new Uint8Array(2 + HASH_BYTES + HALF_BYTES);
saltInput[0] = 8;
ownerInput[0] = 2;

/** Number by which the ledger knows a delivery. */
export function deliveryCode(delivery: PayoutDelivery): number {
  return delivery === 'wallet' ? 1 : 0;
}

/**
 * Writes an owner of 32 bytes and a blind of 16 to `target`, each to its place. `recipient` and `salt` stand in `source` at the places given, 32
 * and 16 bytes; for many.
 */
export function ownerRecordInto(
  source: Uint8Array,
  { recipient, salt, delivery }: { readonly recipient: number; readonly salt: number; readonly delivery: number },
  target: Uint8Array,
  at: { readonly owner: number; readonly blind: number },
): void {
  for (let byte = 0; byte < SALT_BYTES; byte++) saltInput[1 + byte] = source[salt + byte] as number;
  sha256Into(saltInput, halves, 0);
  ownerInput[1] = delivery;
  for (let byte = 0; byte < HASH_BYTES; byte++) ownerInput[2 + byte] = source[recipient + byte] as number;
  for (let byte = 0; byte < HALF_BYTES; byte++) ownerInput[2 + HASH_BYTES + byte] = halves[byte] as number;
  sha256Into(ownerInput, target, at.owner);
  for (let byte = 0; byte < HALF_BYTES; byte++) target[at.blind + byte] = halves[HALF_BYTES + byte] as number;
}

/**
 * Owner = H(0x02 ‖ delivery u8 ‖ recipient 32 ‖ opening 16) and a leaf's blind 16, where opening ‖ blind = H(0x08 ‖ salt 16). The owner
 * names nobody to who doesn't know the salt; whoever learns the opening does not learn the blind. Throws `INVALID_LEAF` or
 * `INVALID_ADDRESS`.
 */
export function ownerRecord({ recipient, salt, delivery }: BalanceOwner): { owner: Uint8Array; blind: Uint8Array } {
  checkSalt(salt);
  const source = new Uint8Array(HASH_BYTES + SALT_BYTES);
  source.set(addressToBytes(recipient));
  source.set(salt, HASH_BYTES);
  const record = new Uint8Array(HASH_BYTES + HALF_BYTES);
  const at = { owner: 0, blind: HASH_BYTES };
  ownerRecordInto(source, { recipient: 0, salt: HASH_BYTES, delivery: deliveryCode(delivery) }, record, at);
  return { owner: record.slice(0, HASH_BYTES), blind: record.slice(HASH_BYTES) };
}

/** The 16 bytes that open the owner which a recipient's salt makes. Throws `INVALID_LEAF`. */
export function openingOf(salt: Uint8Array): Uint8Array {
  checkSalt(salt);
  saltInput.set(salt, 1);
  sha256Into(saltInput, halves, 0);
  return halves.slice(0, HALF_BYTES);
}

function checkSalt(salt: Uint8Array): void {
  if (salt.length !== SALT_BYTES) throw new ClientError('INVALID_LEAF', `A salt has ${SALT_BYTES} bytes.`);
}
