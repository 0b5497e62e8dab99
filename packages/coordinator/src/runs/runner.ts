import { findBatchAddress } from '@payouts/client';
import type { Address } from '@solana/kit';
import { afterError, type Failures, nextCheckAt, type RetryDecision, type RetryPolicies } from '../domain/backoff.ts';
import { classOf, RunCancelled, RunError, toRunError, Waiting } from '../domain/errors.ts';
import { type RunKey, type RunState, runIdOf, STAGES, type Stage } from '../domain/run.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { LogFields } from '../platform/log/fields.ts';
import { placeOf } from '../platform/log/place.ts';
import { isDatabaseOutage } from '../store/db/outage.ts';
import type { AttemptEnd, AttemptFindings, BegunAttempt, Recorded } from '../store/queries/attempts.ts';
import type { RunEnd, RunRow } from '../store/queries/runs.ts';
import type { StageContext, StageWork } from './context.ts';
import { countPaid } from './progress.ts';
import { claim } from './stages/claim.ts';
import { commit } from './stages/commit.ts';
import { delegate } from './stages/delegate.ts';
import { unpaidResult } from './unpaid.ts';

const WORK: Record<Stage, StageWork> = { delegate, claim, commit };

/**
 * What a try came to. `done`: the next stage; `again`: the same stage, at once, since the wait before it is over; everything else
 * ends the run's job until something takes it on.
 */
export type AttemptResult =
  | 'done'
  | 'again'
  | Extract<RunState, 'held' | 'waiting' | 'failed' | 'cancelled' | 'exhausted'>;

export type RunnerInput = {
  readonly context: StageContext;
  readonly policies: RetryPolicies;
  /** Aborts when no further try may begin. */
  readonly draining: AbortSignal;
};

/** A try of a stage that has failed; `deadline`: the open window's, unix seconds of the ledger's clock. */
type FailedTry = {
  readonly run: RunRow;
  readonly stage: Stage;
  readonly error: RunError;
  readonly deadline: bigint | undefined;
};

/** What a try came to; `begun`: the next stage's, which begins with the record of this one's end. */
export type Tried = { readonly result: AttemptResult; readonly begun?: BegunAttempt | undefined };

/**
 * Tries stages and records what came of it. What it throws could not be recorded, or the service stops: then the stage is to be tried
 * again later.
 */
export class StageRunner {
  constructor(private readonly input: RunnerInput) {}

