import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  addressToBytes,
  deliveryCode,
  openingOf,
  ownerRecord,
  ownerRecordInto,
  type PayoutDelivery,
} from '../src/index.ts';
import { codeOf, randomAddress } from './support.ts';

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const people = fc.record({
  recipient: bytes(32).map(addressFromBytes),
  salt: bytes(16),
  delivery: fc.constantFrom<PayoutDelivery>('balance', 'wallet'),
});

describe('owners of balances', () => {
  it('are what the contract says: the first half of the salt’s hash opens them, the second blinds the leaf', () => {
    fc.assert(
      fc.property(people, ({ recipient, salt, delivery }) => {
        const halves = sha256(Uint8Array.of(8), salt);
        const [opening, blind] = [halves.subarray(0, 16), halves.subarray(16)];
        const owner = sha256(Uint8Array.of(2, deliveryCode(delivery)), addressToBytes(recipient), opening);
        const record = ownerRecord({ recipient, salt, delivery });
        expect([Buffer.from(record.owner), Buffer.from(record.blind)]).toEqual([owner, blind]);
        expect(Buffer.from(openingOf(salt))).toEqual(opening);
      }),
    );
  });

  it('are the same from any place of any bytes, and leave what stands beside them', () => {
    const places = fc.record({ before: fc.nat(9), between: fc.nat(9), at: fc.nat(9) });
    fc.assert(
      fc.property(people, places, ({ recipient, salt, delivery }, { before, between, at }) => {
        const parts = [Buffer.alloc(before, 1), addressToBytes(recipient), Buffer.alloc(between, 1), salt];
        const target = new Uint8Array(at + 48 + 3).fill(7);
        const from = { recipient: before, salt: before + 32 + between, delivery: deliveryCode(delivery) };
        ownerRecordInto(Buffer.concat(parts), from, target, { owner: at, blind: at + 32 });
        const { owner, blind } = ownerRecord({ recipient, salt, delivery });
        const expected = Buffer.concat([Buffer.alloc(at, 7), owner, blind, Buffer.alloc(3, 7)]);
        expect(Buffer.from(target)).toEqual(expected);
      }),
    );
  });

  it('are others for another recipient, salt or delivery; the blind is the salt’s alone', () => {
    const [recipient, salt] = [randomAddress(), new Uint8Array(16).fill(1)];
    const own = { recipient, salt, delivery: 'balance' as const };
    const others = [
      { ...own, recipient: randomAddress() },
      { ...own, salt: new Uint8Array(16).fill(2) },
      { ...own, delivery: 'wallet' as const },
    ];
    const texts = [own, ...others].map((each) => addressFromBytes(ownerRecord(each).owner));
    expect(new Set(texts).size).toBe(4);
    expect(ownerRecord({ ...own, delivery: 'wallet' }).blind).toEqual(ownerRecord(own).blind);
  });

  it('are refused a salt of another length', () => {
    for (const length of [0, 15, 17, 32]) {
      const salt = new Uint8Array(length);
      expect(codeOf(() => ownerRecord({ recipient: randomAddress(), salt, delivery: 'balance' }))).toBe('INVALID_LEAF');
      expect(codeOf(() => openingOf(salt))).toBe('INVALID_LEAF');
    }
  });
});
