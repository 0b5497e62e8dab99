import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { href } from '@payouts/pages/router';
import { read } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import type { CountsByState, ListedRun, Runs } from '../../api/types.ts';
import { NEEDS_SOMEBODY } from '../../format/words.ts';
import { DUE, PAID, runHref, runKey, STATE } from '../../parts/RunTable.tsx';
import { Loaded } from '../../parts/Trouble.tsx';

const SHOWN = 8;

const WINDOW: Column<ListedRun> = {
  name: 'Window',
  show: (run) => (
    <>
      <a data-row href={runHref(run)}>
        {run.window}
      </a>{' '}
      <span class="faint">
        of <Address address={run.schedulePda} />
      </span>
    </>
  ),
};

/** Runs that need somebody first, then the newest. */
export function Newest({ counts }: { readonly counts: CountsByState }) {
  const needy = NEEDS_SOMEBODY.filter((state) => (counts[state] ?? 0) > 0);
  const runs = useResource(`newest ${needy.join()}`, async (abort) => {
    const asked = [...needy.map((state) => `&state=${state}`), ''];
    const pages = await Promise.all(asked.map((filter) => read<Runs>(`/api/runs?limit=${SHOWN}${filter}`, abort)));
    // The first of each keeps its place.
    return [...new Map(pages.flatMap((page) => page.runs.map((run) => [runKey(run), run]))).values()];
  });
  return (
    <section aria-labelledby="newest">
      <h2 id="newest">
        Runs <a href={href('runs')}>all</a>
      </h2>
      <Loaded of={runs} what="the runs">
        {(list) =>
          list.length === 0 ? (
            <Empty title="Nothing has run yet. The first window runs by itself when it is due." />
          ) : (
            <Table rows={list.slice(0, SHOWN)} keyOf={runKey} columns={[STATE, WINDOW, PAID, DUE]} />
          )
        }
      </Loaded>
    </section>
  );
}
