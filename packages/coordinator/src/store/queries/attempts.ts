import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { AttemptOutcome, RunKey, RunState, Stage } from '../../domain/run.ts';
import { isDuplicate } from '../db/duplicate.ts';
import { grouped } from '../grouped.ts';
import { type Columns, recordset } from '../recordset.ts';
import type { Db, ExecutionAttemptsTable } from '../schema.ts';
import type { Payments } from './payments.ts';
import { type Claims, claimColumns, endColumns, type RunEnd, type RunRow } from './runs.ts';

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
 * Begins a try of a stage and notes it on the run; undefined if that is over, abandoned or deleted. Those still recorded as running were
 * cut off when their process went away; `interrupted` are their stages.
 */
export async function beginAttempt(
  database: Db,
  key: RunKey,
  stage: Stage,
  at: number,
): Promise<BegunAttempt | undefined> {
  for (let beginning = 1; ; beginning++) {
    try {
      return await beginOnce(database, { ...key, stage, at });
    } catch (error) {
      if (!isDuplicate(error) || beginning === BEGINNINGS) throw error;
    }
  }
}

type BegunRow = RunRow & {
  readonly attempt_id: number;
  readonly attempt_number: number;
  readonly next_stage: string;
  readonly at: string;
};

function begunOf(row: BegunRow, interrupted: readonly Stage[]): BegunAttempt {
  const { attempt_id, attempt_number, next_stage: _, at: __, ...run } = row;
  return { run, attemptId: attempt_id, number: attempt_number, interrupted };
}

