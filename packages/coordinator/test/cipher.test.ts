import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DecryptionFailed, decrypt, encrypt } from '../src/store/crypto/cipher.ts';
import { associatedData, type ListPart, type ListPlace } from '../src/store/crypto/listPlace.ts';
import { localPayloadKeys, WrongPayloadKey } from '../src/store/crypto/payloadKeys.ts';
import { randomAddress } from './support/promised.ts';

const placeOf = (recipients: number): ListPlace => ({
  schedule: randomAddress(),
  root: new Uint8Array(randomBytes(32)),
  recipients,
});

describe("a list's parts at rest", () => {
  const key = randomBytes(32);
  const place = placeOf(5_000);
  const content = randomBytes(1_000);
  const sealed = encrypt(key, content, associatedData(place, 0));

  it('open as they were, and are another ciphertext each time', () => {
    expect(Buffer.from(decrypt(key, sealed, associatedData(place, 0)))).toEqual(content);
    expect(encrypt(key, content, associatedData(place, 0))).not.toEqual(sealed);
    expect(Buffer.from(sealed).includes(content.subarray(100, 116))).toBe(false);
  });

  it.each<[string, Partial<ListPlace>, ListPart]>([
    ['schedule', { schedule: randomAddress() }, 0],
    ['root', { root: new Uint8Array(32) }, 0],
    ['count', { recipients: 1 }, 0],
    ['block', {}, 1],
    ['part', {}, 'key'],
    ['kind of content', {}, 'places'],
  ])('do not open in the place of another %s', (_, elsewhere, part) => {
    const associated = associatedData({ ...place, ...elsewhere }, part);
    expect(() => decrypt(key, sealed, associated)).toThrow(DecryptionFailed);
  });

  it('do not open with another key, or when a byte has changed', () => {
    const changed = Uint8Array.from(sealed);
    changed[40] = (changed[40] as number) ^ 1;
    const associated = associatedData(place, 0);
    expect(() => decrypt(randomBytes(32), sealed, associated)).toThrow(DecryptionFailed);
    expect(() => decrypt(key, changed, associated)).toThrow(DecryptionFailed);
    expect(() => decrypt(key, sealed.subarray(0, 20), associated)).toThrow(DecryptionFailed);
  });

  it("bind a list's wrapped key to its list, and open what a retired payload key wrapped", async () => {
    const payloadKey = randomBytes(32);
    const keys = localPayloadKeys(payloadKey);
    const stored = await keys.wrap(key, associatedData(place, 'key'));
    expect(stored.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(await keys.unwrap(stored, associatedData(place, 'key')))).toEqual(key);
    await expect(keys.unwrap(stored, associatedData(place, 0))).rejects.toThrow(DecryptionFailed);
    const rotated = localPayloadKeys(randomBytes(32), [payloadKey]);
    expect(Buffer.from(await rotated.unwrap(stored, associatedData(place, 'key')))).toEqual(key);
    const without = localPayloadKeys(randomBytes(32));
    await expect(without.unwrap(stored, associatedData(place, 'key'))).rejects.toThrow(WrongPayloadKey);
  });
});
