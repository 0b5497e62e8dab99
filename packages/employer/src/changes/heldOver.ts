import type { Payee, Recipient, Schedule } from '@payouts/client';
import type { ListChanges } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { Failure } from '../failure.ts';
import { heldIndexes, MOST_HELD } from './hold.ts';

/** Who is held back in the list in force, once another list is in its place. Places are those of one list, so they are found again by address. */
export type HeldOver = {
  /** Whoever is in the next list, too: their addresses there. */
  readonly staying: readonly Address[];
  /** How many are not. */
  readonly leaving: number;
};

/** Nobody is held back, or nobody is to be any more. */
export const NOBODY_HELD: HeldOver = { staying: [], leaving: 0 };

/** Finds who is held back in the next list; `present`: the list in force. Undefined: somebody is held back, and that list is not at hand. */
export function heldOver(
  schedule: Pick<Schedule, 'held' | 'heldCount'>,
  present: readonly Pick<Recipient, 'recipient' | 'index'>[] | undefined,
  after: readonly Pick<Payee, 'recipient'>[],
  { moved }: Pick<ListChanges, 'moved'>,
): HeldOver | undefined {
  if (schedule.heldCount === 0) return NOBODY_HELD;
  if (present === undefined) return undefined;
  const indexes = heldIndexes(schedule);
  const movedTo = new Map(moved.map(({ from, recipient }) => [from, recipient]));
  const held = new Set(present.flatMap(({ recipient, index }) => (indexes.has(index) ? [recipient] : [])));
  const next = new Set(after.map(({ recipient }) => recipient));
  const staying = [...held].map((recipient) => movedTo.get(recipient) ?? recipient).filter((each) => next.has(each));
  return { staying, leaving: held.size - staying.length };
}

/** The places of people in a list, ascending. Throws `Failure` too-many-held. */
export function placesOf(
  people: HeldOver['staying'],
  recipients: readonly Pick<Recipient, 'recipient' | 'index'>[],
): readonly number[] {
  if (people.length === 0) return [];
  const wanted = new Set(people);
  const places = recipients.flatMap(({ recipient, index }) => (wanted.has(recipient) ? [index] : []));
  if (places.length > MOST_HELD) {
    throw new Failure(
      'too-many-held',
      `Who is held back has ${places.length} lines in the next list, and a schedule holds back ${MOST_HELD} at most. Leave some of them out.`,
    );
  }
  return places.sort((one, other) => one - other);
}

const peopleText = (count: number): string =>
  count === 1 ? '1 person who is held back' : `${count} people who are held back`;

/** What becomes of them, sentence by sentence. */
export function heldSentences({ staying: { length }, leaving }: HeldOver, now: number): string[] {
  if (length + leaving === 0)
    return now === 0 ? [] : ['Whoever is held back now is paid by the next list again, if they are in it.'];
  const stay = `${peopleText(length)} stay${length === 1 ? 's' : ''} so, until you release them.`;
  const leave = `${peopleText(leaving)} ${leaving === 1 ? 'is' : 'are'} not in the list.`;
  return [...(length > 0 ? [stay] : []), ...(leaving > 0 ? [leave] : [])];
}
