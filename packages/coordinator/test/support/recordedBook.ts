import { getPoolEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import { BLANK_POOL } from '@payouts/testing/blankAccounts';
import { Blinds } from '../../src/domain/liability.ts';
import type { BaseLedger } from '../../src/ledger/ledger.ts';
import { LiabilityBook } from '../../src/liabilities/book.ts';
import type { PayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { treeKey } from '../../src/store/queries/liabilities.ts';
import { savePages } from '../../src/store/queries/pageNames.ts';
import type { Db } from '../../src/store/schema.ts';
import { randomAddress } from './promised.ts';
import { saveBook } from './recordings.ts';

const unused = () => Promise.reject(new Error('not needed'));

/** A token's book, stored as a recorder stores it, and a base ledger that shows what was recorded last; `pages`: numbers of those of balances. */
export async function recordedBook(database: Db, payloadKeys: PayloadKeys, pages: readonly number[]) {
  const mint = randomAddress();
  const { key, seed } = await treeKey(database, mint, payloadKeys, 1);
  await savePages(
    database,
    { mint, key },
    pages.map((number) => ({ number, nonce: new Uint8Array(16) })),
  );
  const book = new LiabilityBook(new Blinds(seed, mint));
  let number = 0n;
  let pool = { ...BLANK_POOL, mint };
  const account = { owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, lamports: 1n };
  const base: BaseLedger = {
    ...{ name: 'base', programAccounts: unused, lifetime: unused, blockHeight: unused, statuses: unused, send: unused },
    accounts: async (addresses) => {
      const data = Uint8Array.from(getPoolEncoder().encode(pool));
      return { slot: 1n, accounts: addresses.map((address) => ({ ...account, address, data })) };
    },
  };
  return {
    mint,
    book,
    input: { base, database, payloadKeys, program: PAYOUT_LEDGER_PROGRAM_ADDRESS },
    /** What the next recording says of a change. */
    version: () => number + 1n,
    /** Records the book as it is. */
    async record(): Promise<void> {
      number += 1n;
      await saveBook(database, { mint, key, book }, { number, sequence: number });
      const { root: liabilitiesRoot, leafCount: liabilityLeaves } = book.tree;
      pool = { ...pool, sequence: number, liabilitiesRoot, liabilityLeaves };
    },
    /** What the base ledger shows. */
    pool: () => pool,
  };
}
