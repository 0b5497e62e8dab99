import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { Random } from '@payouts/testing/random';
import { Epoch } from './epoch.ts';
import { Violation } from './model.ts';
import { Tally } from './tally.ts';

const REMEMBERED = 20;

/** What to run; the same seed does the same. */
export interface Options {
  readonly steps: number;
  readonly seed: number;
  /** Called now and then with the number of steps done. */
  onProgress?(steps: number): void;
}

/** What came of it. */
export interface Result {
  readonly steps: number;
  readonly tally: Tally;
  /** undefined: no rule was broken. */
  readonly violation: string | undefined;
}

/** Random instructions over worlds that follow one another; stops at the first broken rule. */
export async function fuzz({ steps, seed, onProgress }: Options): Promise<Result> {
  const random = new Random(seed);
  const tally = new Tally();
  const last: { name: string; outcome: Outcome | string; remark: string }[] = [];
  let finished = 0;
  let epoch: Epoch | undefined;
  const done = () => finished + (epoch?.steps ?? 0);
  try {
    while (done() < steps) {
      finished = done();
      epoch = undefined;
      const lies = random.chance(0.4);
      epoch = new Epoch(random, lies, (name, outcome, remark) => {
        last.push({ name, outcome, remark });
        if (last.length > REMEMBERED) last.shift();
        if (typeof outcome !== 'string') tally.count(name, outcome.succeeded);
      });
      const life = random.between(500, 4_000);
      while (epoch.steps < life) epoch.live();
      epoch.lose();
      for (let step = random.between(50, 300); step > 0; step -= 1) epoch.afterwards();
      epoch.divide();
      onProgress?.(done());
      // The ledgers' own memory is given back only between two turns of the event loop.
      await nextTurn();
    }
  } catch (error) {
    const sentence = error instanceof Violation ? error.message : `unexpected: ${(error as Error).stack}`;
    const lines = last.map(({ name, outcome, remark }) => {
      const result = typeof outcome === 'string' ? outcome : (outcome.failure ?? 'accepted');
      return `  ${name} ${remark === '' ? '' : `(${remark}) `}${result}`;
    });
    const violation = `seed ${seed}, step ${done()}: ${sentence}\nThe last steps:\n${lines.join('\n')}`;
    return { steps: done(), tally, violation };
  }
  return { steps: done(), tally, violation: undefined };
}
