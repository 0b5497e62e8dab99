import { countText } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import type { Overview } from '../../api/types.ts';

/** The answer to "is everybody being paid?", and what it rests on. */
export type Headline = {
  readonly kind: 'good' | 'warn' | 'bad' | 'idle';
  readonly sentence: string;
  readonly because: readonly string[];
};

/** A shortfall within these milliseconds stands in the first sentence. */
const SOON_MS = 14 * 86_400_000;

export function headlineOf(overview: Overview): Headline {
  const { ledgerNow: now, schedules, runs, overdue, nextDue, funding } = overview;
  const { queued = 0, running = 0, waiting = 0, held = 0, exhausted = 0, failed = 0 } = runs;
  const stopped = exhausted + failed;
  const underWay = queued + running + waiting;
  const next = nextDue[0];
  const goesOn = [
    ...said(underWay, `${countText(underWay, 'window')} ${isAre(underWay)} being paid now.`),
    ...(next === undefined ? [] : [nextText(next.dueAt - now)]),
  ];
  if (schedules.registered === 0) {
    const because = ['No schedule is registered with this coordinator.'];
    return { kind: 'idle', sentence: 'No payroll yet.', because };
  }
  const { listMissing } = schedules;
  const late = overview.windowsLate;
  const stuck = overview.withdrawalsStuck ?? 0;
  const has = stopped === 1 ? 'has' : 'have';
  const troubles = [
    ...said(stopped, `${countText(stopped, 'window')} ${has} stopped and need${s(stopped)} an operator.`),
    ...said(held, `${countText(held, 'window')} ${isAre(held)} on hold: needs a fix.`),
    ...said(overdue, `${countText(overdue, 'window')} ${isAre(overdue)} overdue.`),
    ...said(late, `${countText(late, 'window')} ${isAre(late)} late.`),
    ...said(stuck, `Withdrawals of ${countText(stuck, 'token')} are stuck.`),
    ...said(listMissing, `${countText(listMissing, 'schedule')} lack${s(listMissing)} a registered list.`),
  ];
  if (troubles.length > 0) {
    const kind = stopped > 0 ? 'bad' : 'warn';
    return { kind, sentence: 'Not everybody is being paid.', because: [...troubles, ...goesOn] };
  }
  const short = funding.filter(({ shortfall }) => shortfall?.isPromised === true && shortfall.dueAt - now < SOON_MS);
  const first = short[0]?.shortfall;
  if (first !== undefined && first !== null) {
    const away = Math.max(0, first.dueAt - now);
    const when = away < 1_000 ? 'now' : `in ${durationText(away)}`;
    const because = `${countText(short.length, 'schedule')} run${s(short.length)} out of money, the first ${when}.`;
    return {
      kind: 'warn',
      sentence: 'Everybody is being paid, but money runs short.',
      because: [because, ...goesOn],
    };
  }
  return { kind: 'good', sentence: 'Everybody is being paid.', because: goesOn };
}

/** What is said where there are any. */
const said = (count: number, sentence: string): string[] => (count > 0 ? [sentence] : []);

const nextText = (away: number): string =>
  away < 1_000 ? 'The next window is due now.' : `The next window is due in ${durationText(away)}.`;
const isAre = (count: number): string => (count === 1 ? 'is' : 'are');
const s = (count: number): string => (count === 1 ? 's' : '');
