import type { Overview } from '../../api/types.ts';
import { countText } from '../../format/amount.ts';
import { durationText } from '../../format/time.ts';

/** The answer to "is everybody being paid?", and what it rests on. */
export type Headline = {
  readonly kind: 'good' | 'warn' | 'bad' | 'idle';
  readonly sentence: string;
  readonly because: readonly string[];
};

/** A shortfall within these milliseconds stands in the first sentence. */
const SOON_MS = 14 * 86_400_000;

export function headlineOf({ ledgerNow, schedules, runs, overdue, nextDue, funding }: Overview): Headline {
  const { queued = 0, running = 0, waiting = 0, held = 0, exhausted = 0, failed = 0 } = runs;
  const now = ledgerNow * 1_000;
  const stopped = exhausted + failed;
  const underWay = queued + running + waiting;
  const next = nextDue[0];
  const goesOn = [
    underWay > 0 ? `${countText(underWay, 'window')} ${isAre(underWay)} being paid now.` : '',
    next === undefined ? '' : nextText(next.dueAt * 1_000 - now),
  ];
  if (schedules.registered === 0) {
    return {
      kind: 'idle',
      sentence: 'No payroll yet.',
      because: ['No schedule is registered with this coordinator.'],
    };
  }
  const troubles = [
    stopped > 0
      ? `${countText(stopped, 'window')} ${stopped === 1 ? 'has' : 'have'} stopped and need${s(stopped)} an operator.`
      : '',
    held > 0 ? `${countText(held, 'window')} ${isAre(held)} on hold: needs a fix.` : '',
    overdue > 0 ? `${countText(overdue, 'window')} ${isAre(overdue)} overdue.` : '',
    schedules.listMissing > 0
      ? `${countText(schedules.listMissing, 'schedule')} lack${s(schedules.listMissing)} a registered list.`
      : '',
  ].filter((text) => text !== '');
  if (troubles.length > 0) {
    const kind = stopped > 0 ? 'bad' : 'warn';
    return {
      kind,
      sentence: 'Not everybody is being paid.',
      because: [...troubles, ...goesOn].filter((text) => text !== ''),
    };
  }
  const short = funding.filter(({ shortfall }) => shortfall !== null && shortfall.dueAt * 1_000 - now < SOON_MS);
  const first = short[0]?.shortfall;
  if (first !== undefined && first !== null) {
    const when = Math.max(0, first.dueAt * 1_000 - now);
    const because = `${countText(short.length, 'schedule')} run${s(short.length)} out of money, the first ${when < 1_000 ? 'now' : `in ${durationText(when)}`}.`;
    return {
      kind: 'warn',
      sentence: 'Everybody is being paid, but money runs short.',
      because: [because, ...goesOn].filter((text) => text !== ''),
    };
  }
  return { kind: 'good', sentence: 'Everybody is being paid.', because: goesOn.filter((text) => text !== '') };
}

const nextText = (away: number): string =>
  away < 1_000 ? 'The next window is due now.' : `The next window is due in ${durationText(away)}.`;
const isAre = (count: number): string => (count === 1 ? 'is' : 'are');
const s = (count: number): string => (count === 1 ? 's' : '');
