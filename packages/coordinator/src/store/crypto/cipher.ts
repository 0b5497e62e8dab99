import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Bytes of the payload key and of each list's own key. */
export const KEY_BYTES = 32;
const MARK_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Content that can't be decrypted: another key, another place, or changed bytes. */
export class DecryptionFailed extends Error {
  override readonly name = 'DecryptionFailed';
}

/** Which key has encrypted something, without saying anything about the key: 8 bytes. */
export const keyMark = (key: Uint8Array): Buffer =>
  createHash('sha256').update('key-mark').update(key).digest().subarray(0, MARK_BYTES);

/** Encrypts with AES-256-GCM: the key's mark ‖ nonce ‖ ciphertext ‖ tag. `associated` is not stored and must be the same to decrypt. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, associated: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associated);
  return Buffer.concat([keyMark(key), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` made. Throws `DecryptionFailed`. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Uint8Array {
  if (sealed.length < MARK_BYTES + NONCE_BYTES + TAG_BYTES) {
    throw new DecryptionFailed('The encrypted content is too short.');
  }
  const ciphertextAt = MARK_BYTES + NONCE_BYTES;
  const nonce = sealed.subarray(MARK_BYTES, ciphertextAt);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce).setAAD(associated).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ciphertextAt, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    throw new DecryptionFailed('The content was encrypted with another key, belongs elsewhere or has been changed.');
  }
}

/** A new key for one list. */
export const newListKey = (): Uint8Array => randomBytes(KEY_BYTES);