/** Records that tries begin of the runs in `source`, which says the stage, for which `condition` holds; their numbers count those of the stage. */
const insertAttempts = (source: string, at: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
  insert into execution_attempts (run_id, stage, number, outcome, started_at)
  select run.id, run.next_stage, 1 + (
      select count(*) from execution_attempts as former where former.run_id = run.id and former.stage = run.next_stage
    ), 'running', ${at}
  from ${sql.table(source)} as run where ${condition} returning id, number, run_id`;

type Beginning = RunKey & { readonly stage: Stage; readonly at: number };

const BEGINNING: Columns = {
  place: 'integer',
  schedule: 'text',
  window_number: 'bigint',
  next_stage: 'text',
  at: 'bigint',
};

/** In one statement; undefined if the run is over, abandoned or deleted. Throws when another process has begun a try at the same moment. */
const beginOnce = grouped<Beginning, BegunAttempt | undefined>({
  keyOf: ({ schedule, window }) => `${schedule} ${window}`,
  async ask(database, beginnings) {
    const items = beginnings.map(({ schedule, window, stage, at }, place) => {
      return { place, schedule, window_number: window.toString(), next_stage: stage, at };
    });
    const { rows } = await sql<BegunRow & { readonly place: number; readonly cut_off: Stage[] }>`
      with beginning as materialized (${recordset(BEGINNING, items)}), run as (
        update execution_runs as run set state = 'running', stage = beginning.next_stage, resume_at = null,
          started_at = coalesce(run.started_at, beginning.at)
        from beginning
        where run.schedule = beginning.schedule and run.window_number = beginning.window_number
          and run.finished_at is null and run.state <> 'abandoned'
        returning run.*, beginning.place, beginning.next_stage, beginning.at
      ), cut_off as (
        update execution_attempts set outcome = 'interrupted', ended_at = run.at from run
        where execution_attempts.run_id = run.id and execution_attempts.outcome = 'running'
        returning execution_attempts.run_id, execution_attempts.stage
      ), begun as (
        -- So that what was running is cut off first.
        ${insertAttempts('run', sql`run.at`, sql`(select count(*) from cut_off) >= 0`)}
      )
      select run.*, begun.id as attempt_id, begun.number as attempt_number,
        array(select stage from cut_off where cut_off.run_id = run.id) as cut_off
      from run join begun on begun.run_id = run.id`.execute(database);
    const answers: (BegunAttempt | undefined)[] = beginnings.map(() => undefined);
    for (const { place, cut_off, ...begun } of rows) answers[place] = begunOf(begun, cut_off);
    return answers;
  },
});

/** How a try ended. */
export type AttemptEnd = {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly code: string | null;
  readonly detail: string | null;
  /**
   * How it leaves a run that is neither over nor abandoned, with the same code and detail; `resumeAt` in unix milliseconds for one that goes
   * on by itself after a rest. Undefined: as it was.
   */
  readonly leaves?: { readonly state: RunState; readonly resumeAt: number | null };
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

type Ended = AttemptEnd & {
  readonly id: number;
  readonly findings: AttemptFindings;
  readonly at: number;
  readonly following: Stage | undefined;
};

/**
 * Ends a try, records what it has found and, unless the run is over, begins one of the stage `following`: all in one statement. Throws
 * `AttemptSuperseded`: then nothing of it is recorded. `at`: unix milliseconds.
 */
export async function endAttempt(
  database: Db,
  id: number,
  end: AttemptEnd,
  findings: AttemptFindings,
  at: number,
  following?: Stage,
): Promise<Recorded> {
  const next = findings.over === undefined ? following : undefined;
  const recorded = await endTogether(database, { ...end, id, findings, at, following: next });
  if (recorded === undefined) throw new AttemptSuperseded('A later try of the run has begun.');
  return recorded;
}

const ENDING: Columns = {
  ...{ place: 'integer', attempt_id: 'integer', outcome: 'text', code: 'text', detail: 'text', at: 'bigint' },
  ...{
    quote_hash: 'text',
    landed: 'integer[]',
    list_id: 'integer',
    paid: 'bytea',
    are_right: 'boolean',
    next_stage: 'text',
    left_state: 'text',
    left_until: 'bigint',
  },
};

/** What the end of a try may change of its run. */
const CHANGED: Columns = {
  ...{ claims_total: 'integer', batch_deadline: 'bigint', claims_paid: 'integer', unpaid: 'integer' },
  ...{ unpaid_reasons: 'jsonb', state: 'text', paid_amount: 'text', stage: 'text', error_code: 'text' },
  ...{ error_detail: 'text', resume_at: 'bigint', finished_at: 'bigint', settled_at: 'bigint' },
};

/** What changes of a run by what a try of a stage has found. */
function changesOf({ window, claims, over }: AttemptFindings): Record<string, unknown> {
  const { unpaid_reasons: reasons, ...changes } = {
    ...(window && { claims_total: window.recipients, batch_deadline: window.deadline.toString() }),
    ...(claims && claimColumns(claims)),
    ...(over && endColumns(over)),
  } as Record<string, unknown>;
  return typeof reasons === 'string' ? { ...changes, unpaid_reasons: JSON.parse(reasons) } : changes;
}

/** What there is to do at the end of a try. Only that stands in its statement, so that the server keeps one plan for each kind. */
function workOf({ findings, following, leaves }: Ended) {
  const { landed, payments, over } = findings;
  return {
    hasLanded: landed.length > 0,
    hasPayments: payments !== undefined,
    isOver: over !== undefined,
    isConfirmed: over?.arePaymentsRight !== undefined,
    isFollowed: following !== undefined,
    isLeft: leaves !== undefined,
    columns: Object.keys(changesOf(findings)),
  };
}

const itemOf = ({ id, outcome, code, detail, leaves, findings, at, following }: Ended, place: number) => {
  const { landed, payments, quoteHash = null, over } = findings;
  const paid = payments?.paid == null ? null : `\\x${Buffer.from(payments.paid).toString('hex')}`;
  const changes = Object.entries(changesOf(findings)).map(([name, value]) => [`new_${name}`, value]);
  return {
    ...{ place, attempt_id: id, outcome, code, detail, at, quote_hash: quoteHash, landed, list_id: payments?.listId },
    ...{ paid, are_right: over?.arePaymentsRight, next_stage: following },
    ...{ left_state: leaves?.state, left_until: leaves?.resumeAt, ...Object.fromEntries(changes) },
  };
};

/** The parts of a statement that ends tries with so much to do. */
function partsOf(work: ReturnType<typeof workOf>) {
  const { hasLanded, hasPayments, isOver, isConfirmed, isFollowed, isLeft, columns } = work;
  const parts: RawBuilder<unknown>[] = [];
  if (hasLanded) {
    parts.push(sql`landed as (
      update ledger_transactions as sent set outcome = 'landed' from ended where sent.id = any(ended.landed)
    )`);
  }
  if (hasPayments) {
    // Nothing is kept of a list that is gone.
    parts.push(sql`paid as (
      insert into run_payments (run_id, list_id, paid)
      select ended.run_id, list.id, ended.paid from ended join recipient_lists as list on list.id = ended.list_id
      on conflict (run_id) do update set list_id = excluded.list_id, paid = excluded.paid
      where not run_payments.is_confirmed and excluded.paid is not null
    )`);
  }
  if (isConfirmed) {
    parts.push(sql`confirmed as (
      update run_payments set is_confirmed = ended.are_right from ended where run_payments.run_id = ended.run_id
    )`);
  }
  const changes = columns.map((name) => sql`${sql.id(name)} = ended.${sql.id(`new_${name}`)}`);
  // What a try has found of a run that somebody has ended meanwhile stands, but nothing begins, and the run stays as it is.
  const goesOn = isAlive('run');
  const change = (name: string, value: RawBuilder<unknown>) =>
    changes.push(sql`${sql.id(name)} = case when ${goesOn} then ${value} else run.${sql.id(name)} end`);
  if (isFollowed) {
    change('state', sql`'running'`);
    change('stage', sql`ended.next_stage`);
    change('resume_at', sql`null`);
  }
  if (isLeft) {
    change('state', sql`ended.left_state`);
    change('error_code', sql`ended.code`);
    change('error_detail', sql`ended.detail`);
    change('resume_at', sql`ended.left_until`);
  }
  if (changes.length > 0) {
    parts.push(sql`changed as (
      update execution_runs as run set ${sql.join(changes)} from ended
      where run.id = ended.run_id ${isOver ? sql`and not ended.was_over` : sql``}
      returning run.*, ended.next_stage, ended.at
    )`);
  }
  if (isFollowed) parts.push(sql`begun as (${insertAttempts('changed', sql`run.at`, goesOn)})`);
  return parts;
}

type EndedRow = Partial<BegunRow> & {
  readonly place: number;
  readonly paid_before: number;
  readonly was_over: boolean;
};

/** Ends tries with the same kinds of things to do; undefined where a later one has begun. */
const endTogether = grouped<Ended, Recorded | undefined>({
  keyOf: ({ id }) => String(id),
  shapeOf: (ended) => JSON.stringify(workOf(ended)),
  async ask(database, ends) {
    const work = workOf(ends[0] as Ended);
    const columns = {
      ...ENDING,
      ...Object.fromEntries(work.columns.map((name) => [`new_${name}`, CHANGED[name] as string])),
    };
    // Runs are locked first, in order, as by whoever begins a try, so that nobody waits for one who waits for them.
    const parts = [
      sql`ending as materialized (${recordset(columns, ends.map(itemOf))})`,
      sql`before as (
        select run.id as run_id, run.claims_paid, run.finished_at is not null as was_over, ending.*
        from ending join execution_attempts as attempt on attempt.id = ending.attempt_id
          join execution_runs as run on run.id = attempt.run_id
        order by run.id for update of run
      )`,
      sql`ended as (
        update execution_attempts as attempt set outcome = before.outcome, error_code = before.code,
          error_detail = before.detail, ended_at = before.at, quote_hash = before.quote_hash
        from before where attempt.id = before.attempt_id and attempt.outcome = 'running'
        returning before.*
      )`,
      ...partsOf(work),
    ];
    const answer = work.isFollowed
      ? sql`select changed.*, ended.place, ended.claims_paid as paid_before, was_over, begun.id as attempt_id,
          begun.number as attempt_number
        from ended join changed on changed.id = ended.run_id left join begun on begun.run_id = ended.run_id`
      : sql`select place, claims_paid as paid_before, was_over from ended`;
    const { rows } = await sql<EndedRow>`with ${sql.join(parts)} ${answer}`.execute(database);
    const answers: (Recorded | undefined)[] = ends.map(() => undefined);
    for (const { place, paid_before, was_over, ...begun } of rows) {
      const isBegun = begun.attempt_id != null;
      const next = isBegun ? begunOf(begun as BegunRow, []) : undefined;
      answers[place] = { paidBefore: paid_before, wasOver: was_over, begun: next };
    }
    return answers;
  },
});

const isAlive = (run: string) =>
  sql`${sql.ref(`${run}.finished_at`)} is null and ${sql.ref(`${run}.state`)} <> 'abandoned'`;

/**
 * Notes what became of a window's recipients so far, while a try is under way, and returns how many were noted as paid before. Throws
 * `AttemptSuperseded`: then nothing of it is recorded.
 */
export async function saveClaims(database: Db, attemptId: number, claims: Claims): Promise<number> {
  const recorded = await database
    // The run is locked first, as by whoever begins a try, and the try is looked at as it is then.
    .with('before', (db) =>
      db
        .selectFrom('execution_runs as run')
        .innerJoin('execution_attempts as attempt', 'attempt.run_id', 'run.id')
        .where('attempt.id', '=', attemptId)
        .select(['run.id', 'run.claims_paid'])
        .forUpdate('run'),
    )
    .with('under_way', (db) =>
      db
        .selectFrom('before')
        .innerJoin('execution_attempts as attempt', 'attempt.run_id', 'before.id')
        .where('attempt.id', '=', attemptId)
        .where('attempt.outcome', '=', 'running')
        .select(['before.id', 'before.claims_paid'])
        .forShare('attempt'),
    )
    .updateTable('execution_runs')
    .from('under_way')
    .set(claimColumns(claims))
    .whereRef('execution_runs.id', '=', 'under_way.id')
    .returning('under_way.claims_paid')
    .executeTakeFirst();
  if (recorded === undefined) throw new AttemptSuperseded('A later try of the run has begun.');
  return recorded.claims_paid;
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
