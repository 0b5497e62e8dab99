import { seed } from '@payouts/testing/seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { play } from './withdrawals/play.ts';
import { type Stage, startStage } from './withdrawals/stage.ts';
import { verdictOf } from './withdrawals/verdict.ts';

/** `npm run withdrawals` has more of them. */
const COUNT = 150;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage(COUNT, seed);
});
afterAll(() => stage?.stop());

it('everybody is paid what they asked for, once, when payouts fail, processes die and everything is sent again', async () => {
  const played = await play(stage);
  expect(played.frozen + played.dropped).toBeGreaterThanOrEqual(COUNT * 0.3);
  expect(played.died).toBeGreaterThanOrEqual(3);
  const verdict = await verdictOf(stage, COUNT);
  const logs = verdict.double + verdict.lost + verdict.problems.length > 0 ? await stage.keepLogs() : '';
  expect({ ...verdict, logs }).toEqual({ withdrawals: COUNT, double: 0, lost: 0, problems: [], logs: '' });
  // Some were hit twice.
  expect(played.failed).toBeGreaterThan(COUNT * 0.15);

  // Whoever has a base unit more or less than they asked for is found.
  const [one, other] = stage.people;
  if (one === undefined || other === undefined) throw new Error('there is nobody');
  one.asked -= 1n;
  other.asked += 1n;
  expect(await verdictOf(stage, COUNT)).toMatchObject({ double: 1, lost: 1 });
}, 900_000);
