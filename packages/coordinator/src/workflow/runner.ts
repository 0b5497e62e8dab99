import { findBatchAddress } from '@payouts/client';
import type { Address } from '@solana/kit';
import { delayAfter, jitterFor, type RetryPolicy } from '../domain/backoff.ts';
import { RunCancelled, type RunError, toRunError, Waiting } from '../domain/errors.ts';
import { type RunKey, type RunState, type Stage, workflowIdOf } from '../domain/run.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { LogFields } from '../log/fields.ts';
import { placeOf } from '../log/place.ts';
import type { AttemptEnd } from '../store/queries/attempts.ts';
import type { RunRow } from '../store/queries/runs.ts';
import type { StageContext, StageWork } from './context.ts';
import { claim } from './stages/claim.ts';
import { commit } from './stages/commit.ts';
import { delegate } from './stages/delegate.ts';

const WORK: Record<Stage, StageWork> = { delegate, claim, commit };

/** What a try came to: `done`: the next stage; everything else ends the workflow until something takes it on. */
export type AttemptResult = 'done' | Extract<RunState, 'held' | 'waiting' | 'failed' | 'cancelled' | 'exhausted'>;

export type RunnerInput = {
  readonly context: StageContext;
  readonly policy: RetryPolicy;
  readonly holdRecheckMs: number;
  /** Aborts when no further try may begin. */
  readonly draining: AbortSignal;
};

/** Tries stages and records what came of it. Only a retryable error is thrown, for the engine to call again. */
export class StageRunner {
  readonly #input: RunnerInput;

  constructor(input: RunnerInput) {
    this.#input = input;
  }

  /** One try of a stage; `attempt` is the engine's count, from 1. */
  async attempt(key: RunKey, stage: Stage, attempt: number): Promise<AttemptResult> {
    const { context, policy, draining } = this.#input;
    const { store, time, metrics, signal } = context;
    if (attempt > 1) await time.pause(jitterFor(delayAfter(attempt - 1, policy), time.random), draining);
    const began = time.now();
    const begun = await store.beginAttempt(key, stage, began);
    if (begun === 'missing') throw new Error('The run is not recorded.');
    if (begun === 'ended') return 'done';
    const { run, attemptId, number, interrupted } = begun;
    for (const cutOff of interrupted) metrics.stages.inc({ stage: cutOff, outcome: 'interrupted' });
    const log = context.log.child({ run: workflowIdOf(key), stage, attempt: number });
    const milliseconds = () => time.now() - began;
    const end = async (ending: AttemptEnd) => {
      await store.endAttempt(attemptId, ending, time.now());
      metrics.attemptEnded(stage, ending.outcome, milliseconds() / 1_000);
    };
    log.debug('stage begins');
    try {
      await WORK[stage]({ ...context, log }, { run, attemptId, at: await this.#addresses(key) });
    } catch (thrown) {
      // The service stops: what happened is not the stage's doing, and the next start finds the attempt cut off.
      signal.throwIfAborted();
      if (thrown instanceof RunCancelled) {
        await end({ outcome: 'cancelled', code: null, detail: thrown.message });
        if (await store.finishRun(run.id, { state: 'cancelled', paidAmount: null, at: time.now() })) {
          metrics.runRests.inc({ state: 'cancelled' });
        }
        log.info({ outcome: 'cancelled', milliseconds: milliseconds(), detail: thrown.message }, 'run cancelled');
        return 'cancelled';
      }
      if (thrown instanceof Waiting) {
        await end({ outcome: 'waiting', code: null, detail: thrown.message });
        await store.stopRun(run.id, {
          state: 'waiting',
          code: null,
          detail: thrown.message,
          resumeAt: thrown.until,
        });
        metrics.runRests.inc({ state: 'waiting' });
        log.info(
          { outcome: 'waiting', milliseconds: milliseconds(), until: thrown.until, detail: thrown.message },
          'run waits',
        );
        return 'waiting';
      }
      return this.#afterError(run, toRunError(thrown), attempt, end, log.child({ milliseconds: milliseconds() }));
    }
    await end({ outcome: 'succeeded', code: null, detail: null });
    log.info({ outcome: 'succeeded', milliseconds: milliseconds() }, 'stage done');
    return 'done';
  }

  async #afterError(
    run: RunRow,
    error: RunError,
    attempt: number,
    end: (ending: AttemptEnd) => Promise<void>,
    log: StageContext['log'],
  ): Promise<AttemptResult> {
    const { context, policy, holdRecheckMs } = this.#input;
    const { code, message: detail, errorClass } = error;
    const stop = async (state: 'held' | 'failed' | 'exhausted', resumeAt: number | null) => {
      const outcome = state === 'held' ? 'held' : 'failed';
      await end({ outcome, code, detail });
      await context.store.stopRun(run.id, { state, code, detail, resumeAt });
      context.metrics.runRests.inc({ state });
      if (code === 'money-rule-broken') context.metrics.differs('money-rule');
      const line = { outcome, code, class: errorClass, state, ...causeOf(error), detail } as const;
      if (state === 'exhausted') log.error(line, 'run exhausted');
      else log.error(line, 'run stopped');
      return state;
    };
    if (errorClass === 'operator') return stop('held', context.time.now() + holdRecheckMs);
    if (errorClass === 'permanent') return stop('failed', null);
    if (attempt >= policy.attempts) return stop('exhausted', await this.#deadlineOf(run));
    await end({ outcome: 'retried', code, detail });
    await context.store.saveRunError(run.id, code, detail);
    const waitMs = delayAfter(attempt, policy);
    log.warn({ outcome: 'retried', code, class: errorClass, waitMs, ...causeOf(error), detail }, 'stage is retried');
    throw error;
  }

  /** An open window is committed when its time is over, so an exhausted run comes back once then; unix milliseconds. */
  async #deadlineOf(run: RunRow): Promise<number | null> {
    const { clock, store } = this.#input.context;
    const now = await store.findRun({ schedule: run.schedule, window: BigInt(run.window_number) });
    const deadline = now?.batch_deadline ?? null;
    if (deadline === null || BigInt(deadline) <= clock.now()) return null;
    return clock.localTimeOf(BigInt(deadline));
  }

  async #addresses({ schedule, window }: RunKey): Promise<WindowAddresses> {
    const { program } = this.#input.context;
    const address = schedule as Address;
    return { schedule: address, batch: await findBatchAddress(address, { programAddress: program }), window, program };
  }
}

/** The kind of an error's cause and where it was thrown; its text could hold anything. */
function causeOf({ cause }: RunError): Pick<LogFields, 'cause' | 'place'> {
  return cause instanceof Error ? { cause: cause.name, place: placeOf(cause) } : {};
}
