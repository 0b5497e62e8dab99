import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { AttemptOutcome, RunKey, Stage } from '../../domain/run.ts';
import { isDuplicate } from '../db/duplicate.ts';
import type { Db, ExecutionAttemptsTable } from '../schema.ts';
import type { Payments } from './payments.ts';
import { type Claims, claimColumns, endColumns, findRun, type RunEnd, type RunRow } from './runs.ts';

/** A try of a stage that has begun. */
export type BegunAttempt = {
  readonly run: RunRow;
  readonly attemptId: number;
  /** From 1 for each stage of a run. */
  readonly number: number;
  /** Stages of tries that were still recorded as running: their process went away. */
  readonly interrupted: readonly Stage[];
};

/** Tries of a stage that failed with a code and were to be repeated; `firstAt`: when the first of them failed, unix milliseconds. */
export type Retries = { readonly code: string; readonly count: number; readonly firstAt: number };

/** One try of a stage, with the signatures of the transactions that it kept; times in unix milliseconds. */
export type AttemptRow = Selectable<ExecutionAttemptsTable> & { readonly signatures: readonly string[] };

/** Times that the statement below is made: each further one sees what another process began at the same moment. */
const BEGINNINGS = 5;

/**
 * Begins a try of a stage and notes it on the run; `ended` if that is over or abandoned, `missing` if there is none. Those still recorded as running were cut off when their process went away;
 * `interrupted` are their stages.
 */
