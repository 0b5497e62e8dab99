import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256 } from './hash.ts';
import { BLIND_BYTES } from './liabilities.ts';
import { MAX_U64 } from './limits.ts';

/** Withdrawals that a recorded withdrawals tree holds at most: a longer proof does not fit into a transaction of the base ledger. */
export const MAX_RECORDED_WITHDRAWALS = 4_096;

/** A withdrawal that the base ledger is to pay; `amount` in base units. Private until it is paid. */
export type PayableWithdrawal = { readonly number: bigint; readonly amount: bigint; readonly wallet: Address };

const input = new Uint8Array(1 + 2 * 8 + HASH_BYTES + BLIND_BYTES);
const view = new DataView(input.buffer);
input[0] = 6;

/** H(0x06 ‖ number u64 ‖ amount u64 ‖ wallet 32 ‖ blind 16). Throws `INVALID_LEAF` or `INVALID_ADDRESS`. */
export function withdrawalLeafHash({ number, amount, wallet }: PayableWithdrawal, blind: Uint8Array): Uint8Array {
  if (blind.length !== BLIND_BYTES) throw new ClientError('INVALID_LEAF', `A blind has ${BLIND_BYTES} bytes.`);
  if ([number, amount].some((each) => each < 0n || each > MAX_U64)) {
    throw new ClientError('INVALID_LEAF', "A withdrawal's number and amount must fit 64 bits.");
  }
  view.setBigUint64(1, number, true);
  view.setBigUint64(9, amount, true);
  input.set(addressToBytes(wallet), 17);
  input.set(blind, 17 + HASH_BYTES);
  return sha256(input);
}
