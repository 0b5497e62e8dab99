import { type RunState, runIdOf, STOPPED_STATES } from '../domain/run.ts';
import { notStopped, resumeForOperator } from '../runs/resumeForOperator.ts';
import { keyOf, listRunsFor, requestResume } from '../store/queries/operatorRuns.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { NO_SUCH_RUN, Refused, runKey, scheduleOption } from './runArguments.ts';

/** Runs of one state taken on by one command. */
const MOST_AT_ONCE = 10_000;

const isStopped = (state: string): state is RunState => (STOPPED_STATES as readonly string[]).includes(state);

/** A running coordinator takes the runs on with its next poll; with the embedded database, the next one that is started. */
export const runsResume = command({
  synopsis: 'SCHEDULE:WINDOW | --state STATE [--schedule ADDRESS] [--json]',
  summary: 'lets a stopped run go on, or all of one state: exhausted, failed, held, waiting or abandoned',
  options: { state: { type: 'string' }, schedule: { type: 'string' }, json: { type: 'boolean', default: false } },
  async run({ state, schedule: ofSchedule, json }, operands, { time }) {
    const schedule = scheduleOption(ofSchedule);
    if (state === undefined) {
      if (schedule !== undefined) throw new UsageError('--schedule goes with --state.');
      const key = runKey(operands);
      const was = await withDatabase(time, async (database) => {
        const came = await resumeForOperator(database, key, time.now());
        if (came.kind === 'missing') throw new Refused(NO_SUCH_RUN);
        if (came.kind === 'not-stopped') throw new Refused(notStopped(came.state));
        return came.state;
      });
      const line = `The run was ${was}; it goes on with the next look for due windows.`;
      await show(json, { resumed: [runIdOf(key)] }, [line]);
      return 0;
    }
    if (!isStopped(state) || operands.length > 0) {
      throw new UsageError(`--state takes one of ${STOPPED_STATES.join(', ')}, and no run beside it.`);
    }
    const resumed = await withDatabase(time, async (database) => {
      const runs = await listRunsFor(database, { state, schedule }, MOST_AT_ONCE);
      const found = runs.map(({ id }) => id);
      const ids = await requestResume(database, found, time.now());
      return runs.filter(({ id }) => ids.includes(id));
    });
    const names = resumed.map((run) => runIdOf(keyOf(run)));
    await show(json, { resumed: names }, [
      ...names,
      `Runs that go on with the next look for due windows: ${names.length}.`,
    ]);
    return 0;
  },
});
