import type { RecipientJson } from '@payouts/client';
import type { OwnSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { useEffect, useRef } from 'preact/hooks';
import { isNotFound, isNotPermitted } from '../../api/problem.ts';
import { privatePages } from '../../api/request.ts';
import type { Recipients } from '../../api/types.ts';
import { people } from '../../book/book.ts';
import type { PresentComparison } from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';

const PAGE = '5000';
/** Names that are handed over at once: some milliseconds. */
const NAMES_AT_ONCE = 2_000;

/** Reads a schedule's list, as the coordinator has it, to a desk. */
async function readPresent(desk: RemoteDesk, schedule: string, abort: AbortSignal): Promise<void> {
  const pages = privatePages<Recipients>(`/api/schedules/${schedule}/recipients`, { limit: PAGE }, abort);
  await desk.forgetPresent();
  try {
    for await (const { recipients } of pages) await desk.addPresent(recipients as RecipientJson[]);
  } catch (error) {
    // It knows nothing of the schedule, or a treasury's preparer reads nothing: there is nothing to compare with.
    if (!isNotFound(error) && !isNotPermitted(error)) throw error;
  }
}

/**
 * Compares the payroll at the desk with the current list, as the coordinator has it; undefined: it has none with this root. The list is read
 * while somebody looks for their file; if that fails, it is read once more when it is needed.
 */
export function usePresentList(desk: RemoteDesk, schedule: string) {
  const reading = useRef<Promise<void> | undefined>(undefined);
  const read = (abort: AbortSignal) => {
    reading.current ??= readPresent(desk, schedule, abort).catch((error: unknown) => {
      reading.current = undefined;
      throw error;
    });
    return reading.current;
  };
  useEffect(() => {
    const abort = new AbortController();
    // What is wrong is said when the list is needed.
    read(abort.signal).catch(() => {});
    return () => abort.abort();
  }, [desk, schedule]);
  return async ({ root, held, heldCount }: OwnSchedule['schedule']): Promise<PresentComparison | undefined> => {
    await read(new AbortController().signal);
    await tellNames(desk);
    return desk.compare({ root, held, heldCount });
  };
}

/** Gives a desk the names that are known in this tab: by them it sees who has another address. */
async function tellNames(desk: RemoteDesk): Promise<void> {
  const named = [...people.value].flatMap(([address, { name }]) =>
    name === '' ? [] : [[address as Address, name] as const],
  );
  for (let from = 0; from < named.length; from += NAMES_AT_ONCE) {
    await desk.addKnown(named.slice(from, from + NAMES_AT_ONCE));
  }
}
