import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import type { Schedule } from '../api/types.ts';

type Condition = Schedule['conditions'][number];

const WORDS: { readonly [Kind in Condition['kind']]: (window: string) => readonly [title: string, remedy: string] } = {
  'funding.low': (window) => [
    'The money of this schedule ends soon.',
    `Window ${window} is the first that it does not cover: deposit, then add windows to the schedule.`,
  ],
  'window.late': (window) => [
    `Window ${window} is late.`,
    'Its run below says why. Nothing is lost: it goes on by itself once the reason is gone.',
  ],
};

/** What lasts of a schedule and should not, and what to do. */
export const Conditions = ({ of }: { readonly of: Schedule['conditions'] }) => (
  <>
    {of.map(({ kind, window, since }) => {
      const [title, remedy] = WORDS[kind](window);
      return (
        <Notice key={kind} kind="warn" title={title}>
          {remedy} Since <Time at={since} />.
        </Notice>
      );
    })}
  </>
);
