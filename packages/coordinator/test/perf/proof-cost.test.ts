import { randomBytes } from 'node:crypto';
import { addressFromBytes, addressToBytes } from '@payouts/client';
import { expect, it } from 'vitest';
import { CHUNK_LEAVES } from '../../src/liabilities/book.ts';
import { liabilitiesSum } from '../../src/liabilities/proof.ts';
import { RecordedTrees } from '../../src/liabilities/recordedTrees.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { recordedBook } from '../support/recordedBook.ts';
import { useStore } from '../support/stores.ts';

const BALANCES = 200_000;
const store = useStore();

/** The least processor time of this process that some of these took, in milliseconds. */
async function cheapest(work: () => Promise<unknown>, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

it(`a recipient's proof of ${BALANCES} balances takes a hundredth of reading them all`, async () => {
  const pages = Array.from({ length: Math.ceil(BALANCES / CHUNK_LEAVES) }, (_, page) => page);
  const { mint, book, input, record } = await recordedBook(store.query, localPayloadKeys(randomBytes(32)), pages);
  const owners = Array.from({ length: BALANCES }, () => addressFromBytes(randomBytes(32)));
  const setAll = (amount: bigint) => {
    for (const [place, owner] of owners.entries()) {
      book.setBalance(place, { owner: addressToBytes(owner), amount }, amount);
    }
  };
  setAll(1n);
  await record();
  const trees = new RecordedTrees(input);
  let asked = 0;
  const ask = async () => {
    const place = (7_919 * asked++) % BALANCES;
    const address = owners[place] as (typeof owners)[number];
    expect(await trees.proofs(mint, new Map([[address, place]]))).toHaveProperty('size', 1);
  };
  const first = await cheapest(ask, 1);
  const next = await cheapest(ask, 50);
  setAll(2n);
  await record();
  const recorded = await cheapest(ask, 1);
  const everything = await cheapest(() => liabilitiesSum(input, mint), 2);
  const text = [first, next, recorded, everything].map((took) => `${took.toFixed(1)} ms`);
  console.log(`proof: first ${text[0]}, next ${text[1]}, after a recording ${text[2]}; all balances ${text[3]}`);
  expect(next).toBeLessThan(everything / 100);
  expect(recorded).toBeLessThan(everything / 10);
});
