import { read } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import type { CountsByState, Runs } from '../../api/types.ts';
import { NEEDS_SOMEBODY } from '../../format/words.ts';
import { Address } from '../../parts/Address.tsx';
import { Empty, Loaded } from '../../parts/Notice.tsx';
import { Progress } from '../../parts/Progress.tsx';
import { State } from '../../parts/State.tsx';
import { Time } from '../../parts/Time.tsx';
import { href } from '../../router.ts';

const SHOWN = 8;

/** Runs that need somebody first, then the newest. */
export function Newest({ counts }: { readonly counts: CountsByState }) {
  const needy = NEEDS_SOMEBODY.filter((state) => (counts[state] ?? 0) > 0);
  const runs = useResource(`newest ${needy.join()}`, async (abort) => {
    const asked = [...needy.map((state) => `&state=${state}`), ''];
    const pages = await Promise.all(asked.map((filter) => read<Runs>(`/api/runs?limit=${SHOWN}${filter}`, abort)));
    const all = pages.flatMap((page) => page.runs);
    const seen = new Set<string>();
    return all.filter(({ schedulePda, window }) => {
      const key = `${schedulePda}:${window}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
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
            <table>
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Window</th>
                  <th scope="col">Paid</th>
                  <th scope="col" class="number">
                    Due
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.slice(0, SHOWN).map((run) => (
                  <tr key={`${run.schedulePda}:${run.window}`}>
                    <td>
                      <State state={run.state} />
                    </td>
                    <td>
                      <a data-row href={href(`runs/${run.schedulePda}/${run.window}`)}>
                        {run.window}
                      </a>{' '}
                      <span class="faint">
                        of <Address address={run.schedulePda} />
                      </span>
                    </td>
                    <td>
                      <Progress {...run.claims} isQuiet={run.state === 'settled'} />
                    </td>
                    <td class="number">
                      <Time at={run.dueAt === null ? run.createdAt : run.dueAt * 1_000} as="relative" />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  );
}
