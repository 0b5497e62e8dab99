import { manualTime } from '@payouts/testing/manualTime';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { LocalLedger, SLOT_MILLISECONDS } from '../src/baseLedger/ledger.ts';
import { manualLedger } from './manualLedger.ts';
import { temporaryDirectory } from './support.ts';

describe("a ledger's clock", () => {
  it('goes on by its time, also from where it is moved to', async () => {
    const time = manualTime();
    const ledger = new LocalLedger(temporaryDirectory(), [], time);
    expect(ledger.unixTimestamp).toBe(time.now() / 1_000);
    ledger.warpClock(2_000_000_000);
    await time.advance(3_600_000);
    expect(ledger.unixTimestamp).toBe(2_000_003_600);
    ledger.close();
  });

  it('and its slots go on while it is closed', async () => {
    const time = manualTime();
    const directory = temporaryDirectory();
    const before = new LocalLedger(directory, [], time);
    before.warpClock(2_000_000_000);
    const { slot } = before;
    before.close();
    await time.advance(10 * SLOT_MILLISECONDS);
    const after = new LocalLedger(directory, [], time);
    expect(after.slot).toBe(slot + 11);
    expect(after.unixTimestamp).toBe(2_000_000_004);
    after.close();
  });
});

it('takes a transaction until the last valid block height of its blockhash, and not after it', async () => {
  const { time, ledger, ask, send } = await manualLedger();
  const { address } = await generateKeyPairSigner();
  const { blockhash, lastValidBlockHeight } = (await ask('getLatestBlockhash')).value;
  await time.advance(150 * SLOT_MILLISECONDS);
  expect(await ask('getBlockHeight')).toBe(lastValidBlockHeight);
  await send(address, 5_000_000n, blockhash);
  expect((await ask('getBalance', address)).value).toBe(5_000_000);
  await time.advance(SLOT_MILLISECONDS);
  expect((await ask('isBlockhashValid', blockhash)).value).toBe(false);
  await expect(send(address, 5_000_000n, blockhash)).rejects.toThrow('Blockhash not found');
  ledger.close();
});
