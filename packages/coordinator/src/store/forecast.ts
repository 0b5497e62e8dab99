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
  const reserved = BigInt(schedule.amount) * BigInt(promised);
  return { ...coverage, reserved, sentence: coverageText(coverage, token, now, promised) };
}

/** Windows of a schedule that have not opened and whose money is reserved: that of an open one has left the reserve. */
export const promisedWindows = ({ executions_left, phase }: Pick<ScheduleRow, 'executions_left' | 'phase'>): number =>
  Math.max(0, executions_left - (phase === 'open' ? 1 : 0));
