import { metricIn } from './metrics.ts';
import { until, type World } from './world.ts';

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
