import type { PayrollLine } from './line.ts';
import type { PayrollProblem } from './problems.ts';

/** How often the middle amount of a payroll an amount must hold, or be held in it, to be worth a look. */
const UNUSUAL = 20n;
/** Below so many lines nothing is usual. */
const LEAST_LINES = 5;

/** A line as it is looked at for doubts. */
export type DoubtedLine = PayrollLine & {
  /** The person's name in the file; empty: none. */
  readonly name: string;
};

/** What is not wrong in a payroll but worth a look, in order of lines. */
export function doubtsOf(lines: readonly DoubtedLine[]): PayrollProblem[] {
  const doubts = [...twice(lines), ...unusual(lines)];
  return doubts.sort((one, other) => (one.line as number) - (other.line as number));
}

function twice(lines: readonly DoubtedLine[]): PayrollProblem[] {
  const [recipients, names] = [new Map<string, number>(), new Map<string, number>()];
  const doubts: PayrollProblem[] = [];
  for (const { recipient, name, line } of lines) {
    const before = recipients.get(recipient);
    const person = name.trim().toLowerCase();
    const namesake = person === '' ? undefined : names.get(person);
    if (before !== undefined) {
      const message = `The recipient is in line ${before} already and would be paid both amounts.`;
      doubts.push({ code: 'recipient-twice', line, message });
    } else if (namesake !== undefined) {
      const message = `The name is in line ${namesake} already, with another address: is it the same person, paid twice?`;
      doubts.push({ code: 'name-twice', line, message });
    }
    if (before === undefined) recipients.set(recipient, line);
    if (namesake === undefined) names.set(person, line);
  }
  return doubts;
}

function unusual(lines: readonly DoubtedLine[]): PayrollProblem[] {
  if (lines.length < LEAST_LINES) return [];
  const amounts = lines.map(({ amount }) => amount).sort((one, other) => (one < other ? -1 : 1));
  const middle = amounts[Math.floor(amounts.length / 2)] as bigint;
  return lines.flatMap(({ amount, line }): PayrollProblem[] => {
    if (amount < middle * UNUSUAL && amount * UNUSUAL > middle) return [];
    const size = amount > middle ? 'larger' : 'smaller';
    const message = `The amount is ${UNUSUAL} times ${size} than the middle one, or more: is its decimal separator right?`;
    return [{ code: 'amount-unusual', line, message }];
  });
}
