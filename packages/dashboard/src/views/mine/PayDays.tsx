import { zonedText } from '../../format/zoned.ts';

type Props = {
  /** Unix seconds. */
  readonly days: readonly bigint[];
  /** Whether there are no more. */
  readonly isAll: boolean;
};

/** The days on which a payroll will be paid, before anybody promises them: a rule in words hides what it makes of short months. */
export const PayDays = ({ days, isAll }: Props) => (
  <>
    <h3 id="pay-days">{isAll ? 'All pay days, in your time' : `The first ${days.length} pay days, in your time`}</h3>
    <ol class="days" aria-labelledby="pay-days">
      {days.map((day) => (
        <li key={String(day)}>{zonedText(Number(day) * 1_000)}</li>
      ))}
    </ol>
  </>
);
