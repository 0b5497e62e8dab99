import { type Coverage, coverageText, type TokenName } from '../domain/forecast.ts';
import type { ScheduleRow } from './queries/schedules.ts';

/** The forecast of a schedule that draws on a vault. */
export type Forecast = Coverage & {
  /** Such as "covers 3 more windows; short of 120.50 USDC on 2 December". */
  readonly sentence: string;
};

/** The last forecast; undefined if nothing was, or the schedule draws on no vault any more. `now` in unix seconds. */
export function forecastOf(schedule: ScheduleRow, token: TokenName, now: bigint): Forecast | undefined {
  const { covered_windows, short_amount, short_at, status } = schedule;
  if (covered_windows === null || status === 'cancelled' || status === 'completed') return undefined;
  const short =
    short_amount === null || short_at === null ? null : { amount: BigInt(short_amount), at: BigInt(short_at) };
  const coverage = { windows: covered_windows, short };
  return { ...coverage, sentence: coverageText(coverage, token, now) };
}
