import { type Kysely, sql } from 'kysely';

/** Unix milliseconds by the database's clock, as it is when the line is reached. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** What is told of a run's and a schedule's changes: written by the change itself, whoever makes it, so that none is lost or made up. */
export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table run_events (
    id bigint generated always as identity primary key,
    at bigint not null,
    kind text not null,
    schedule text not null,
    window_number bigint not null,
    state text not null,
    stage text,
    claims_paid integer,
    claims_total integer,
    error_code text,
    next_execution bigint
  )`.execute(database);

  await sql`create table webhook_endpoints (
    id uuid primary key,
    vault text not null,
    schedule text references schedules (address) on delete cascade,
    types text[] not null,
    content bytea not null,
    wrapped_key bytea not null,
    key_id text not null,
    created_at bigint not null,
    failing_since bigint,
    disabled_at bigint,
    disabled_why text
  )`.execute(database);
  await sql`create index webhook_endpoints_vault on webhook_endpoints (vault)`.execute(database);
  await sql`create index webhook_endpoints_schedule on webhook_endpoints (schedule)`.execute(database);
  await sql`create table webhook_messages (
    id uuid primary key default gen_random_uuid(),
    number bigint generated always as identity,
    endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
    type text not null,
    at bigint not null,
    schedule text not null,
    run_id integer,
    data json not null,
    state text not null,
    tries integer not null default 0,
    next_at bigint,
    attempts jsonb not null default '[]'
  )`.execute(database);
  await sql`create index webhook_messages_due on webhook_messages (next_at) where next_at is not null`.execute(
    database,
  );
  await sql`create index webhook_messages_endpoint on webhook_messages (endpoint_id, number)`.execute(database);
  await sql`create index webhook_messages_run on webhook_messages (run_id, endpoint_id, number)`.execute(database);

  await sql`create function note_run_event() returns trigger language plpgsql as $$
  begin
    insert into run_events (at, kind, schedule, window_number, state, stage, claims_paid, claims_total, error_code)
    values (${sql.raw(NOW)}, 'run', new.schedule, new.window_number, new.state, new.stage, new.claims_paid,
      new.claims_total, new.error_code);
    return null;
  end $$`.execute(database);
  await sql`create trigger run_recorded after insert on execution_runs for each row execute function note_run_event()`.execute(
    database,
  );
  await sql`create trigger run_changed after update on execution_runs for each row
    when ((old.state, old.stage, old.claims_paid, old.claims_total, old.error_code)
      is distinct from (new.state, new.stage, new.claims_paid, new.claims_total, new.error_code))
    execute function note_run_event()`.execute(database);

  await sql`create function note_schedule_event() returns trigger language plpgsql as $$
  begin
    insert into run_events (at, kind, schedule, window_number, state, next_execution)
    values (${sql.raw(NOW)}, 'schedule', new.address, new.window_number, new.status, new.next_execution);
    return null;
  end $$`.execute(database);
  await sql`create trigger schedule_recorded after insert on schedules for each row execute function note_schedule_event()`.execute(
    database,
  );
  await sql`create trigger schedule_changed after update on schedules for each row
    when ((old.status, old.window_number, old.next_execution)
      is distinct from (new.status, new.window_number, new.next_execution))
    execute function note_schedule_event()`.execute(database);

  // An endpoint that is disabled is kept the messages, not sent them: they can be replayed once it works again. In plpgsql, whose plans
  // are kept.
  await sql`create function tell_webhooks(run execution_runs, told text, facts json) returns void language plpgsql as $$
  begin
    insert into webhook_messages (endpoint_id, type, at, schedule, run_id, data, state, next_at)
    select endpoint.id, told, ${sql.raw(NOW)}, run.schedule, run.id, facts,
      case when endpoint.disabled_at is null then 'pending' else 'failed' end,
      case when endpoint.disabled_at is null then 0 end
    from schedules as schedule join webhook_endpoints as endpoint on endpoint.vault = schedule.vault
    where schedule.address = run.schedule and coalesce(endpoint.schedule, run.schedule) = run.schedule
      and told = any(endpoint.types)
      -- A held run is looked at again and again: it is told once for each reason.
      and (told <> 'run.held' or (
        select last.data ->> 'errorCode' from webhook_messages as last
        where last.run_id = run.id and last.endpoint_id = endpoint.id and last.type = 'run.held'
        order by last.number desc limit 1
      ) is distinct from run.error_code)
    order by endpoint.id;
  end $$`.execute(database);
  await sql`create function tell_run() returns trigger language plpgsql as $$
  begin
    if old.batch_deadline is null and new.batch_deadline is not null then
      perform tell_webhooks(new, 'run.opened', json_build_object('schedulePda', new.schedule,
        'window', new.window_number::text, 'recipients', new.claims_total, 'deadline', new.batch_deadline));
    end if;
    if old.state = new.state then
      return null;
    end if;
    if new.state = 'held' then
      perform tell_webhooks(new, 'run.held', json_build_object('schedulePda', new.schedule,
        'window', new.window_number::text, 'errorCode', new.error_code));
    elsif new.state in ('exhausted', 'failed') then
      perform tell_webhooks(new, 'run.exhausted', json_build_object('schedulePda', new.schedule,
        'window', new.window_number::text, 'state', new.state, 'errorCode', new.error_code));
    elsif new.state = 'settled' then
      perform tell_webhooks(new, 'run.completed', json_build_object('schedulePda', new.schedule,
        'window', new.window_number::text, 'claims', json_build_object('paid', new.claims_paid, 'total', new.claims_total),
        'unpaid', new.unpaid, 'paidAmount', new.paid_amount));
      if new.unpaid > 0 then
        perform tell_webhooks(new, 'recipient.unpaid', json_build_object('schedulePda', new.schedule,
          'window', new.window_number::text, 'unpaid', new.unpaid, 'reasons', new.unpaid_reasons));
      end if;
    end if;
    return null;
  end $$`.execute(database);
  await sql`create trigger run_told after update on execution_runs for each row
    when (old.state is distinct from new.state or (old.batch_deadline is null and new.batch_deadline is not null))
    execute function tell_run()`.execute(database);

  // Nothing is told any more of a schedule that was forgotten.
  await sql`create function forget_events() returns trigger language plpgsql as $$
  begin
    delete from run_events where schedule = old.address;
    delete from webhook_messages where schedule = old.address;
    return null;
  end $$`.execute(database);
  await sql`create trigger schedule_forgotten after delete on schedules for each row execute function forget_events()`.execute(
    database,
  );
}
