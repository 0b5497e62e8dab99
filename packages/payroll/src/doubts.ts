import { nextTurn } from '@payouts/client/browser';
import type { Address } from '@solana/kit';
import type { PayrollLine } from './line.ts';
import type { PayrollProblem } from './problems.ts';

/** How often the middle amount of a payroll an amount must hold, or be held in it, to be worth a look. */
const UNUSUAL = 20n;
/** Below so many lines nothing is usual. */
const LEAST_LINES = 5;

/** Lines that are looked at between two turns of others. */
const SLICE = 8_192;

/** What is not wrong in a payroll but worth a look; `parts`: its lines by their tokens; `names`: of each line, empty where it has none. */
export async function doubtsOf(
  parts: ReadonlyMap<Address | undefined, readonly PayrollLine[]>,
  lines: readonly PayrollLine[],
  names: readonly string[],
): Promise<PayrollProblem[]> {
  const doubts: PayrollProblem[] = [];
  // Whoever is paid in two tokens is in two lines.
  const seen = new Map([...parts].map(([token, part]) => [token, new Seen(part)]));
  for (const [at, { recipient, amount, line, token }] of lines.entries()) {
    const { recipients, people, isUnusual } = seen.get(token) as Seen;
    const person = (names[at] as string).trim().toLowerCase();
    const before = seenBefore(recipients, recipient, line);
    const namesake = person === '' ? undefined : seenBefore(people, person, line);
    if (before !== undefined) {
      const message = `The recipient is in line ${before} already and would be paid both amounts.`;
      doubts.push({ code: 'recipient-twice', line, message });
    } else if (namesake !== undefined) {
      const message = `The name is in line ${namesake} already, with another address: is it the same person, paid twice?`;
      doubts.push({ code: 'name-twice', line, message });
    }
    const size = isUnusual(amount);
    if (size !== undefined) {
      const message = `The amount is ${UNUSUAL} times ${size} than the middle one, or more: is its decimal separator right?`;
      doubts.push({ code: 'amount-unusual', line, message });
    }
    if ((at + 1) % SLICE === 0) await nextTurn();
  }
  return doubts;
}

/** What was in the lines of a token so far, and what is usual in all of them. */
class Seen {
  readonly recipients = new Map<string, number>();
  readonly people = new Map<string, number>();
  readonly isUnusual: ReturnType<typeof usualOf>;

  constructor(lines: readonly PayrollLine[]) {
    this.isUnusual = usualOf(lines);
  }
}

/** The line in which a text stood first, if not in this one. */
function seenBefore(lines: Map<string, number>, text: string, line: number): number | undefined {
  const before = lines.get(text);
  if (before === undefined) lines.set(text, line);
  return before;
}

/** Tells of an amount whether it is far from the one in the middle, and on which side. */
function usualOf(lines: readonly PayrollLine[]): (amount: bigint) => 'larger' | 'smaller' | undefined {
  if (lines.length < LEAST_LINES) return () => undefined;
  const amounts = BigUint64Array.from(lines, ({ amount }) => amount).sort();
  const middle = amounts[Math.floor(amounts.length / 2)] as bigint;
  const [least, most] = [middle / UNUSUAL, middle * UNUSUAL];
  return (amount) => (amount >= most ? 'larger' : amount <= least ? 'smaller' : undefined);
}
