import { LedgerUnavailable, readDeployment } from '@payouts/pages/deployment';
import type { Address } from '@solana/kit';
import { registerList } from '../api/request.ts';
import type { RemoteDesk } from './useDesk.ts';

/**
 * Gives the coordinator the list of a desk, sealed for it in the desk's thread: it leaves the tab in no other form. Throws `ApiProblem` or
 * `LedgerUnavailable`.
 */
export async function registerSealed(desk: RemoteDesk, schedule: Address): Promise<void> {
  const { listKey } = await readDeployment();
  if (listKey === null) {
    throw new LedgerUnavailable(
      'The coordinator can’t take a sealed list now: its key service does not answer. Try again in a moment.',
    );
  }
  await registerList(await desk.registration(schedule, listKey));
}
