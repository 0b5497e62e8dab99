import type { RecipientJson } from '@payouts/client';
import { ApiProblem } from '../../api/problem.ts';
import { privatePages } from '../../api/request.ts';
import type { Recipients } from '../../api/types.ts';
import type { OpenedComparison } from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';

const PAGE = '5000';

/** Compares the payroll at the desk with the current list, as the coordinator has it; undefined: it has none with this root. */
export async function compareWithCurrent(
  desk: RemoteDesk,
  schedule: string,
  root: ArrayLike<number>,
): Promise<OpenedComparison | undefined> {
  const abort = new AbortController().signal;
  const pages = privatePages<Recipients>(`/api/schedules/${schedule}/recipients`, { limit: PAGE }, abort);
  await desk.forgetPresent();
  try {
    for await (const { recipients } of pages) await desk.addPresent(recipients as RecipientJson[]);
  } catch (error) {
    // It knows nothing of the schedule.
    if (error instanceof ApiProblem && error.status === 404) return undefined;
    throw error;
  }
  return desk.compare(Uint8Array.from(root));
}
