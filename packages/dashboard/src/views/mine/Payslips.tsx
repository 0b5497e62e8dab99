import { countText } from '@payouts/pages/format/amount';
import { localText } from '@payouts/pages/format/time';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { saveFile } from '@payouts/pages/saveFile';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAbout } from '../../api/live.ts';
import { read } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import type { Executions } from '../../api/types.ts';
import { makeArchive } from '../../employer/makeArchive.ts';
import type { PaidWindow } from '../../employer/payslipArchive.ts';
import { connectedWallet } from '../../session/wallet.ts';
import { ActionTrouble } from './Trouble.tsx';

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
  | { readonly at: 'idle' }
  /** `notes`: payslips that have one; undefined: none was asked for. */
  | { readonly at: 'saved'; readonly notes: number | undefined }
  | { readonly at: 'busy'; readonly written: number }
  | { readonly at: 'refused'; readonly sentence: string }
  | { readonly at: 'failed'; readonly error: unknown };

/** What is to be saved; an empty text: all pay runs. */
type Wish = {
  readonly window: string;
  readonly pdf: boolean;
  /** The employer's copies of lists, for notes. */
  readonly copies: readonly File[];
};

/** Makes the file that is wished for, and says how far it is. */
function useArchive(schedule: string, runs: Executions['executions'], wallet: ConnectedWallet | undefined) {
  const time = useTime();
  const [state, setState] = useState<State>({ at: 'idle' });
  const making = useRef<AbortController>(undefined);
  useEffect(() => () => making.current?.abort(), []);
  const save = async ({ window: chosen, pdf, copies }: Wish) => {
    const controller = new AbortController();
    const { signal: abort } = controller;
    making.current = controller;
    setState({ at: 'busy', written: 0 });
    try {
      const windows =
        chosen === ALL ? await allSettled(schedule, abort) : runs.filter(({ window }) => window === chosen).map(paidBy);
      const notes = wallet && copies.length > 0 ? { employer: wallet.address, copies } : undefined;
      const wish = { windows, pdf, madeAt: time.now(), notes };
      const sign = async (text: Uint8Array) => (wallet as ConnectedWallet).signMessage(text);
      const onWritten = (written: number) => setState({ at: 'busy', written });
      const made = await makeArchive(schedule, wish, { time, abort, onWritten, sign });
      if (made.kind === 'refused') return setState({ at: 'refused', sentence: made.sentence });
      saveFile(`payslips-${schedule}${chosen === ALL ? '' : `-${chosen}`}.zip`, made.archive, 'application/zip');
      setState({ at: 'saved', notes: notes && made.notes });
    } catch (error) {
      setState(abort.aborted ? { at: 'idle' } : { at: 'failed', error });
    }
  };
  return { state, save, stop: () => making.current?.abort() };
}

/** Saves all payslips of a pay run, or of all of them, as one file. */
export function Payslips({ schedule }: { readonly schedule: string }) {
  const time = useTime();
  const newest = useResource(`settled ${schedule}`, (abort) => read<Executions>(pathOf(schedule, null), abort), {
    concerns: isAbout(schedule),
  });
  const [window, setWindow] = useState(ALL);
  const [pdf, setPdf] = useState(true);
  const [copies, setCopies] = useState<readonly File[]>([]);
  const wallet = connectedWallet.value;
  const runs = newest.data === undefined ? [] : settledOf(newest.data);
  const { state, save, stop } = useArchive(schedule, runs, wallet);
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="payslips">
      <h2 id="payslips">Payslips</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          save({ window, pdf, copies });
        }}
      >
        <label>
          Payslips of
          <select value={window} onChange={(event) => setWindow(event.currentTarget.value)}>
            <option value={ALL}>all pay runs</option>
            {runs.map(({ window: run, finishedAt }) => (
              <option key={run} value={run}>
                pay run {run}
                {finishedAt !== null && `, settled ${localText(finishedAt, time.now())}`}
              </option>
            ))}
          </select>
        </label>
        <label class="check row">
          <input type="checkbox" checked={pdf} onChange={() => setPdf(!pdf)} />
          Also as PDF pages, which takes longer
        </label>
        {wallet !== undefined && (
          <Copies copies={copies} onChange={setCopies} wallet={wallet.name} isBusy={state.at === 'busy'} />
        )}
        <p class="actions">
          <button type="submit" disabled={state.at === 'busy'}>
            Save the payslips
          </button>
          {state.at === 'busy' && (
            <button type="button" class="quiet" onClick={stop}>
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

type CopiesProps = {
  readonly copies: readonly File[];
  readonly onChange: (copies: readonly File[]) => void;
  readonly wallet: string;
  readonly isBusy: boolean;
};

/** Takes the employer's copies of lists: nobody else knows what of them is in a currency. */
const Copies = ({ copies, onChange, wallet, isBusy }: CopiesProps) => (
  <div class="whole">
    <p>
      Amounts in a currency: your copy of the list has them. Open it, and each of these payslips says amount, rate and
      source, as your note. {wallet} asks you to sign each note.
    </p>
    <FileDrop
      label={copies.length === 0 ? 'Open a copy of the list' : 'Open another copy'}
      accept=".json,application/json"
      isBusy={isBusy}
      onFile={(file) => onChange([...copies.filter(({ name }) => name !== file.name), file])}
    />
    {copies.map(({ name }) => (
      <p key={name} class="faint break">
        {name}
      </p>
    ))}
  </div>
);

function Outcome({ state }: { readonly state: State }) {
  if (state.at === 'saved') {
    return (
      <Notice kind="good" title="Saved. Keep it where you keep private files.">
        {state.notes !== undefined && `${countText(state.notes, 'payslip')} with your note on a currency.`}
      </Notice>
    );
  }
  if (state.at === 'failed') return <ActionTrouble error={state.error} what="The payslips were not saved" />;
  if (state.at === 'refused') return <Notice kind="bad" title={`The payslips were not saved: ${state.sentence}`} />;
  return null;
}
