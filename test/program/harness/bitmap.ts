import { bytesOf, u32, u64 } from '@payouts/testing/litesvm/addresses';
import { bitmapAddress } from '@payouts/testing/litesvm/creations';
import { type BitmapPage, bitmapPageOf, type Schedule } from '@payouts/testing/litesvm/handles';
import { isOffCurveAddress } from '@solana/kit';

/** A page of a window's bitmap at the next address that follows from the same seeds, by a lower bump than usual. */
export function anotherBump(schedule: Pick<Schedule, 'address'>, window: bigint, number: number): BitmapPage {
  for (let { bump, nonce } = bitmapPageOf(schedule, window, number); ; ) {
    bump -= 1;
    const of = { schedule: bytesOf(schedule.address), window: u64(window), nonce: u32(nonce) };
    const address = bitmapAddress(of, { number: u32(number), bump });
    if (isOffCurveAddress(address)) return { number, nonce, bump, address };
  }
}