  /** One try of a stage, which may have `begun` already, with the wait that a further one needs. */
  async attempt(key: RunKey, stage: Stage, begun?: BegunAttempt): Promise<Tried> {
    const { context, draining } = this.input;
    const { store, time, metrics, signal } = context;
    const began = time.now();
    const attempt = begun ?? (await store.beginAttempt(key, stage, began));
    // Somebody has ended it, or its schedule was deleted: nothing is to be done.
    if (attempt === undefined) return { result: 'done' };
    const { run, attemptId, number, interrupted } = attempt;
    for (const cutOff of interrupted) metrics.stages.inc({ stage: cutOff, outcome: 'interrupted' });
    const log = context.log.child({ run: runIdOf(key), stage, attempt: number });
    const milliseconds = () => time.now() - began;
    const findings: AttemptFindings = { landed: [] };
    const end = async (ending: AttemptEnd, next?: Stage): Promise<BegunAttempt | undefined> => {
      const { claims, payments, over } = findings;
      const recorded = await store.endAttempt(attemptId, ending, findings, time.now(), next);
      metrics.attemptEnded(stage, ending.outcome, milliseconds() / 1_000);
      if (claims !== undefined) countPaid(metrics, claims.paid, recorded.paidBefore);
      if (claims !== undefined && payments?.paid) context.keptPayments.set(run.id, claims.paid);
      if (over !== undefined) this.#countOver(run, over, recorded);
      return recorded.begun;
    };
    log.debug('stage begins');
    try {
      context.underWay.add(run.id);
      await WORK[stage]({ ...context, log }, { run, attemptId, at: await this.#addresses(key), findings }).finally(() =>
        context.underWay.delete(run.id),
      );
    } catch (thrown) {
      // The service stops: what happened is not the stage's doing, and the next start finds the attempt cut off.
      signal.throwIfAborted();
      if (thrown instanceof RunCancelled) {
        findings.over = { state: 'cancelled', paidAmount: null, at: time.now() };
        await end({ outcome: 'cancelled', code: null, detail: thrown.message });
        log.info({ outcome: 'cancelled', milliseconds: milliseconds(), detail: thrown.message }, 'run cancelled');
        return { result: 'cancelled' };
      }
      if (thrown instanceof Waiting) {
        const leaves = { state: 'waiting', resumeAt: thrown.until } as const;
        await end({ outcome: 'waiting', code: null, detail: thrown.message, leaves });
        metrics.runRests.inc({ state: 'waiting' });
        log.info(
          { outcome: 'waiting', milliseconds: milliseconds(), until: thrown.until, detail: thrown.message },
          'run waits',
        );
        return { result: 'waiting' };
      }
      const error = errorOf(thrown);
      const deadline = findings.window?.deadline ?? run.batch_deadline;
      const failed = { run, stage, error, deadline: deadline === null ? undefined : BigInt(deadline) };
      return { result: await this.#afterError(failed, end, log.child({ milliseconds: milliseconds() })) };
    }
    const next = draining.aborted ? undefined : STAGES[STAGES.indexOf(stage) + 1];
    const following = await end({ outcome: 'succeeded', code: null, detail: null }, next);
    log.info({ outcome: 'succeeded', milliseconds: milliseconds() }, 'stage done');
    return { result: 'done', begun: following };
  }

  /** Counts a run that is over, once. */
  #countOver(run: RunRow, { state, claims }: RunEnd, { paidBefore, wasOver }: Recorded): void {
    const { metrics, keptPayments } = this.input.context;
    keptPayments.delete(run.id);
    if (wasOver) return;
    metrics.runRests.inc({ state });
    if (claims === undefined) return;
    countPaid(metrics, claims.paid, paidBefore);
    for (const [reason, count] of Object.entries(claims.reasons ?? {})) {
      metrics.claims.inc({ result: unpaidResult(reason) }, count);
    }
  }

  async #afterError(
    { run, stage, error, deadline }: FailedTry,
    end: (ending: AttemptEnd) => Promise<unknown>,
    log: StageContext['log'],
  ): Promise<AttemptResult> {
    const { context, policies, draining } = this.input;
    const { time, metrics } = context;
    const { code, message: detail, errorClass } = error;
    const now = time.now();
    const decision = afterError(policies[errorClass], await this.#failures(run, stage, error, now), time.random());
    const line = { code, class: errorClass, ...causeOf(error), detail } as const;

    if (decision.kind === 'retry' || decision.kind === 'wait') {
      const { kind, waitMs } = decision;
      const state = kind === 'retry' ? 'running' : 'waiting';
      const resumeAt = kind === 'retry' ? null : now + waitMs;
      await end({ outcome: 'retried', code, detail, leaves: { state, resumeAt } });
      log.warn({ outcome: 'retried', waitMs, ...line }, 'stage is retried');
      if (kind === 'wait') {
        metrics.runRests.inc({ state: 'waiting' });
        return 'waiting';
      }
      await time.pause(waitMs, draining);
      return 'again';
    }

    const state = decision.kind;
    const outcome = state === 'held' ? 'held' : 'failed';
    await end({ outcome, code, detail, leaves: { state, resumeAt: this.#resumeAt(decision, deadline) } });
    metrics.runRests.inc({ state });
    if (code === 'money-rule-broken') metrics.differs('money-rule');
    if (state === 'exhausted') log.error({ outcome, state, ...line }, 'run needs attention');
    else log.error({ outcome, state, ...line }, 'run stopped');
    return state;
  }

  /** This error and those of its class before it, which are recorded. */
  async #failures(run: RunRow, stage: Stage, error: RunError, now: number): Promise<Failures> {
    const before = await this.input.context.store.listRetries(run.id, stage);
    const alike = before.filter(({ code }) => classOf(code) === error.errorClass);
    return {
      count: alike.reduce((sum, { count }) => sum + count, 1),
      lastedMs: Math.max(0, now - Math.min(now, ...alike.map(({ firstAt }) => firstAt))),
    };
  }

  /** When a run that has stopped is looked at again, in unix milliseconds; an open window is never left beyond its deadline. */
  #resumeAt(stopped: RetryDecision, deadline: bigint | undefined): number | null {
    const { clock, time } = this.input.context;
    const now = time.now();
    const recheck = stopped.kind === 'held' ? now + stopped.waitMs : null;
    if (deadline === undefined) return recheck;
    const look = Math.ceil(nextCheckAt(clock.localTimeOf(deadline), now));
    return recheck === null ? look : Math.min(recheck, look);
  }

  async #addresses({ schedule, window }: RunKey): Promise<WindowAddresses> {
    const { program } = this.input.context;
    const address = schedule as Address;
    return { schedule: address, batch: await findBatchAddress(address, { programAddress: program }), window, program };
  }
}

/** What a stage threw as a run's error. */
function errorOf(thrown: unknown): RunError {
  if (thrown instanceof RunError || !isDatabaseOutage(thrown)) return toRunError(thrown);
  return new RunError('database-unavailable', 'The database did not answer.', { cause: thrown });
}

/** The kind of an error's cause and where it was thrown; its text could hold anything. */
function causeOf({ cause }: RunError): Pick<LogFields, 'cause' | 'place'> {
  return cause instanceof Error ? { cause: cause.name, place: placeOf(cause) } : {};
}
