import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const LOOK_MS = 50;
const LONGEST_DELAY_MS = 1_500;

type Death = {
  /** Which part of a window's withdrawals has left the pool when it comes. */
  readonly after: number;
  readonly of: 'validator' | 'one' | 'two';
};

/** In the order in which they come. */
const DEATHS: readonly Death[] = [
  { after: 0.05, of: 'validator' },
  { after: 0.25, of: 'one' },
  { after: 0.4, of: 'validator' },
  { after: 0.72, of: 'two' },
  { after: 0.8, of: 'validator' },
];

/**
 * Kills the validator and the coordinators by kill -9 while `due` withdrawals of a window are being paid, and starts each again after a
 * while. Returns how many died.
 */
export async function kill(stage: Stage, due: number, over: AbortSignal): Promise<number> {
  const { world, cluster, employer, random } = stage;
  const before = (await world.pool(employer)).withdrawals;
  let died = 0;
  for (const { after, of } of DEATHS) {
    const enough = before + BigInt(Math.floor(due * after));
    while ((await world.pool(employer)).withdrawals < enough && !over.aborted) await sleep(LOOK_MS);
    if (over.aborted) break;
    const delayMs = random.below(LONGEST_DELAY_MS);
    if (of === 'validator') await world.localnet.killLayer('SIGKILL');
    else await cluster.kill(of);
    await sleep(delayMs);
    if (of === 'validator') await world.localnet.restartLayer();
    else await cluster.startOne(of);
    died += 1;
  }
  return died;
}
