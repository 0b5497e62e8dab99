import type { OwnToken, StandingOrder } from '@payouts/client';
import { withName } from './amounts.ts';
import { durationText } from './duration.ts';

const MINUTE = 60;

/** A standing order in words. */
export function orderLines({ threshold, wallet, part, delayMinutes }: StandingOrder, token: OwnToken): string[] {
  const what = part === null ? 'everything goes out' : `${withName(part, token)} go out at a time`;
  const { least, most } = delayMinutes;
  const when = most === 0 ? '' : [`  released ${rangeText(least * MINUTE, most * MINUTE)} later, drawn by lot`];
  return [`From ${withName(threshold, token)} on, ${what}`, ...when, `  to ${wallet}`];
}

const rangeText = (least: number, most: number): string =>
  least === most ? durationText(most) : `${least === 0 ? '0' : durationText(least)} to ${durationText(most)}`;
