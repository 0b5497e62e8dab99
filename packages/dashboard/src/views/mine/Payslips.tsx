import { countText } from '@payouts/pages/format/amount';
import { localText } from '@payouts/pages/format/time';
import { Notice } from '@payouts/pages/parts/Notice';
import { saveFile } from '@payouts/pages/saveFile';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAbout } from '../../api/live.ts';
import { read } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import type { Executions } from '../../api/types.ts';
import { makeArchive } from '../../employer/makeArchive.ts';
import type { PaidWindow } from '../../employer/payslipArchive.ts';
import { TroubleNotice } from '../../parts/Trouble.tsx';

/** Pay runs that can be chosen one by one. */
const SHOWN = 50;
const ALL = '';

const pathOf = (schedule: string, cursor: string | null) =>
  `/api/schedules/${schedule}/executions?limit=${SHOWN}${cursor === null ? '' : `&cursor=${cursor}`}`;

const settledOf = ({ executions }: Executions) => executions.filter(({ state }) => state === 'settled');

const paidBy = ({ window, claims }: Executions['executions'][number]): PaidWindow => ({ window, paid: claims.paid });

/** All windows of a schedule that are settled, the first one first. */
async function allSettled(schedule: string, abort: AbortSignal): Promise<readonly PaidWindow[]> {
  const windows: PaidWindow[] = [];
  let cursor: string | null = null;
  do {
    const page: Executions = await read<Executions>(pathOf(schedule, cursor), abort);
    windows.push(...settledOf(page).map(paidBy));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return windows.reverse();
}

type State =
  | { readonly at: 'idle' | 'saved' }
  | { readonly at: 'busy'; readonly written: number }
  | { readonly at: 'refused'; readonly sentence: string }
  | { readonly at: 'failed'; readonly error: unknown };

/** Saves all payslips of a pay run, or of all of them, as one file. */
export function Payslips({ schedule }: { readonly schedule: string }) {
  const time = useTime();
  const newest = useResource(`settled ${schedule}`, (abort) => read<Executions>(pathOf(schedule, null), abort), {
    concerns: isAbout(schedule),
  });
  const [chosen, setChosen] = useState(ALL);
  const [withPages, setWithPages] = useState(true);
  const [state, setState] = useState<State>({ at: 'idle' });
  const making = useRef<AbortController>(undefined);
  useEffect(() => () => making.current?.abort(), []);
  const runs = newest.data === undefined ? [] : settledOf(newest.data);
  if (runs.length === 0) return null;
  const save = async () => {
    const controller = new AbortController();
    const { signal: abort } = controller;
    making.current = controller;
    setState({ at: 'busy', written: 0 });
    try {
      const windows =
        chosen === ALL ? await allSettled(schedule, abort) : runs.filter(({ window }) => window === chosen).map(paidBy);
      const wish = { windows, pdf: withPages, madeAt: time.now() };
      const onWritten = (written: number) => setState({ at: 'busy', written });
      const made = await makeArchive(schedule, wish, { time, abort, onWritten });
      if (made.kind === 'refused') return setState({ at: 'refused', sentence: made.sentence });
      saveFile(`payslips-${schedule}${chosen === ALL ? '' : `-${chosen}`}.zip`, made.archive, 'application/zip');
      setState({ at: 'saved' });
    } catch (error) {
      setState(abort.aborted ? { at: 'idle' } : { at: 'failed', error });
    }
  };
  return (
    <section aria-labelledby="payslips">
      <h2 id="payslips">Payslips</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <label>
          Payslips of
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value={ALL}>all pay runs</option>
            {runs.map(({ window, finishedAt }) => (
              <option key={window} value={window}>
                pay run {window}
                {finishedAt !== null && `, settled ${localText(finishedAt, time.now())}`}
              </option>
            ))}
          </select>
        </label>
        <label class="check row">
          <input type="checkbox" checked={withPages} onChange={() => setWithPages(!withPages)} />
          Also as PDF pages, which takes longer
        </label>
        <p class="actions">
          <button type="submit" disabled={state.at === 'busy'}>
            Save the payslips
          </button>
          {state.at === 'busy' && (
            <button type="button" class="quiet" onClick={() => making.current?.abort()}>
              Stop
            </button>
          )}
          <span role="status" class="faint">
            {state.at === 'busy' && `${countText(state.written, 'payslip')} verified and written …`}
          </span>
        </p>
      </form>
      <Outcome state={state} />
      <p class="faint">
        One ZIP file, not encrypted: a payslip for everybody who was paid, and their totals. Each is verified before it
        is saved, and again at any time, without a network, by <code>payout receipt verify</code>.
      </p>
    </section>
  );
}

function Outcome({ state }: { readonly state: State }) {
  if (state.at === 'saved') return <Notice kind="good" title="Saved. Keep it where you keep private files." />;
  if (state.at === 'failed') return <TroubleNotice error={state.error} what="The payslips were not saved" />;
  if (state.at === 'refused') return <Notice kind="bad" title={`The payslips were not saved: ${state.sentence}`} />;
  return null;
}
