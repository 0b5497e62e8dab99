import { manualTime } from '@payouts/testing/manualTime';
import { describe, expect, it } from 'vitest';
import { LocalLedger, SLOT_MILLISECONDS } from '../src/baseLedger/ledger.ts';
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
