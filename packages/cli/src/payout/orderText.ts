import { type OwnToken, type StandingOrder, standingParts } from '@payouts/client';
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

/** What of a token stands ready for rounds, in words; nothing: none. */
export const standingLines = (token: OwnToken): string[] =>
  standingParts(token).map(
    ({ size, count }) =>
      `${count === 1 ? 'One part' : `${count} parts`} of ${withName(size, token)} stand${count === 1 ? 's' : ''} ready for your next pay`,
  );

const rangeText = (least: number, most: number): string =>
  least === most ? durationText(most) : `${least === 0 ? '0' : durationText(least)} to ${durationText(most)}`;
