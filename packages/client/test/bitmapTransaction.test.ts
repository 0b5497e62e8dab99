import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  bitmapOf,
  bitmapPageCount,
  bitmapSize,
  buildBitmapTransaction,
  findBitmapPagePda,
  getBitmapPageEncoder,
  getOpenBitmapInstruction,
  isBitSet,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress } from './support.ts';

const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const authority = await generateKeyPairSigner();
const [config, batch, schedule] = [randomAddress(), randomAddress(), randomAddress()];
const of = { schedule, window: 7n, bitmapNonce: 5 };
const MOST = 1_048_576;

it('finds the pages of a bitmap where the program does', async () => {
  expect([1, BITMAP_PAGE_BITS, BITMAP_PAGE_BITS + 1, MOST].map(bitmapPageCount)).toEqual([1, 1, 2, 16]);
  const expected = await Promise.all(
    [0, 1].map(async (number) => (await findBitmapPagePda({ ...of, nonce: 5, number }))[0]),
  );
  // Derived the first time, remembered then; another of anything is another page.
  for (const _ of [1, 2]) expect(bitmapAddresses(of, 2 * BITMAP_PAGE_BITS, program)).toEqual(expected);
  const others = [
    { ...of, window: 8n },
    { ...of, bitmapNonce: 6 },
    { ...of, schedule: randomAddress() },
  ];
  const pages = [...others.flatMap((other) => bitmapAddresses(other, 1, program)), ...bitmapAddresses(of, 1, batch)];
  expect(new Set([...expected, ...pages]).size).toBe(6);
});

it.each([1, MOST])(
  'makes the bitmap of %i recipients by the generated instruction, in one transaction',
  async (recipients) => {
    const { wire } = await buildBitmapTransaction({
      ...{ authority, config, batch, ...of, recipients, lifetime },
      ...{ programAddress: program, computeUnitLimit: 200_000 },
    });
    const { message } = decodeTransaction(wire);
    const instruction = message.instructions[1];
    const pages = bitmapAddresses(of, recipients, program);
    const seeds = await Promise.all(
      pages.map(async (_, number) => ({
        number: new Uint8Array(Uint32Array.of(number).buffer),
        bump: (await findBitmapPagePda({ ...of, nonce: 5, number }))[1],
      })),
    );
    const expected = getOpenBitmapInstruction({ authority, config, batch, pages, nonce: 5, seeds });
    const named = instruction?.accountIndices?.map((index) => message.staticAccounts[index] as Address);
    expect(named).toEqual(expected.accounts.map(({ address }) => address));
    expect(Buffer.from(instruction?.data ?? [])).toEqual(Buffer.from(expected.data));
  },
);

it('puts a bitmap together from its pages, and sets those who are held back in pages that are not made', () => {
  const index = fc.nat(2 * BITMAP_PAGE_BITS);
  const recipients = 2 * BITMAP_PAGE_BITS + 1;
  const pageOf = (bits: Uint8Array, number: number): Uint8Array => {
    const bytes = BITMAP_PAGE_BITS / 8;
    const bitmap = bits.subarray(number * bytes, (number + 1) * bytes);
    return new Uint8Array(getBitmapPageEncoder().encode({ bump: 1, number, schedule, window: 7n, bitmap }));
  };
  fc.assert(
    fc.property(
      fc.uniqueArray(index, { maxLength: 40 }),
      fc.uniqueArray(index, { maxLength: 32 }),
      fc.nat(7),
      (paid, held, made) => {
        const bits = new Uint8Array(bitmapSize(recipients));
        for (const at of [...paid, ...held]) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
        const isMade = (number: number) => ((made >> number) & 1) === 1;
        const pages = [0, 1, 2].map((number) => (isMade(number) ? pageOf(bits, number) : undefined));
        const of = {
          recipients,
          bitmapPages: made,
          heldCount: held.length,
          held: [...held, ...new Array(32 - held.length).fill(0)],
        };
        const bitmap = bitmapOf(of, pages) as Uint8Array;
        for (const at of [...paid, ...held]) {
          expect(isBitSet(bitmap, at)).toBe(held.includes(at) || isMade(Math.floor(at / BITMAP_PAGE_BITS)));
        }
      },
    ),
  );
  const hidden = { recipients, bitmapPages: 0b10, heldCount: 0, held: new Array(32).fill(0) };
  expect(bitmapOf(hidden, [undefined, undefined, undefined])).toBeUndefined();
});
