import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { type MadeWindow, payslipOf, settledWindow } from '../../client/test/payslips.ts';
import { randomAddress, randomLeaves } from '../../client/test/support.ts';
import { ALL_WINDOWS, type Evidence, type StatementKind, type WindowEvidence } from '../src/index.ts';

/** What payrolls are made from: of each its token, and of each window its entries, which of them stay out, and how many are named. */
export type Shape = readonly {
  readonly token: number;
  readonly windows: readonly {
    readonly count: number;
    readonly held: number;
    readonly unpaid: number;
    readonly named: number;
  }[];
}[];

const window = fc.record({
  count: fc.integer({ min: 1, max: 6 }),
  held: fc.integer({ min: 0, max: 7 }),
  unpaid: fc.integer({ min: 0, max: 7 }),
  named: fc.integer({ min: 0, max: 6 }),
});

export const shapes: fc.Arbitrary<Shape> = fc.array(
  fc.record({ token: fc.integer({ min: 0, max: 1 }), windows: fc.array(window, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 3 },
);

const TOKENS = [randomAddress(), randomAddress()] as const;

/** Settled windows of these payrolls, and what an auditor is shown of them. */
export async function made(shape: Shape, kind: StatementKind): Promise<{ evidence: Evidence; windows: MadeWindow[] }> {
  const by = await generateKeyPairSigner();
  const windows: MadeWindow[] = [];
  const payrolls: Evidence['payrolls'][number][] = [];
  for (const { token, windows: own } of shape) {
    const [schedule, vault] = [randomAddress(), randomAddress()];
    const shown: WindowEvidence[] = [];
    for (const [number, { count, held, unpaid, named }] of own.entries()) {
      const place = { schedule, vault, mint: TOKENS[token] as (typeof TOKENS)[0], window: BigInt(number) };
      const out = { held: held < count ? [held] : [], unpaid: unpaid < count && unpaid !== held ? [unpaid] : [] };
      const one = await settledWindow(randomLeaves(count), { ...out, place, by });
      windows.push(one);
      const entries = one.leaves.slice(0, named).map(({ index }) => payslipOf(one, index));
      shown.push(
        kind === 'totals'
          ? { window: place.window, settled: one.settled, entries: [], reason: null }
          : { window: place.window, settled: null, entries, reason: null },
      );
    }
    payrolls.push({ schedule, ranges: [ALL_WINDOWS], named: [], windows: shown });
  }
  return { evidence: { kind, auditor: randomAddress(), madeAt: 1_796_025_604_902, payrolls }, windows };
}
