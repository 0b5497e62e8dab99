import { RUN_STATES, type RunState, runIdOf } from '../domain/run.ts';
import { runSummary } from '../http/views.ts';
import { keyOf, listRunsFor } from '../store/queries/operatorRuns.ts';
import type { RunRow } from '../store/queries/runs.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { relative } from './format.ts';
import { scheduleOption } from './runArguments.ts';

const PAGE = 50;
const LIMIT = /^(10000|[1-9][0-9]{0,3})$/;

const isState = (text: string): text is RunState => (RUN_STATES as readonly string[]).includes(text);

/** Two lines for each run: its name alone on the second, to be copied. */
function lines(run: RunRow, now: number): string[] {
  const stage = (run.stage ?? '–').padEnd(9);
  const paid = `${run.claims_paid}/${run.claims_total} paid`;
  const about = [run.state.padEnd(10), stage, paid.padEnd(18), relative(Number(run.created_at), now).padEnd(14)];
  return [`${about.join(' ')} ${run.error_code ?? ''}`.trimEnd(), `  ${runIdOf(keyOf(run))}`];
}

/** The newest runs, of one state or all that are not over. */
export const runsList = command({
  synopsis: '[--state STATE] [--schedule ADDRESS] [--limit N] [--json]',
  summary: `lists runs that are not over, or those of one state; the last ${PAGE}, or N`,
  options: {
    state: { type: 'string' },
    schedule: { type: 'string' },
    limit: { type: 'string', default: String(PAGE) },
    json: { type: 'boolean', default: false },
  },
  async run({ state, schedule: ofSchedule, limit, json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes no run: `runs show` shows one.');
    if (state !== undefined && !isState(state)) {
      throw new UsageError(`--state takes one of ${RUN_STATES.join(', ')}.`);
    }
    if (!LIMIT.test(limit)) throw new UsageError('--limit takes a number from 1 to 10000.');
    const filter = { state, schedule: scheduleOption(ofSchedule) };
    // One more than shown tells whether there are more.
    const found = await withDatabase(time, (database) => listRunsFor(database, filter, Number(limit) + 1));
    const runs = found.slice(0, Number(limit));
    const views = runs.map((run) => ({ schedulePda: run.schedule, ...runSummary(run) }));
    await show(json, views, [
      ...runs.flatMap((run) => lines(run, time.now())),
      ...(runs.length === 0 ? ['There are no such runs.'] : []),
      ...(found.length > runs.length ? [`There are more than these ${runs.length}: give a --limit.`] : []),
    ]);
    return 0;
  },
});
