import { digits } from '../report/format.ts';
import type { Details, Reported } from '../runner/measure.ts';
import { costsOf, type Line, limitsOf, needsOf } from './model.ts';
import { type Facts, type Known, MILLION, missingOf } from './scenario.ts';

/** The measures' numbers together. */
export const factsOf = (reported: readonly Reported[]): Facts =>
  Object.assign({}, ...reported.map(({ result }) => result.facts ?? {}));

/** The model as tables, reckoned from what was measured; none if something is missing. */
export function modelOf(reported: readonly Reported[]): Details[] {
  const facts = factsOf(reported);
  if (missingOf(facts).length > 0) return [];
  const known = facts as Known;
  const shown = ({ what, figure, unit, from }: Line) => ({
    what,
    figure: `${digits(figure)} ${unit}`.trim(),
    measure: from,
  });
  const { recipients, schedules, hours } = MILLION;
  const name = `${recipients.toLocaleString('en')} recipients in ${schedules.toLocaleString('en')} schedules`;
  return [
    { title: 'What is full first', rows: limitsOf(known).map(shown) },
    {
      title: `${name}, a payday within ${hours === 1 ? 'an hour' : `${hours} hours`}`,
      rows: needsOf(known, MILLION).map(shown),
    },
    { title: 'What it costs', rows: costsOf(known, MILLION).map(shown) },
  ];
}
