import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ListProofs } from '../src/lists/listProofs.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import { useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { promise, randomAddress, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const BLOCK = 4_096;
const store = useStore();
const payloadKeys = localPayloadKeys(randomBytes(32));
const ledger = useLedger();
const service = useApi(store, { ledger, payloadKeys, bodyLimitBytes: 10_000_000 });

async function registered(size: number) {
  const promised = promise(ledger, randomAddress(), somePayees(size));
  await service.register(promised);
  const { schedulePda, list } = promised;
  const root = Buffer.from(list.root).toString('hex');
  return { list, row: (await findList(store.query, schedulePda, root)) as ListRow };
}

it.each([1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5])(
  'are those of the whole tree, for a list of %i',
  async (size) => {
    const { list, row } = await registered(size);
    const proofs = new ListProofs({ database: store.query, payloadKeys });
    const ends = [0, 1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, size - 1];
    for (const index of new Set(ends.filter((end) => end >= 0 && end < size))) {
      expect(await proofs.of(row, index, 1), `index ${index}`).toEqual([list.tree.proof(index)]);
    }
    const first = Math.max(0, size - 300);
    const expected = Array.from({ length: size - first }, (_, at) => list.tree.proof(first + at));
    expect(await proofs.of(row, first, size - first)).toEqual(expected);
  },
);

it('are refused of a list that does not rebuild its root', async () => {
  const { row } = await registered(3);
  const { query: database } = store;
  // Whoever can write to the database, but has no key, can put another list's row in its place at most.
  const proofs = new ListProofs({ database, payloadKeys });
  await expect(proofs.of({ ...row, root: 'ab'.repeat(32) }, 0, 1)).rejects.toThrow(DecryptionFailed);
  expect(await proofs.of(row, 0, 3)).toHaveLength(3);
});
