import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWNER_ENTRY_BYTES, OwnerIndex } from '../src/domain/ownerIndex.ts';

/** Owners of whom many begin alike, so that they ask for the same buckets. */
const OWNERS = Array.from({ length: 200 }, (_, one) => {
  const owner = randomBytes(32);
  owner.fill(one % 5, 0, 4);
  return owner;
});

const entryOf = (owner: Uint8Array, place: number): Buffer => {
  const entry = Buffer.alloc(OWNER_ENTRY_BYTES);
  entry.set(owner);
  entry.writeUInt32LE(place, 32);
  return entry;
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const who = fc.nat(OWNERS.length - 1);
const places = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), who, place: places, before: fc.nat(5) }),
    fc.record({
      kind: fc.constant('addAll' as const),
      entries: fc.array(fc.tuple(who, places), { maxLength: 60 }),
      before: fc.nat(5),
    }),
  ),
  { maxLength: 30 },
);

describe('an index of owners', () => {
  it('knows what a map knows, whatever is put into it, and however many it was made for', () => {
    fc.assert(
      fc.property(steps, fc.nat(300), (script, expected) => {
        const index = new OwnerIndex(expected);
        const map = new Map<string, number>();
        const order: string[] = [];
        const note = (one: number, place: number) => {
          const name = hex(OWNERS[one] as Buffer);
          if (!map.has(name)) order.push(name);
          map.set(name, place);
        };
        for (const step of script) {
          // As in records: other bytes stand before and behind.
          const beside = Buffer.alloc(step.before, 0xee);
          if (step.kind === 'set') {
            index.set(Buffer.concat([beside, OWNERS[step.who] as Buffer, beside]), step.before, step.place);
            note(step.who, step.place);
          } else {
            const bytes = step.entries.map(([one, place]) => entryOf(OWNERS[one] as Buffer, place));
            index.addAll(Buffer.concat([beside, ...bytes]).subarray(step.before));
            for (const [one, place] of step.entries) note(one, place);
          }
          expect(index.count).toBe(map.size);
        }
        for (const owner of OWNERS) {
          expect(index.placeOf(Buffer.concat([Buffer.alloc(3), owner]), 3)).toBe(map.get(hex(owner)));
        }
        // In the order in which they came, with the places that count; what came later alone from a number on.
        const all = order.map((name) => entryOf(Buffer.from(name, 'hex'), map.get(name) as number));
        const from = Math.floor(all.length / 3);
        expect(index.entriesFrom(0)).toEqual(Buffer.concat(all));
        expect(index.entriesFrom(from)).toEqual(Buffer.concat(all.slice(from)));
        expect(index.entriesFrom(all.length)).toHaveLength(0);

        const again = new OwnerIndex(0);
        again.addAll(index.entriesFrom(0));
        expect(again.entriesFrom(0)).toEqual(index.entriesFrom(0));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what it gave away as it was', () => {
    const index = new OwnerIndex(1);
    const [owner] = OWNERS as [Buffer];
    index.set(owner, 0, 1);
    const given = index.entriesFrom(0);
    index.set(owner, 0, 2);
    expect(given.readUInt32LE(32)).toBe(1);
  });

  it('is not held up by owners that an employer has sought out to begin alike', () => {
    const owners = randomBytes(150_000 * 32);
    for (let one = 0; one < 150_000; one++) {
      owners.fill(7, one * 32, one * 32 + 4);
      owners.writeUInt32LE(one << 12, one * 32 + 4);
    }
    const index = new OwnerIndex(150_000);
    // In one run of buckets, each would look at all before it: minutes.
    const began = performance.now();
    for (let one = 0; one < 150_000; one++) index.set(owners, one * 32, one);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(index.placeOf(owners, 149_999 * 32)).toBe(149_999);
  });

  it('finds a hundred thousand owners among as many others', () => {
    const owners = randomBytes(200_000 * 32);
    const index = new OwnerIndex(10);
    for (let one = 0; one < 100_000; one++) index.set(owners, one * 32, one);
    let wrong = 0;
    for (let one = 0; one < 200_000; one++) {
      if (index.placeOf(owners, one * 32) !== (one < 100_000 ? one : undefined)) wrong += 1;
    }
    expect(wrong).toBe(0);
  });
});
