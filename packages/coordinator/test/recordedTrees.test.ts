import { randomBytes } from 'node:crypto';
import { addressToBytes, type LiabilityProof, verifyLiabilityInclusion } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PAGE_PLACES } from '../src/domain/places.ts';
import { CHUNK_LEAVES } from '../src/liabilities/book.ts';
import { liabilityProofs } from '../src/liabilities/proof.ts';
import { RecordedTrees } from '../src/liabilities/recordedTrees.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { randomAddress } from './support/promised.ts';
import { recordedBook } from './support/recordedBook.ts';
import { useStore } from './support/stores.ts';

const store = useStore('PGlite');
const payload = localPayloadKeys(randomBytes(32));
/** Pages of balances; those between them are the book's own. */
const PAGES = [1, 2, 4, 5];
const OWN = [0, 3];
const PEOPLE = Array.from({ length: 9 }, (_, who) => ({
  address: randomAddress(),
  place: (PAGES[who % PAGES.length] as number) * PAGE_PLACES + 31 * who,
}));
const SCHEDULES = Array.from({ length: 3 }, randomAddress);

async function token(pages: readonly number[] = PAGES) {
  const recorded = await recordedBook(store.query, payload, pages);
  for (const page of OWN) recorded.book.addRoom(page);
  return { ...recorded, trees: new RecordedTrees(recorded.input) };
}

type Token = Awaited<ReturnType<typeof token>>;

const wanted = new Map<Address, number | undefined>([
  ...PEOPLE.map(({ address, place }) => [address, place] as const),
  ...SCHEDULES.map((address) => [address, undefined] as const),
]);

/** The proofs that the whole tree gives, by address. */
function expected({ book, mint, pool }: Token): Map<Address, LiabilityProof[]> {
  const { sequence, liabilitiesRoot, liabilityLeaves: leaves } = pool();
  const of = { mint, sequence, root: Uint8Array.from(liabilitiesRoot as Uint8Array), leaves };
  const all = [...wanted.keys()].map((address) => {
    const window = book.windowLeaf(address);
    const found = window === undefined ? book.leavesOf(addressToBytes(address)) : [window];
    return [address, found.map((leaf) => ({ ...of, leaf, proof: book.tree.proof(leaf.index) }))] as const;
  });
  return new Map(all.filter(([, proofs]) => proofs.length > 0));
}

const who = fc.nat(PEOPLE.length - 1);
const change = fc.oneof(
  fc.record({ kind: fc.constant('balance' as const), who, amount: fc.bigInt(1n, 9n) }),
  fc.record({ kind: fc.constant('asked' as const), who, number: fc.bigInt(1n, 6n) }),
  fc.record({ kind: fc.constant('paid' as const), number: fc.bigInt(1n, 6n) }),
  fc.record({ kind: fc.constant('open' as const), which: fc.nat(2), window: fc.bigInt(0n, 3n) }),
  fc.record({ kind: fc.constant('settled' as const), which: fc.nat(2) }),
);

function apply({ book, version }: Token, one: typeof change extends fc.Arbitrary<infer T> ? T : never): void {
  if (one.kind === 'balance') {
    const { address, place } = PEOPLE[one.who] as (typeof PEOPLE)[number];
    book.setBalance(place, { owner: addressToBytes(address), amount: one.amount }, version());
  } else if (one.kind === 'asked') {
    const owner = addressToBytes((PEOPLE[one.who] as (typeof PEOPLE)[number]).address);
    book.setWithdrawal({ owner, number: one.number, amount: 1n, wallet: undefined }, version());
  } else if (one.kind === 'paid') book.removeWithdrawal(one.number, version());
  else if (one.kind === 'open') {
    book.setWindow({ schedule: SCHEDULES[one.which] as Address, window: one.window, paid: 1n }, version());
  } else book.removeWindow(SCHEDULES[one.which] as Address, version());
}

it('proves each leaf as the whole tree does, whatever changed between recordings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), async (steps) => {
      const one = await token();
      expect(await one.trees.proofs(one.mint, wanted)).toEqual(new Map());
      for (const changes of steps) {
        for (const each of changes) apply(one, each);
        await one.record();
        const proofs = await one.trees.proofs(one.mint, wanted);
        expect(proofs).toEqual(expected(one));
        for (const { leaf, proof } of [...proofs.values()].flat()) {
          expect(verifyLiabilityInclusion({ pool: one.pool(), leaf, proof })).toBe(true);
        }
        // Who does not know the places looks through all leaves, and finds the same.
        expect(await liabilityProofs(one.input, [...wanted.keys()], [one.mint])).toEqual(proofs);
      }
    }),
    { numRuns: 6 },
  );
});

it("reads a recipient's own chunk and no other balance's, whoever is in the tree", async () => {
  const one = await token();
  for (const { address, place } of PEOPLE) {
    one.book.setBalance(place, { owner: addressToBytes(address), amount: 5n }, 1n);
  }
  await one.record();
  const { address, place } = PEOPLE[0] as (typeof PEOPLE)[number];
  const own = Math.floor(place / CHUNK_LEAVES);
  // Nobody can decrypt the others': a request that read one of them would fail.
  await store.query
    .updateTable('liability_chunks')
    .set({ content: Buffer.alloc(60) })
    .where('mint', '=', one.mint)
    .where('chunk', 'not in', [own, ...OWN])
    .execute();
  const proofs = await one.trees.proofs(one.mint, new Map([[address, place]]));
  expect(proofs).toEqual(new Map([[address, expected(one).get(address)]]));
  await expect(one.trees.proofs(one.mint, wanted)).rejects.toThrow(DecryptionFailed);
});

it('gives no proof of a tree that does not rebuild the recorded root, and again once it does', async () => {
  const one = await token();
  const { address, place } = PEOPLE[3] as (typeof PEOPLE)[number];
  one.book.setBalance(place, { owner: addressToBytes(address), amount: 5n }, 1n);
  await one.record();
  const chunk = store.query.updateTable('liability_chunks').where('mint', '=', one.mint).where('part', '=', 'what');
  const hash = Buffer.from(one.book.chunkHash(2));
  await chunk
    .set({ hash: Buffer.alloc(32, 1) })
    .where('chunk', '=', 2)
    .execute();
  await expect(one.trees.proofs(one.mint, wanted)).rejects.toThrow('does not rebuild its root');
  await chunk.set({ hash }).where('chunk', '=', 2).execute();
  expect([...(await one.trees.proofs(one.mint, wanted)).keys()]).toEqual([address]);
});
