import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { ApiProblem } from '../api/problem.ts';
import { read } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import type { Overview as OverviewData } from '../api/types.ts';
import { Lookup } from '../parts/Lookup.tsx';
import { askToSignIn } from '../parts/SignIn.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { Charts } from '../plots/Charts.tsx';
import { Begin } from './About.tsx';
import { Counts } from './overview/Counts.tsx';
import { Due } from './overview/Due.tsx';
import { FundingTable } from './overview/FundingTable.tsx';
import { headlineOf } from './overview/headline.ts';
import { Newest } from './overview/Newest.tsx';
import { Welcome } from './overview/Welcome.tsx';

/** Is everybody being paid? One sentence first, then what it rests on. */
export function Overview() {
  const overview = useResource('overview', (abort) => read<OverviewData>('/api/overview', abort), { every: 15_000 });
  const isClosed = overview.error instanceof ApiProblem && [401, 403].includes(overview.error.status);
  if (isClosed && overview.data === undefined) {
    return (
      <>
        <h1>Overview</h1>
        <Welcome isOpen />
        <Notice kind="info" title="This coordinator shows its overview to its operators only.">
          A single schedule can be looked up by its address.{' '}
          <button type="button" class="link" onClick={askToSignIn}>
            Sign in
          </button>{' '}
          to see more.
        </Notice>
      </>
    );
  }
  return (
    <>
      {overview.data === undefined && <h1>Overview</h1>}
      <Loaded of={overview} what="the overview">
        {(data) => <Whole data={data} isOld={overview.error !== undefined} />}
      </Loaded>
      {overview.data === undefined && overview.error !== undefined && <Welcome isOpen />}
    </>
  );
}

function Whole({ data, isOld }: { readonly data: OverviewData; readonly isOld: boolean }) {
  const { kind, sentence, because } = headlineOf(data);
  return (
    <>
      <div class="top">
        <section class={`headline ${isOld ? 'idle' : kind}`} aria-labelledby="headline">
          <h1 id="headline">{sentence}</h1>
          <p>
            {isOld ? (
              <>
                Last updated <Time at={data.now} />.
              </>
            ) : (
              because.join(' ')
            )}
          </p>
        </section>
        <Lookup />
      </div>
      <Welcome isOpen={data.schedules.registered === 0} hasLookup={false} />
      {data.schedules.registered === 0 ? <Begin /> : <Numbers data={data} />}
    </>
  );
}

const Numbers = ({ data }: { readonly data: OverviewData }) => (
  <>
    <Counts runs={data.runs} overdue={data.overdue} />
    <div class="columns">
      <Newest counts={data.runs} />
      <Due windows={data.nextDue} />
    </div>
    <FundingTable funding={data.funding} />
    <Charts />
  </>
);
