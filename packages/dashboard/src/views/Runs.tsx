import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { href, place } from '@payouts/pages/router';
import { read } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import type { CountsByState, RunState, Runs as RunsPage } from '../api/types.ts';
import { RUN_STATES, STATE_WORDS } from '../format/words.ts';
import { Lookup } from '../parts/Lookup.tsx';
import { Pager } from '../parts/Pager.tsx';
import { RunTable } from '../parts/RunTable.tsx';
import { Loaded } from '../parts/Trouble.tsx';

const PAGE = 50;

/** All runs, newest first, by state and schedule; what is asked for stands in the address. */
export function Runs() {
  const { query } = place.value;
  const [state, schedule, cursor] = ['state', 'schedule', 'cursor'].map((name) => query.get(name) ?? undefined);
  const asked = new URLSearchParams({ limit: String(PAGE) });
  for (const [name, value] of Object.entries({ state, schedule, cursor }))
    if (value !== undefined) asked.set(name, value);
  // The page of the newest changes with each run; older ones only when asked again.
  const concerns = () => cursor === undefined;
  const page = useResource(`runs ${asked}`, (abort) => read<RunsPage>(`/api/runs?${asked}`, abort), { concerns });
  return (
    <>
      <h1>Runs</h1>
      {schedule !== undefined && (
        <p>
          Of schedule <Address address={schedule} to={href(`schedules/${schedule}`)} copy />.{' '}
          <a href={href('runs', { state })}>Show all schedules</a>
        </p>
      )}
      <Filters counts={page.data?.counts} state={state as RunState | undefined} schedule={schedule} />
      <Loaded of={page} what="the runs">
        {({ runs, nextCursor }) =>
          runs.length === 0 ? (
            <Empty title={emptyText(state as RunState | undefined, cursor)}>
              {schedule === undefined && <Lookup />}
            </Empty>
          ) : (
            <>
              <RunTable runs={runs} isBusy={page.isLoading} caption={captionOf(state as RunState | undefined)} />
              <Pager path="runs" filters={{ state, schedule }} cursor={cursor} next={nextCursor} shown={runs.length} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

const captionOf = (state: RunState | undefined): string =>
  state === undefined
    ? 'Runs, newest first'
    : `${STATE_WORDS[state].name} runs, newest first. ${STATE_WORDS[state].meaning}`;

function emptyText(state: RunState | undefined, cursor: string | undefined): string {
  if (cursor !== undefined) return 'There are no older runs.';
  return state === undefined
    ? 'Nothing has run yet. The first window runs by itself when it is due.'
    : `No run is ${STATE_WORDS[state].name.toLowerCase()}.`;
}

type FilterProps = {
  readonly counts: CountsByState | undefined;
  readonly state: RunState | undefined;
  readonly schedule: string | undefined;
};

function Filters({ counts, state, schedule }: FilterProps) {
  const total = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const number = (count: number | undefined) =>
    count !== undefined && <span class="faint"> {count.toLocaleString('en')}</span>;
  return (
    <nav class="filters" aria-label="Filter by state">
      <a href={href('runs', { schedule })} aria-current={state === undefined ? 'true' : undefined}>
        All{number(total)}
      </a>
      {RUN_STATES.map((each) => (
        <a
          key={each}
          href={href('runs', { state: each, schedule })}
          aria-current={state === each ? 'true' : undefined}
          title={STATE_WORDS[each].meaning}
        >
          {STATE_WORDS[each].name}
          {number(counts?.[each])}
        </a>
      ))}
    </nav>
  );
}
