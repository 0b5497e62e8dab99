import { useEffect, useState } from 'preact/hooks';
import { privatePages } from '../../api/request.ts';
import type { Recipients } from '../../api/types.ts';

type WholeList = {
  /** Of the list, in hexadecimal digits; places in it are those of no other list. */
  readonly root: string;
  readonly entries: Recipients['recipients'];
  readonly total: number;
  readonly error?: unknown;
};

const PAGE = '5000';
const NOTHING: WholeList = { root: '', entries: [], total: 0 };

/** A schedule's list, page after page, in order of index; what has arrived is there while the rest comes. Read anew when `root` changes. */
export function useWholeList(schedule: string, root: string): WholeList {
  const [list, setList] = useState<WholeList>(NOTHING);
  useEffect(() => {
    const abort = new AbortController();
    setList(NOTHING);
    readAll(schedule, abort.signal, setList).catch((error: unknown) => {
      if (!abort.signal.aborted) setList((before) => ({ ...before, error }));
    });
    return () => abort.abort();
  }, [schedule, root]);
  return list;
}

async function readAll(schedule: string, abort: AbortSignal, show: (list: WholeList) => void): Promise<void> {
  let entries: Recipients['recipients'] = [];
  const pages = privatePages<Recipients>(`/api/schedules/${schedule}/recipients`, { limit: PAGE }, abort);
  for await (const { root, recipients, total } of pages) {
    entries = [...entries, ...recipients];
    show({ root, entries, total });
  }
}
