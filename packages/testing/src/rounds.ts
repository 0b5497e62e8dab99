import { until, type World } from './world.ts';

/**
 * Waits until a loop of the coordinator has gone round so often: what it could have begun, it has begun by then. The coordinator's
 * metrics must be public.
 */
export async function rounds(world: World, loop: 'scheduler' | 'withdrawal', count = 2): Promise<void> {
  const done = async () => {
    const text = await (await fetch(`${world.apiUrl}/api/metrics`)).text();
    const series = `service_${loop}_polls_total{outcome="ok"} `;
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.slice(series.length) ?? 0,
    );
  };
  // The one that is under way has looked at some things already.
  const enough = (await done()) + count + 1;
  await until(async () => (await done()) >= enough || undefined, `${count} rounds of the ${loop} loop`, 60_000);
}
