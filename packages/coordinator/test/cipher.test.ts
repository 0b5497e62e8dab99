import { randomBytes } from 'node:crypto';
import { addressFromBytes, type Recipient } from '@payouts/client';
import { describe, expect, it } from 'vitest';
import type { PayableRecipient } from '../src/domain/recipient.ts';
import { DecryptionFailed } from '../src/store/cipher.ts';
import { localPayloadKeys, WrongPayloadKey } from '../src/store/payloadKeys.ts';
import {
  associatedData,
  CHUNK_RECIPIENTS,
  type ListPlace,
  openChunk,
  sealRecipients,
} from '../src/store/recipientRecords.ts';

const randomAddress = () => addressFromBytes(randomBytes(32));
const recipientAt = (index: number): PayableRecipient => ({
  index,
  recipient: randomAddress(),
  amount: randomBytes(8).readBigUInt64LE(),
  delivery: index % 7 === 0 ? 'wallet' : 'balance',
  salt: new Uint8Array(randomBytes(16)),
  balance: randomAddress(),
  bump: index % 256,
});
const listOf = (length: number) => Array.from({ length }, (_, index) => recipientAt(index));
const placeOf = (recipients: readonly Recipient[]): ListPlace => ({
  schedule: randomAddress(),
  root: new Uint8Array(randomBytes(32)),
  recipients: recipients.length,
});

async function seal(recipients: PayableRecipient[], place: ListPlace, key: Uint8Array) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of sealRecipients(recipients, place, key)) chunks.push(chunk);
  return chunks;
}

describe('a list at rest', () => {
  it.each([1, CHUNK_RECIPIENTS, CHUNK_RECIPIENTS + 1])('comes back as it was: %i recipients', async (length) => {
    const key = randomBytes(32);
    const recipients = listOf(length);
    const place = placeOf(recipients);
    const chunks = await seal(recipients, place, key);
    expect(chunks).toHaveLength(Math.ceil(length / CHUNK_RECIPIENTS));
    const opened = await Promise.all(chunks.map((chunk, number) => openChunk(chunk, number, place, key)));
    expect(opened.flat()).toEqual(recipients);
  });

  it('shows nothing of a recipient, and another ciphertext each time', async () => {
    const recipients = listOf(3);
    const place = placeOf(recipients);
    const key = randomBytes(32);
    const [first] = await seal(recipients, place, key);
    const [second] = await seal(recipients, place, key);
    expect(first).not.toEqual(second);
    for (const { salt } of recipients) expect(Buffer.from(first as Uint8Array).includes(Buffer.from(salt))).toBe(false);
  });

  it('opens with its own key, schedule, root, count and place only, and not when a byte has changed', async () => {
    const recipients = listOf(CHUNK_RECIPIENTS + 1);
    const place = placeOf(recipients);
    const key = randomBytes(32);
    const [chunk] = (await seal(recipients, place, key)) as [Uint8Array];
    const changed = Uint8Array.from(chunk);
    changed[40] = (changed[40] as number) ^ 1;
    for (const attempt of [
      () => openChunk(chunk, 0, place, randomBytes(32)),
      () => openChunk(chunk, 0, { ...place, schedule: randomAddress() }, key),
      () => openChunk(chunk, 0, { ...place, root: new Uint8Array(32) }, key),
      () => openChunk(chunk, 0, { ...place, recipients: 1 }, key),
      () => openChunk(chunk, 1, place, key),
      () => openChunk(changed, 0, place, key),
      () => openChunk(chunk.subarray(0, 20), 0, place, key),
    ]) {
      await expect(attempt()).rejects.toThrow(DecryptionFailed);
    }
    expect(await openChunk(chunk, 0, place, key)).toHaveLength(CHUNK_RECIPIENTS);
  });

  it("binds a list's wrapped key to its list, and opens what a retired payload key wrapped", async () => {
    const place = placeOf([]);
    const payloadKey = randomBytes(32);
    const key = randomBytes(32);
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