export async function beginAttempt(
  database: Db,
  key: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | 'ended' | 'missing'> {
  for (let beginning = 1; ; beginning++) {
    try {
      const begun = await beginOnce(database, key, stage, at);
      if (begun !== undefined) return begun;
      return (await findRun(database, key)) === undefined ? 'missing' : 'ended';
    } catch (error) {
      if (!isDuplicate(error) || beginning === BEGINNINGS) throw error;
    }
  }
}

type BegunRow = RunRow & { readonly attempt_id: number; readonly attempt_number: number };

function begunOf(row: BegunRow, interrupted: readonly Stage[]): BegunAttempt {
  const { attempt_id, attempt_number, ...run } = row;
  return { run, attemptId: attempt_id, number: attempt_number, interrupted };
}

/** Records that a try of a stage begins, of the run in `source` and if `condition` holds; its number counts those of the stage. */
const insertAttempt = (source: string, stage: Stage, at: number, condition: RawBuilder<unknown>) => sql`
  insert into execution_attempts (run_id, stage, number, outcome, started_at)
  select run.id, ${stage}, 1 + (
      select count(*) from execution_attempts as former where former.run_id = run.id and former.stage = ${stage}
    ), 'running', ${at}::bigint
  from ${sql.table(source)} as run where ${condition} returning id, number`;

/** In one statement; undefined if the run is missing or over. Throws when another process has begun a try at the same moment. */
async function beginOnce(
  database: Db,
  { schedule, window }: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | undefined> {
  const { rows } = await sql<BegunRow & { readonly cut_off: Stage[] }>`
    with run as (
      update execution_runs
      set state = 'running', stage = ${stage}, resume_at = null, started_at = coalesce(started_at, ${at}::bigint)
      where schedule = ${schedule} and window_number = ${window.toString()}::bigint
        and finished_at is null and state <> 'abandoned'
      returning *
    ), cut_off as (
      update execution_attempts set outcome = 'interrupted', ended_at = ${at}::bigint from run
      where execution_attempts.run_id = run.id and execution_attempts.outcome = 'running'
      returning execution_attempts.stage
    ), begun as (
      -- So that what was running is cut off first.
      ${insertAttempt('run', stage, at, sql`(select count(*) from cut_off) >= 0`)}
    )
    select run.*, begun.id as attempt_id, begun.number as attempt_number, array(select stage from cut_off) as cut_off
    from run, begun`.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { cut_off, ...begun } = row;
  return begunOf(begun, cut_off);
}

/** How a try ended. */
export type AttemptEnd = {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly code: string | null;
  readonly detail: string | null;
};

/** A later try has begun meanwhile, in another process that took this one for dead: what came of this one counts no more. */
export class AttemptSuperseded extends Error {
  override readonly name = 'AttemptSuperseded';
}

/** What a try of a stage has come to know, recorded together with its end. */
export type AttemptFindings = {
  /** Transactions of the run that the ledgers show. */
  landed: number[];
  /** What the open window is about: how many recipients, and its deadline in unix seconds of the ledger's clock. */
  window?: { readonly recipients: number; readonly deadline: bigint };
  claims?: Claims;
  payments?: Payments | undefined;
  /** SHA-256, hexadecimal, of the quote by which the layer was trusted; null: none was asked for. */
  quoteHash?: string | null;
  /** How the run is over; its claims count, and payments were kept before. */
  over?: RunEnd;
};

/** What is known once a try's end is recorded. */
export type Recorded = {
  /** How many recipients were noted as paid before. */
  readonly paidBefore: number;
  /** The run was over before: nothing of its end is recorded again. */
  readonly wasOver: boolean;
  /** The next stage's try; undefined if none was asked for, or the run is over or abandoned. */
  readonly begun: BegunAttempt | undefined;
};

type RecordedRow = Partial<BegunRow> & { readonly paid_before: number; readonly was_over: boolean };

/**
 * Ends a try, records what it has found and, unless the run is over, begins one of the stage `following`: all in one statement. Throws
 * `AttemptSuperseded`: then nothing of it is recorded. `at`: unix milliseconds.
 */
export async function endAttempt(
  database: Db,
  id: number,
  { outcome, code, detail }: AttemptEnd,
  findings: AttemptFindings,
  at: number,
  following?: Stage,
): Promise<Recorded> {
  const { landed, payments, quoteHash = null, over } = findings;
  const next = over === undefined ? following : undefined;
  const changes = changesOf(findings, next);
  // Only what there is to do stands in it, so that the server keeps one plan for each kind instead of making one each time. The run is
  // locked first, as by whoever begins a try, so that neither waits for the other.
  const parts = [
    sql`before as (
      select run.id, run.claims_paid, run.finished_at is not null as was_over
      from execution_runs as run where id = (select run_id from execution_attempts where id = ${id}::integer) for update
    )`,
    sql`ended as (
      update execution_attempts set outcome = ${outcome}, error_code = ${code}, error_detail = ${detail},
        ended_at = ${at}::bigint, quote_hash = ${quoteHash}
      from before where execution_attempts.id = ${id}::integer and outcome = 'running'
      returning run_id, claims_paid, was_over
    )`,
  ];
  if (landed.length > 0) {
    parts.push(sql`landed as (
      update ledger_transactions set outcome = 'landed' from ended where id = any(${landed}::integer[])
    )`);
  }
  if (payments !== undefined) {
    // Nothing is kept of a list that is gone.
    parts.push(sql`paid as (
      insert into run_payments (run_id, list_id, paid)
      select run_id, id, ${payments.paid}::bytea from ended, recipient_lists where id = ${payments.listId}::integer
      on conflict (run_id) do update set list_id = excluded.list_id, paid = excluded.paid
      where not run_payments.is_confirmed and excluded.paid is not null
    )`);
  }
  if (over?.arePaymentsRight !== undefined) {
    parts.push(sql`confirmed as (
      update run_payments set is_confirmed = ${over.arePaymentsRight} from ended where run_payments.run_id = ended.run_id
    )`);
  }
  if (changes.length > 0) {
    parts.push(sql`changed as (
      update execution_runs as run set ${sql.join(changes)} from ended
      where run.id = ended.run_id ${over === undefined ? sql`` : sql`and not was_over`}
      returning run.*
    )`);
  }
  let answer = sql`select claims_paid as paid_before, was_over from ended`;
  if (next !== undefined) {
    parts.push(sql`begun as (${insertAttempt('changed', next, at, isAlive('run'))})`);
    answer = sql`select changed.*, ended.claims_paid as paid_before, was_over, begun.id as attempt_id,
      begun.number as attempt_number from ended, changed left join begun on true`;
  }
  const { rows } = await sql<RecordedRow>`with ${sql.join(parts)} ${answer}`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new AttemptSuperseded('A later try of the run has begun.');
  const { paid_before, was_over, ...begun } = row;
  const isBegun = begun.attempt_id != null;
  return { paidBefore: paid_before, wasOver: was_over, begun: isBegun ? begunOf(begun as BegunRow, []) : undefined };
}

const isAlive = (run: string) =>
  sql`${sql.ref(`${run}.finished_at`)} is null and ${sql.ref(`${run}.state`)} <> 'abandoned'`;

/** What changes of a run by what a try of a stage has found, and by the try of the next one. */
function changesOf({ window, claims, over }: AttemptFindings, next: Stage | undefined): RawBuilder<unknown>[] {
  const columns = {
    ...(window && { claims_total: window.recipients, batch_deadline: window.deadline.toString() }),
    ...(claims && claimColumns(claims)),
    ...(over && endColumns(over)),
  };
  const changes: RawBuilder<unknown>[] = Object.entries(columns).map(
    ([name, value]) => sql`${sql.id(name)} = ${value}`,
  );
  if (next !== undefined) {
    // What a try has found of a run that somebody has ended meanwhile stands, but nothing begins.
    const begins = isAlive('run');
    changes.push(sql`state = case when ${begins} then 'running' else run.state end,
      stage = case when ${begins} then ${next} else run.stage end,
      resume_at = case when ${begins} then null else run.resume_at end`);
  }
  return changes;
}

/** Tries of a stage that were to be repeated, by code, since the last one that came to anything else and the last new start. */
export async function listRetries(database: Db, runId: number, stage: Stage): Promise<Retries[]> {
  const { rows } = await sql<{ code: string; count: number; first_at: string }>`
    select error_code as code, count(*)::integer as count, min(ended_at) as first_at from execution_attempts
    where run_id = ${runId} and stage = ${stage} and outcome = 'retried'
      and id > (select retries_after from execution_runs where id = ${runId})
      and id > (select coalesce(max(id), 0) from execution_attempts
        where run_id = ${runId} and stage = ${stage} and outcome not in ('retried', 'interrupted', 'running'))
    group by error_code`.execute(database);
  return rows.map(({ code, count, first_at }) => ({ code, count, firstAt: Number(first_at) }));
}

/** Every try of these runs, in order. */
export async function listAttempts(database: Db, runIds: readonly number[]): Promise<AttemptRow[]> {
  if (runIds.length === 0) return [];
  const attempts = await database
    .selectFrom('execution_attempts')
    .selectAll()
    .where('run_id', 'in', runIds)
    .orderBy('id')
    .execute();
  const transactions = await database
    .selectFrom('ledger_transactions')
    .select(['id', 'attempt_id', 'signature'])
    .where('run_id', 'in', runIds)
    .unionAll(
      database
        .selectFrom('settled_runs as settled')
        .innerJoin('ledger_transactions as sent', 'sent.id', 'settled.transaction_id')
        .select(['sent.id', 'settled.attempt_id', 'sent.signature'])
        .where('settled.run_id', 'in', runIds),
    )
    .orderBy('id')
    .execute();
  return attempts.map((attempt) => ({
    ...attempt,
    signatures: transactions.filter(({ attempt_id }) => attempt_id === attempt.id).map(({ signature }) => signature),
  }));
}
