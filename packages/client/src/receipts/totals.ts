import { type Schedule, SchedulePhase, type Vault } from '../generated/index.ts';
import { reservedWindows, type Violation, violationsOf } from '../rules/moneyRules.ts';

/** How a window ended, by the base ledger's history; amounts in base units. */
export type WindowTotals = {
  readonly window: bigint;
  readonly paidCount: number;
  readonly paidAmount: bigint;
  /** Of who was paid; undefined where the window was reclaimed from a lost execution layer. */
  readonly bitmapHash: Uint8Array | undefined;
};

/** A schedule with all its windows that are over, and its vault with all of its schedules that are not closed: read at one moment. */
export type ScheduleTotals = {
  readonly schedule: Schedule;
  readonly windows: readonly WindowTotals[];
  readonly vault: Vault;
  readonly siblings: readonly Schedule[];
};

const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, number) => total + number, 0n);
const isOpen = ({ phase }: Schedule): boolean => phase === SchedulePhase.Open;

/** Base units that a schedule's vault keeps for windows not yet opened. */
const reservedFor = (schedule: Schedule): bigint => schedule.amount * BigInt(reservedWindows(schedule));

/**
 * Checks that what a schedule's windows have paid adds up to the schedule's own total, and enters its vault's equation. All of it is public: no
 * list and no payment is needed.
 */
export function checkTotals({ schedule, windows, vault, siblings }: ScheduleTotals): Violation[] {
  const byWindows = sum(windows.map(({ paidAmount }) => paidAmount));
  const bySchedules = sum(siblings.map(({ paidTotal }) => paidTotal));
  const reservedBySchedules = sum(siblings.map(reservedFor));
  const openBySchedules = sum(siblings.filter(isOpen).map(({ windowAmount }) => windowAmount));
  const numbers = new Set(windows.map(({ window }) => window));
  const { window: next, paidTotal } = schedule;
  const last = windows.find(({ window }) => window === next - 1n);
  const isLast =
    last?.bitmapHash === undefined ||
    (last.paidAmount === schedule.lastPaidAmount &&
      last.paidCount === schedule.lastPaidCount &&
      last.bitmapHash.every((byte, place) => byte === schedule.lastBitmapHash[place]));
  const { paid, reserved, open } = vault;
  return violationsOf([
    {
      rule: 'every-window-is-there-once',
      holds:
        BigInt(numbers.size) === next && windows.length === numbers.size && [...numbers].every((one) => one < next),
      sentence: `${next} windows are over, but ${windows.length} endings are known.`,
      numbers: { windows: BigInt(windows.length), next },
    },
    {
      rule: 'schedule-paid-by-its-windows',
      holds: byWindows === paidTotal,
      sentence: `The windows have paid ${byWindows}, but the schedule's total is ${paidTotal}.`,
      numbers: { byWindows, paidTotal },
    },
    {
      rule: 'last-window-as-the-schedule-has-it',
      holds: isLast,
      sentence: `The last window has paid ${last?.paidAmount}, but the schedule says ${schedule.lastPaidAmount}, or has another bitmap.`,
      numbers: { paidAmount: last?.paidAmount ?? 0n, lastPaidAmount: schedule.lastPaidAmount },
    },
    {
      rule: 'vault-has-all-its-schedules',
      holds: siblings.length === vault.schedules,
      sentence: `The vault has ${vault.schedules} schedules, but ${siblings.length} were read.`,
      numbers: { schedules: BigInt(vault.schedules), siblings: BigInt(siblings.length) },
    },
    {
      // Closed schedules have paid the rest.
      rule: 'schedules-paid-within-the-vault',
      holds: paidTotal <= bySchedules && bySchedules <= paid,
      sentence: `The vault's schedules have paid ${bySchedules}, but the vault ${paid}.`,
      numbers: { bySchedules, paid },
    },
    {
      rule: 'vault-reserved-for-its-schedules',
      holds: reservedBySchedules === reserved,
      sentence: `The vault's schedules need ${reservedBySchedules}, but ${reserved} are reserved.`,
      numbers: { reservedBySchedules, reserved },
    },
    {
      rule: 'vault-open-by-its-schedules',
      holds: openBySchedules === open,
      sentence: `The schedules' open windows are ${openBySchedules}, but the vault says ${open}.`,
      numbers: { openBySchedules, open },
    },
  ]);
}
