import { describe, expect, test } from 'vitest';
import { grouped } from '../src/store/grouped.ts';
import type { Db } from '../src/store/schema.ts';
import { deferred } from './support/deferred.ts';

type Item = { readonly key: string; readonly shape?: string };

/** Calls as they were made, each answered when it is told to be. */
function asked() {
  const calls: { readonly keys: string[]; readonly database: Db; readonly end: ReturnType<typeof deferred<void>> }[] =
    [];
  const ask = grouped<Item, string>({
    keyOf: ({ key }) => key,
    shapeOf: ({ shape = '' }) => shape,
    async ask(database, items) {
      const end = deferred<void>();
      calls.push({ keys: items.map(({ key }) => key), database, end });
      await end.promise;
      return items.map(({ key }) => `answer to ${key}`);
    },
  });
  return { calls, ask };
}

const turns = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
};
const database = {} as Db;

describe('what many runs keep at about the same time', () => {
  test('is one call, and each gets its own answer', async () => {
    const { calls, ask } = asked();
    const answers = Promise.all(['a', 'b', 'c'].map((key) => ask(database, { key })));
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
    calls[0]?.end.resolve();
    expect(await answers).toEqual(['answer to a', 'answer to b', 'answer to c']);
  });

  test('waits for company while two calls are under way, and no longer', async () => {
    const { calls, ask } = asked();
    for (const key of ['a', 'b', 'c', 'd']) {
      void ask(database, { key });
      await turns();
    }
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    calls[1]?.end.resolve();
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  test('is never in one call with another of its key, of another kind or for another database', async () => {
    const { calls, ask } = asked();
    void ask(database, { key: 'a' });
    void ask(database, { key: 'a' });
    void ask(database, { key: 'b', shape: 'other' });
    void ask({} as Db, { key: 'c' });
    await turns();
    calls[0]?.end.resolve();
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual(expect.arrayContaining([['a'], ['a'], ['b'], ['c']]));
    expect(calls).toHaveLength(4);
  });

  test('is tried alone where a call of several failed: what is wrong with one is not wrong with the others', async () => {
    const { calls, ask } = asked();
    const ends = Promise.allSettled(['a', 'b'].map((key) => ask(database, { key })));
    await turns();
    for (const error of [new Error('duplicate'), undefined, new Error('duplicate')]) {
      if (error === undefined) calls.at(-1)?.end.resolve();
      else calls.at(-1)?.end.reject(error);
      await turns();
    }
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b'], ['a'], ['b']]);
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('is not tried again when the database is gone', async () => {
    const { calls, ask } = asked();
    const ends = Promise.allSettled(['a', 'b'].map((key) => ask(database, { key })));
    await turns();
    calls[0]?.end.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls).toHaveLength(1);
  });
});
