import { ROUND_SECONDS, roundBefore } from '@payouts/client';
import { metricIn } from './metrics.ts';
import { inSeconds, until, type World } from './world.ts';

/**
 * Waits until a loop of the coordinator has gone round so often: what it could have begun, it has begun by then. The coordinator's
 * metrics must be public.
 */
export async function rounds(world: World, loop: 'scheduler' | 'withdrawal', count = 2): Promise<void> {
  const done = async () => metricIn(await world.metrics(), `service_${loop}_polls_total`, 'outcome="ok"') || 0;
  // The one that is under way has looked at some things already.
  const enough = (await done()) + count + 1;
  await until(async () => (await done()) >= enough, `${count} rounds of the ${loop} loop`, 60_000);
}

/** Waits for the next round, at midnight or noon UTC, if it is not as many seconds away: what is asked for within these leaves in one round. */
export async function awayFromRound(seconds: number): Promise<void> {
  const next = roundBefore(inSeconds(0)) + ROUND_SECONDS;
  if (next > inSeconds(seconds)) return;
  await until(async () => inSeconds(0) >= next, 'the round', (seconds + 60) * 1_000);
}
