import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';

/** Works on ledgers of its own: what others have left there would be measured with it. */
export async function onLedgers<T>(work: (world: World) => Promise<T>): Promise<T> {
  const world = await World.start();
  try {
    return await work(world);
  } finally {
    await world.stop();
  }
}

/** Works on a PostgreSQL server of its own, whose commits survive a power cut. */
export async function onPostgres<T>(work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const postgres = await startPostgres(systemTime, { isDurable: true });
  try {
    return await work(postgres);
  } finally {
    await postgres.remove();
  }
}
