import { nextTurn } from '@payouts/client';
import { isDatabaseOutage } from './db/outage.ts';
import type { Db } from './schema.ts';

/** Calls of a kind under way at a time: a further one waits for company. One that hangs, as by a lock, keeps the others from nothing. */
const UNDER_WAY = 2;
/** Items in a call at the most. */
const MOST = 32;

export type GroupedInput<Item, Answer> = {
  /** Two items of one key are never in the same call. */
  readonly keyOf: (item: Item) => string;
  /** Only items of one shape are in the same call; all are, by default. */
  readonly shapeOf?: (item: Item) => string;
  /** Answers to all items, in their order; of one alone, too. */
  readonly ask: (database: Db, items: readonly Item[]) => Promise<readonly Answer[]>;
};

type Waiting<Item, Answer> = {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Makes one call of those that come in the same turn of the event loop, or while others are under way: what many runs keep at about the same
 * time is one statement and one commit. A call of several that fails is made again for each alone, so that one item's failure is not the others';
 * each may therefore be made twice.
 */
export function grouped<Item, Answer>(
  input: GroupedInput<Item, Answer>,
): (database: Db, item: Item) => Promise<Answer> {
  const groups = new WeakMap<Db, Map<string, (item: Item) => Promise<Answer>>>();
  return (database, item) => {
    const shape = input.shapeOf?.(item) ?? '';
    const shapes = groups.get(database) ?? new Map<string, (item: Item) => Promise<Answer>>();
    groups.set(database, shapes);
    const group = shapes.get(shape) ?? groupOf(input.keyOf, (items) => input.ask(database, items));
    shapes.set(shape, group);
    return group(item);
  };
}

function groupOf<Item, Answer>(
  keyOf: (item: Item) => string,
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let free = UNDER_WAY;
  let isBeginning = false;

  /** Those that wait for longest, each of another key. */
  const take = (): Waiting<Item, Answer>[] => {
    const taken = new Map<string, Waiting<Item, Answer>>();
    waiting = waiting.filter((one) => {
      const key = keyOf(one.item);
      if (taken.size === MOST || taken.has(key)) return true;
      taken.set(key, one);
      return false;
    });
    return [...taken.values()];
  };

  const answer = async (taken: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(taken.map(({ item }) => item));
      for (const [place, { resolve }] of taken.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      if (taken.length === 1 || isDatabaseOutage(error)) for (const { reject } of taken) reject(error);
      else for (const one of taken) await answer([one]);
    }
  };

  const begin = async (): Promise<void> => {
    await nextTurn();
    isBeginning = false;
    if (waiting.length === 0) return;
    free -= 1;
    if (waiting.length > MOST) look();
    await answer(take());
    free += 1;
    look();
  };

  const look = (): void => {
    if (isBeginning || free === 0 || waiting.length === 0) return;
    isBeginning = true;
    void begin();
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      look();
    });
}
