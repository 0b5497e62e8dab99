import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkTotals, type Schedule, SchedulePhase, type ScheduleTotals, type Vault } from '../src/index.ts';

const amount = fc.bigInt({ min: 0n, max: 2n ** 40n });

/** A vault's schedules as the program keeps them: the first is the one that is asked about. */
const totals = fc
  .record({
    windows: fc.array(fc.record({ paidAmount: amount, paidCount: fc.nat(1_000), fill: fc.nat(255) }), { maxLength: 8 }),
    others: fc.array(
      fc.record({
        ...{ paidTotal: amount, amount, left: fc.nat(9), isOpen: fc.boolean(), windowAmount: amount },
        // Without an end it keeps three windows.
        keptReserved: fc.option(fc.nat(3)),
      }),
      { maxLength: 4 },
    ),
    amount,
    left: fc.integer({ min: 1, max: 9 }),
    isOpen: fc.boolean(),
    paidByClosed: amount,
  })
  .map((drawn): ScheduleTotals => {
    const schedule = (paidTotal: bigint, each: bigint, left: number, isOpen: boolean, windowAmount: bigint) => ({
      paidTotal,
      amount: each,
      executionsLeft: left,
      phase: isOpen ? SchedulePhase.Open : SchedulePhase.Idle,
      kept: 0,
      windowAmount: isOpen ? windowAmount : 0n,
    });
    const windows = drawn.windows.map(({ fill, ...window }, place) => ({
      window: BigInt(place),
      bitmapHash: new Uint8Array(32).fill(fill),
      ...window,
    }));
    const last = windows.at(-1);
    const paidTotal = windows.reduce((sum, { paidAmount }) => sum + paidAmount, 0n);
    const asked = {
      ...schedule(paidTotal, drawn.amount, drawn.left, drawn.isOpen, drawn.amount),
      window: BigInt(windows.length),
      lastPaidAmount: last?.paidAmount ?? 0n,
      lastPaidCount: last?.paidCount ?? 0,
      lastBitmapHash: last?.bitmapHash ?? new Uint8Array(32),
    } as unknown as Schedule;
    const others = drawn.others.map(({ keptReserved, ...one }) => {
      const ends = schedule(one.paidTotal, one.amount, one.left + 1, one.isOpen, one.windowAmount);
      return { ...ends, ...(keptReserved !== null && { kept: 3, keptReserved }) } as unknown as Schedule;
    });
    const siblings = [asked, ...others];
    const sum = (of: (one: Schedule) => bigint) => siblings.reduce((all, one) => all + of(one), 0n);
    const isOpen = (one: Schedule) => one.phase === SchedulePhase.Open;
    const vault = {
      schedules: siblings.length,
      paid: sum((one) => one.paidTotal) + drawn.paidByClosed,
      open: sum((one) => one.windowAmount),
      reserved: sum(
        (one) => one.amount * BigInt(one.kept > 0 ? one.keptReserved : one.executionsLeft - (isOpen(one) ? 1 : 0)),
      ),
    } as Vault;
    return { schedule: asked, windows, vault, siblings };
  });

const rules = (of: ScheduleTotals) => checkTotals(of).map(({ rule }) => rule);

it('what adds up has no violation', () => {
  fc.assert(
    fc.property(totals, (of) => {
      expect(rules(of)).toEqual([]);
    }),
  );
});

it('whatever is changed by a base unit, left out or told twice is found', () => {
  fc.assert(
    fc.property(totals, fc.nat(), (of, draw) => {
      const { windows, vault, siblings, schedule } = of;
      expect(rules({ ...of, vault: { ...vault, reserved: vault.reserved + 1n } })).toEqual([
        'vault-reserved-for-its-schedules',
      ]);
      expect(rules({ ...of, vault: { ...vault, open: vault.open + 1n } })).toEqual(['vault-open-by-its-schedules']);
      expect(rules({ ...of, vault: { ...vault, paid: -1n } })).toEqual(['schedules-paid-within-the-vault']);
      expect(rules({ ...of, siblings: siblings.slice(1) })).toContain('vault-has-all-its-schedules');
      expect(rules({ ...of, schedule: { ...schedule, paidTotal: schedule.paidTotal + 1n } })).toContain(
        'schedule-paid-by-its-windows',
      );
      const at = windows[draw % Math.max(1, windows.length)];
      if (at === undefined) return;
      const without = windows.filter((window) => window !== at);
      expect(rules({ ...of, windows: without })).toContain('every-window-is-there-once');
      expect(rules({ ...of, windows: [...without, at, at] })).toContain('every-window-is-there-once');
      const last = windows.at(-1) as (typeof windows)[number];
      const other = { ...last, bitmapHash: new Uint8Array(32).fill(1 + (last.bitmapHash?.[0] ?? 0)) };
      expect(rules({ ...of, windows: [...windows.slice(0, -1), other] })).toEqual([
        'last-window-as-the-schedule-has-it',
      ]);
    }),
  );
});
