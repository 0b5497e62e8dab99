import { href } from '@payouts/pages/router';
import type { CountsByState, RunState } from '../../api/types.ts';
import { RUN_STATES, STATE_WORDS } from '../../format/words.ts';
import { StateShape } from '../../parts/State.tsx';

/** Always shown, even when there is none: that is the news. The others are shown when there are any. */
const ALWAYS: readonly RunState[] = ['running', 'held', 'exhausted', 'settled'];

/** How many runs stand where; each leads to them. */
export function Counts({ runs, overdue }: { readonly runs: CountsByState; readonly overdue: number }) {
  const of = (state: RunState) => runs[state] ?? 0;
  const shown = RUN_STATES.filter((state) => ALWAYS.includes(state) || of(state) > 0);
  return (
    <section aria-labelledby="counts">
      <h2 id="counts" class="hidden">
        Runs by state
      </h2>
      <ul class="counts">
        {overdue > 0 && (
          <li class="some">
            <span class="tile">
              <b>{overdue.toLocaleString('en')}</b>
              <span class="state">Overdue</span>
            </span>
          </li>
        )}
        {shown.map((state) => (
          <li key={state} class={of(state) > 0 ? 'some' : 'none'}>
            <a class="tile" href={href('runs', { state })} title={STATE_WORDS[state].meaning}>
              <b>{of(state).toLocaleString('en')}</b>
              <span class="state">
                <StateShape state={state} />
                {STATE_WORDS[state].name}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
