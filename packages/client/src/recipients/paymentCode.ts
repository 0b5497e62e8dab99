import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { concatenate, isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256 } from '../merkle/hash.ts';

/** What a payment code begins with: no address and no hash has such a letter. */
const PREFIX = 'pay_';
/** Before what is hashed to the bytes that show mistypings. */
const CHECKED = Uint8Array.of(11);
const CHECK_BYTES = 4;

/** A private balance as whoever pays it names it: its owner (32 bytes), which names nobody. */
export function paymentCodeOf(owner: Uint8Array): string {
  return PREFIX + getBase58Decoder().decode(concatenate([owner, checkOf(owner)]));
}

/** The owner that a payment code names. Throws `INVALID_PAYMENT_CODE`. */
export function ownerOfPaymentCode(code: string): Uint8Array {
  const bytes = code.startsWith(PREFIX) ? bytesOf(code.slice(PREFIX.length)) : undefined;
  const owner = bytes?.subarray(0, HASH_BYTES);
  if (bytes?.length !== HASH_BYTES + CHECK_BYTES || owner === undefined) {
    throw new ClientError(
      'INVALID_PAYMENT_CODE',
      `A payment code begins with ${PREFIX} and has about 50 letters after it.`,
    );
  }
  if (!isSameBytes(bytes.subarray(HASH_BYTES), checkOf(owner))) {
    throw new ClientError(
      'INVALID_PAYMENT_CODE',
      'The payment code is mistyped: its last letters do not fit the others.',
    );
  }
  return owner;
}

const checkOf = (owner: Uint8Array): Uint8Array => sha256(concatenate([CHECKED, owner])).subarray(0, CHECK_BYTES);

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text));
  } catch {
    return undefined;
  }
}
