import { type Coverage, coverageText, type TokenName } from '../domain/forecast.ts';
import type { ScheduleRow } from './queries/schedules.ts';

/** The forecast of a schedule that draws on a vault. */
export type Forecast = Pick<Coverage, 'windows'> & {
  /** `isPromised`: whether the window was; if not, the schedule ends before it unless it is funded for more. */
  readonly short: (NonNullable<Coverage['short']> & { readonly isPromised: boolean }) | null;
  /** Base units that are reserved for the schedule. */
  readonly reserved: bigint;
  /** Such as "covers 3 more windows; short of 120.50 USDC on 2 December". */
  readonly sentence: string;
};

/** The last forecast; undefined if nothing was, or the schedule draws on no vault any more. `now` in unix seconds. */
export function forecastOf(schedule: ScheduleRow, token: TokenName, now: bigint): Forecast | undefined {
  const { covered_windows, short_amount, short_at, status } = schedule;
  if (covered_windows === null || status === 'cancelled' || status === 'completed') return undefined;
  const promised = promisedWindows(schedule);
  const isPromised = covered_windows < promised;
  const short =
    short_amount === null || short_at === null
      ? null
      : { amount: BigInt(short_amount), at: BigInt(short_at), isPromised };
  const coverage = { windows: covered_windows, short };
  const reserved = BigInt(schedule.amount) * BigInt(reservedWindows(schedule));
  return { ...coverage, reserved, sentence: coverageText(coverage, token, now, promised) };
}

type Terms = Pick<ScheduleRow, 'executions_left' | 'phase' | 'kept' | 'kept_reserved'>;

/** Windows of a schedule that have not opened and that it has; without an end, those whose fees are prepaid. */
export const unopenedWindows = ({ executions_left, phase }: Terms): number =>
  Math.max(0, executions_left - (phase === 'open' ? 1 : 0));

/** Windows that are promised and have not opened; without an end, as many as are to be kept. */
const promisedWindows = (schedule: Terms): number => (schedule.kept === 0 ? unopenedWindows(schedule) : schedule.kept);

/** Of these, windows whose money is reserved: that of an open one has left the reserve. */
export const reservedWindows = (schedule: Terms): number =>
  schedule.kept === 0 ? unopenedWindows(schedule) : schedule.kept_reserved;
