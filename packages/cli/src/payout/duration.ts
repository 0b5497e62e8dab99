import { secondsIn } from '@payouts/employer';
import { InvalidArgumentError } from 'commander';
import { WrongUsage } from './failure.ts';

export { durationText } from '@payouts/employer';

const MINUTE = 60;
const MOST_MINUTES = 65_535;

/** Seconds of a duration such as 30s, 10m, 2h, 1d or 2w. Throws `WrongUsage` naming the option. */
export function durationOf(text: string, option: string): number {
  const seconds = secondsIn(text);
  if (seconds === undefined || seconds === 0) {
    throw new WrongUsage(`${option} takes a duration such as 30s, 10m, 2h or 1d.`);
  }
  return seconds;
}

/** What `--within` takes: seconds. Throws commander's `InvalidArgumentError`. */
export function withinOption(text: string): number {
  const seconds = secondsIn(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError('It is no duration such as 12h, 3d or 2w.');
}

/** What `--delay` takes, such as 2h..3d: minutes. Throws commander's `InvalidArgumentError`. */
export function delayOption(text: string): { readonly least: number; readonly most: number } {
  const [from = '', to = from, ...more] = text.split('..');
  const [least, most] = [from, to].map((part) => Math.ceil((secondsIn(part) ?? Number.NaN) / MINUTE));
  if (least === undefined || most === undefined || more.length > 0 || !(least <= most) || most > MOST_MINUTES) {
    throw new InvalidArgumentError('It is no range such as 2h..3d; 45 days are the most.');
  }
  return { least, most };
}
