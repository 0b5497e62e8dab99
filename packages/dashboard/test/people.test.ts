import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FIELDS, mergePeople, type People, personOf, takeFromFile, withPerson } from '../src/book/people.ts';

const text = fc.oneof(fc.constant(''), fc.constantFrom('Ada', ' Ada ', 'Ada\n Example'), fc.string({ maxLength: 250 }));
const person = fc.record({ name: text, label: text, note: text }, { requiredKeys: [] });
const address = fc.constantFrom('A', 'B', 'C', 'D');
const read = fc.array(fc.tuple(address, person), { maxLength: 8 });
const kept = fc
  .array(fc.tuple(address, person), { maxLength: 6 })
  .map((rows): People => rows.reduce((all: People, [key, fields]) => withPerson(all, key, fields), new Map()));

it('loses and changes nothing that is known, whatever a file says', async () => {
  await fc.assert(
    fc.asyncProperty(kept, read, async (before, rows) => {
      const { people } = await mergePeople(before, rows);
      for (const [key, known] of before) {
        for (const field of FIELDS) if (known[field] !== '') expect(people.get(key)?.[field]).toBe(known[field]);
      }
    }),
  );
});

it('takes all that is new, and asks about all else that a file says', async () => {
  await fc.assert(
    fc.asyncProperty(kept, read, async (before, rows) => {
      const { people, questions } = await mergePeople(before, rows);
      for (const [key, fields] of rows) {
        const said = personOf(fields);
        for (const field of FIELDS.filter((each) => said[each] !== '')) {
          const isTaken = people.get(key)?.[field] === said[field];
          // Of a file that contradicts itself, its last word is asked about.
          const isAsked = questions.some((asked) => asked.address === key && asked.field === field);
          expect(isTaken || isAsked).toBe(true);
        }
      }
    }),
  );
});

it('asks nothing twice: what was taken from a file is known then', async () => {
  await fc.assert(
    fc.asyncProperty(
      kept,
      fc.uniqueArray(fc.tuple(address, person), { selector: ([key]) => key }),
      async (before, rows) => {
        const { people, questions } = await mergePeople(before, rows);
        const after = takeFromFile(people, questions);
        expect(await mergePeople(after, rows)).toEqual({ people: after, added: 0, completed: 0, questions: [] });
      },
    ),
  );
});

it('keeps fields short and on one line, and forgets a person of whom nothing is left', async () => {
  expect(personOf({ name: '  Ada \n Example ', note: '😀'.repeat(300) })).toEqual({
    name: 'Ada Example',
    label: '',
    note: '😀'.repeat(200),
  });
  const people = withPerson(new Map(), 'A', { name: 'Ada' });
  expect(withPerson(people, 'A', { name: ' ' })).toEqual(new Map());
});

it('counts whom a file adds and whom it completes', async () => {
  const before = withPerson(new Map(), 'A', { name: 'Ada' });
  const { added, completed, questions } = await mergePeople(before, [
    ['A', { name: 'Ada', label: 'Sales' }],
    ['B', { name: 'Ben' }],
    ['C', { name: '' }],
    ['A', { name: 'Eve' }],
  ]);
  expect({ added, completed, questions }).toEqual({
    added: 1,
    completed: 1,
    questions: [{ address: 'A', field: 'name', kept: 'Ada', read: 'Eve' }],
  });
});
