import { nextTurn } from '@payouts/client/browser';

/** What an employer calls a recipient. A field that nobody filled is an empty text. */
export type Person = { readonly name: string; readonly label: string; readonly note: string };
/** Persons by address, as their employer knows them. */
export type People = ReadonlyMap<string, Person>;

export const FIELDS = ['name', 'label', 'note'] as const satisfies readonly (keyof Person)[];
export const NOBODY: People = new Map();
const NOTHING_KNOWN: Person = { name: '', label: '', note: '' };

/** Characters that a field may have; the rest of a longer one is cut off. */
const LONGEST = 200;
/** Rows that are brought together before others have their turn: some milliseconds. */
const ROWS_A_TURN = 2_000;

/** A person as they are kept: on one line, without space around it. */
export const personOf = ({ name = '', label = '', note = '' }: Partial<Person>): Person => ({
  name: lineOf(name),
  label: lineOf(label),
  note: lineOf(note),
});

function lineOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= LONGEST ? line : [...line].slice(0, LONGEST).join('').trim();
}

const isEmpty = (person: Person): boolean => FIELDS.every((field) => person[field] === '');

/** The same people with this one changed; a person of whom nothing is known any more is left out. */
export function withPerson(people: People, address: string, fields: Partial<Person>): People {
  const changed = new Map(people);
  const person = personOf(fields);
  if (isEmpty(person)) changed.delete(address);
  else changed.set(address, person);
  return changed;
}

/** A field of which a file says something else than what is kept: whoever reads the file decides. */
export type NameQuestion = {
  readonly address: string;
  readonly field: keyof Person;
  readonly kept: string;
  readonly read: string;
};

/** What a file of names brings: what is new is in `people`, what contradicts is asked about. */
export type Merge = {
  readonly people: People;
  /** Addresses of which nothing was known before. */
  readonly added: number;
  /** Addresses of which more is known now. */
  readonly completed: number;
  readonly questions: readonly NameQuestion[];
};

/**
 * Brings together what is kept and what was read. Nothing that is kept is lost or changed: that takes an answer to a question. A page
 * goes on meanwhile.
 */
export async function mergePeople(kept: People, read: Iterable<readonly [string, Partial<Person>]>): Promise<Merge> {
  const people = new Map(kept);
  const added = new Set<string>();
  const completed = new Set<string>();
  const questions = new Map<string, NameQuestion>();
  let rows = 0;
  for (const [address, fields] of read) {
    rows += 1;
    if (rows % ROWS_A_TURN === 0) await nextTurn();
    const person = personOf(fields);
    if (isEmpty(person)) continue;
    const before = people.get(address) ?? NOTHING_KNOWN;
    if (!people.has(address)) added.add(address);
    const after = { ...before };
    for (const field of FIELDS) {
      if (person[field] === '' || person[field] === before[field]) continue;
      if (before[field] === '') after[field] = person[field];
      else questions.set(`${address} ${field}`, { address, field, kept: before[field], read: person[field] });
    }
    if (!added.has(address) && FIELDS.some((field) => after[field] !== before[field])) completed.add(address);
    people.set(address, after);
  }
  return { people, added: added.size, completed: completed.size, questions: [...questions.values()] };
}

/** The same people, with what the file says for these questions. */
export function takeFromFile(people: People, taken: Iterable<NameQuestion>): People {
  const changed = new Map(people);
  for (const { address, field, read } of taken) {
    changed.set(address, { ...(changed.get(address) ?? NOTHING_KNOWN), [field]: read });
  }
  return changed;
}
