/** Pay days in words. */
export type ShownDays = {
  readonly days: readonly string[];
  /** Whether there are no more. */
  readonly isAll: boolean;
  /** Whose time they are in; undefined: the reader's. */
  readonly zone?: string;
};

/** The days on which a payroll will be paid, before anybody promises them: a rule in words hides what it makes of short months. */
export function PayDays({ days, isAll, zone }: ShownDays) {
  const time = zone === undefined ? 'in your time' : `in ${zone} time`;
  return (
    <>
      <h3 id="pay-days">{isAll ? `All pay days, ${time}` : `The first ${days.length} pay days, ${time}`}</h3>
      <ol class="days" aria-labelledby="pay-days">
        {days.map((day) => (
          <li key={day}>{day}</li>
        ))}
      </ol>
    </>
  );
}
