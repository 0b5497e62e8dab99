import { ATTEMPT_OUTCOMES, type AttemptOutcome, RUN_STATES, STAGES, type Stage } from '../../domain/run.ts';
import { ANY, CALL_SECONDS, type Define, POLL_OUTCOMES } from './define.ts';

/** Seconds: from one call to a ledger to a stage that waits for a batch timeout. */
const STAGE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** What became of recipients: paid, refused, out of time when their window's was over, or held back by the employer. */
const CLAIM_RESULTS = ['paid', 'refused', 'timed-out', 'held'] as const;
export type ClaimResult = (typeof CLAIM_RESULTS)[number];
/** States in which a run comes to rest. */
const REST_STATES = ['held', 'waiting', 'exhausted', 'failed', 'cancelled', 'settled'] as const;
export const UNFINISHED = RUN_STATES.filter((state) => state !== 'cancelled' && state !== 'settled');
const ENDED_ATTEMPTS = ATTEMPT_OUTCOMES.filter((outcome) => outcome !== 'running');

/** Of due windows and their runs. */
export function runMetrics(define: Define) {
  const metrics = {
    polls: define.counter('scheduler_polls_total', 'Looks for due schedules', { outcome: POLL_OUTCOMES }),
    pollSeconds: define.histogram(
      'scheduler_poll_duration_seconds',
      'Time of one look for due schedules',
      {},
      CALL_SECONDS,
    ),
    schedulesDue: define.counter(
      'schedules_detected_due_total',
      'Due windows found that had no run yet; one is found again until its run is recorded',
    ),
    runsCreated: define.counter('execution_runs_created_total', 'Runs recorded, one a window'),
    stages: define.counter(
      'execution_stage_total',
      'Attempts of a stage by how they ended; one that was cut off counts as interrupted when its run is requeued',
      { stage: STAGES, outcome: ENDED_ATTEMPTS },
    ),
    stageSeconds: define.histogram(
      'execution_stage_duration_seconds',
      'Time of one try of a stage, however it ended',
      { stage: STAGES },
      STAGE_SECONDS,
    ),
    claims: define.counter(
      'claim_results_total',
      'Recipients of windows, each once a window: paid when the recorded progress of the run comes to include them, ' +
        'the others when the window is settled. Retries and other processes do not count them again',
      { result: CLAIM_RESULTS },
    ),
    runRests: define.counter(
      'execution_run_rests_total',
      'How often runs came to rest in a state; settled and cancelled are for ever',
      { state: REST_STATES },
    ),
    runs: define.gauge('execution_runs', 'Unfinished runs in the database by state', { state: UNFINISHED }),
    overdueSeconds: define.gauge(
      'schedule_overdue_seconds',
      'How long the longest overdue window has been due without being settled; 0 if none is',
    ),
    schedulesRegistered: define.gauge('schedules_registered', 'Registered schedules by status on the ledger', {
      status: ANY,
    }),
  };
  return {
    ...metrics,
    /** A try of a stage has ended. */
    attemptEnded(stage: Stage, outcome: Exclude<AttemptOutcome, 'running'>, seconds: number): void {
      metrics.stages.inc({ stage, outcome });
      metrics.stageSeconds.observe({ stage }, seconds);
    },
  };
}
