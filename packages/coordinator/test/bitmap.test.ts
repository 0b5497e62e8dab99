import {
  type Batch,
  BatchPhase,
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  bitmapSize,
  getBatchEncoder,
  getBitmapPageEncoder,
  getOpenBitmapInstructionDataDecoder,
  isBitSet,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  systemTime,
} from '@payouts/client';
import { BLANK_BATCH } from '@payouts/testing/blankAccounts';
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { describe, expect, it } from 'vitest';
import type { ExecutionLayer, LedgerAccount } from '../src/ledger/ledger.ts';
import { bitmapPagesOf, readBitmap, type WindowAddresses } from '../src/ledger/probe.ts';
import { makeBitmap } from '../src/runs/bitmap.ts';
import type { StageContext } from '../src/runs/context.ts';
import { setBit } from './support/bits.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { randomAddress } from './support/promised.ts';

/** Two pages and one recipient in a third. */
const RECIPIENTS = 2 * BITMAP_PAGE_BITS + 1;
const ALL = 0b111;
/** Held back: in the first page, and in the second. */
const HELD = [3, BITMAP_PAGE_BITS + 5] as const;

const at: WindowAddresses = { schedule: randomAddress(), batch: randomAddress(), window: 7n, program };
const bitmapNonce = 7;
const addresses = bitmapAddresses({ ...at, bitmapNonce }, RECIPIENTS, program);
const batchOf = (bitmapPages: number): Batch => ({
  ...{ ...BLANK_BATCH, recipients: RECIPIENTS, bitmapPages, bitmapNonce, heldCount: HELD.length },
  held: [...HELD, ...new Array<number>(30).fill(0)],
});

/** A page in which a recipient is paid, by their index in the list. */
function pageWith(number: number, paid: number, owner: Address = program): LedgerAccount {
  const first = number * BITMAP_PAGE_BITS;
  const bitmap = new Uint8Array(bitmapSize(Math.min(BITMAP_PAGE_BITS, RECIPIENTS - first)));
  for (const index of [paid, ...HELD]) {
    if (index >= first && index < first + BITMAP_PAGE_BITS) setBit(bitmap, index - first);
  }
  const { schedule, window } = at;
  const data = Uint8Array.from(getBitmapPageEncoder().encode({ bump: 0, number, schedule, window, bitmap }));
  return { address: addresses[number] as Address, owner, lamports: 1n, data };
}

describe('the bitmap of an open window', () => {
  const all = [pageWith(0, 10), pageWith(1, BITMAP_PAGE_BITS + 11), pageWith(2, 2 * BITMAP_PAGE_BITS)];
  const read = (pages: readonly LedgerAccount[], made = ALL) =>
    readBitmap(
      layerShowing(() => pages),
      at,
      batchOf(made),
    );
  const setIn = (bitmap: Uint8Array | undefined) =>
    Array.from({ length: RECIPIENTS }, (_, index) => index).filter((index) => bitmap && isBitSet(bitmap, index));

  it('is put together from all its pages', async () => {
    const expected = [...HELD, 10, BITMAP_PAGE_BITS + 11, 2 * BITMAP_PAGE_BITS].sort((one, other) => one - other);
    expect(setIn(await read(all))).toEqual(expected);
  });

  it('holds nobody but those held back before its pages are made, and asks for none', async () => {
    expect(bitmapPagesOf(at, batchOf(0))).toEqual([]);
    expect(setIn(await read([], 0))).toEqual([...HELD]);
    expect(bitmapPagesOf(at, batchOf(0b100))).toEqual([addresses[2]]);
    expect(setIn(await read(all, 0b100))).toEqual([...HELD, 2 * BITMAP_PAGE_BITS]);
  });

  it('is unknown while a page that was made is not shown, or is another account', async () => {
    for (const missing of [0, 1, 2]) {
      expect(await read(all.filter((_, number) => number !== missing))).toBeUndefined();
      const foreign = pageWith(missing, 0, randomAddress());
      expect(await read(all.with(missing, foreign))).toBeUndefined();
      const { data, ...page } = pageWith(missing, 0);
      expect(await read(all.with(missing, { ...page, data: data.with(0, 5) }))).toBeUndefined();
    }
  });
});

describe('the making of a bitmap', () => {
  const kept = (batch: Batch): LedgerAccount => {
    const data = Uint8Array.from(getBatchEncoder().encode({ ...batch, window: at.window, phase: BatchPhase.Open }));
    return { address: at.batch, owner: program, lamports: 1n, data };
  };

  /** A layer that executes everything with this end, and shows the batch as whoever was first has left it. */
  async function layerWith(err: unknown) {
    const sent: Base64EncodedWireTransaction[] = [];
    const layer: Partial<ExecutionLayer> = {
      lifetime: async () => ({ blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n }),
      send: async (wire) => {
        sent.push(wire);
        return { kind: 'taken' };
      },
      statuses: async () => [{ err, commitment: 'finalized' }],
      accounts: async () => ({ slot: 1n, accounts: [kept(batchOf(ALL))] }),
    };
    const { signal } = new AbortController();
    const authority = await generateKeyPairSigner();
    const newBitmapNonce = () => 9;
    const context = { authority, config: randomAddress(), layer, program, time: systemTime, signal, newBitmapNonce };
    return { sent, context: context as unknown as StageContext };
  }

  /** The numbers of the pages that a transaction makes, with their addresses. */
  function madeBy(wire: Base64EncodedWireTransaction) {
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (message.version !== 'legacy') throw new Error('not a legacy transaction');
    const { accountIndices = [], data = new Uint8Array() } = message.instructions[1] ?? {};
    const pages = accountIndices.slice(5).map((index) => message.staticAccounts[index] as Address);
    const { nonce, seeds } = getOpenBitmapInstructionDataDecoder().decode(data);
    return { nonce, pages: new Map(seeds.map(({ number }, place) => [number[0] as number, pages[place] as Address])) };
  }

  it('is one transaction that makes every page, where one is missing', async () => {
    for (const made of [0, 0b101]) {
      const { sent, context } = await layerWith(null);
      expect(await makeBitmap(context, at, batchOf(made))).toMatchObject({ bitmapPages: ALL, bitmapNonce });
      expect(sent).toHaveLength(1);
      const { nonce, pages } = madeBy(sent[0] as Base64EncodedWireTransaction);
      // The first page's is drawn, where nobody can send lamports ahead; the batch keeps it for the others.
      expect(nonce).toBe(made === 0 ? 9 : bitmapNonce);
      expect([...pages]).toEqual([...bitmapAddresses({ ...at, bitmapNonce: nonce }, RECIPIENTS, program).entries()]);
    }
  });

  it('sends nothing when all are there', async () => {
    const { sent, context } = await layerWith(null);
    const batch = batchOf(ALL);
    expect(await makeBitmap(context, at, batch)).toBe(batch);
    expect(sent).toEqual([]);
  });

  it('fails with the program’s own word where the layer refuses it', async () => {
    const { context } = await layerWith({ InstructionError: [1, { Custom: 6000 }] });
    await expect(makeBitmap(context, at, batchOf(0))).rejects.toMatchObject({
      name: 'RunError',
      message: expect.stringContaining("making of a window's bitmap"),
    });
  });
});
