-- Schedules and what is seen of them. src/store/schema.ts says what each column means.

create table schedules (
  address text primary key,
  vault text not null,
  mint text not null,
  root text not null,
  root_version integer not null,
  status text not null,
  phase text not null,
  window_number bigint not null,
  next_execution bigint not null,
  executions_left integer not null,
  kept integer not null default 0,
  kept_reserved integer not null default 0,
  recipients integer not null,
  amount text not null,
  unit text not null,
  every integer not null,
  day integer not null,
  dates integer[],
  batch_timeout integer not null,
  proposal jsonb,
  employer text,
  covered_windows integer,
  short_amount text,
  short_at bigint,
  run_window bigint,
  seen_slot bigint not null,
  seen_at bigint not null,
  registered_at bigint not null
);
-- What a poll asks: due by time, or open, and no run for the window yet.
create index schedules_due on schedules (next_execution)
  where status = 'active' and (run_window is null or run_window < window_number);
create index schedules_open on schedules (address)
  where phase = 'open' and (run_window is null or run_window < window_number);
create index schedules_seen on schedules (seen_at);
create index schedules_open_of_mint on schedules (mint) where phase = 'open';
create index schedules_mint on schedules (mint);
create index schedules_vault on schedules (vault);
create index schedules_employer on schedules (employer, address);
create index schedules_covered on schedules (covered_windows) where status = 'active';
-- Those without an end whose money doesn't reach for what they keep.
create index schedules_not_kept on schedules (address) where status = 'active' and covered_windows < kept;
create index schedules_short on schedules (short_at) where status = 'active' and short_at is not null;

create table vaults (
  address text primary key,
  mint text not null,
  decimals integer not null,
  symbol text,
  reserved text not null,
  available text not null,
  seen_slot bigint not null,
  seen_at bigint not null
);
create index vaults_seen on vaults (seen_at);

-- Recipients' lists.

create table service_keys (
  name text primary key,
  wrapped_key bytea not null,
  key_id text not null,
  created_at bigint not null
);
create table recipient_lists (
  id integer generated always as identity primary key,
  schedule text not null references schedules (address) on delete cascade,
  root text not null,
  recipients integer not null,
  wrapped_key bytea not null,
  key_id text not null,
  former_marks bytea[] not null default '{}',
  places bytea,
  index_key text references service_keys (name),
  is_indexed boolean not null default false,
  registered_at bigint not null,
  unique (schedule, root)
);
create index recipient_lists_index_key on recipient_lists (index_key);
create index recipient_lists_unindexed on recipient_lists (id) where not is_indexed;

create table recipient_list_chunks (
  list_id integer not null references recipient_lists (id) on delete cascade,
  number integer not null,
  content bytea not null,
  primary key (list_id, number)
);
-- Random and encrypted bytes: trying to compress them costs time and gains nothing.
alter table recipient_list_chunks alter column content set storage external;

create table recipient_tags (
  list_id integer not null references recipient_lists (id) on delete cascade,
  place integer not null,
  tag bytea not null,
  primary key (list_id, place)
);
create index recipient_tags_tag on recipient_tags (tag);

create table withdrawals (
  tag bytea primary key,
  month integer not null,
  key_name text not null references service_keys (name),
  content bytea not null
);
create index withdrawals_key on withdrawals (key_name);
create index withdrawals_month on withdrawals (month);

-- Payouts that have arrived, as the base ledger shows them to everybody, and the transfers from their wallets whose fees were paid. No dump
-- lists the wallets: `wallet_hash` is SHA-256 of token and wallet.
create table paid_wallets (
  mint text not null,
  number bigint not null,
  wallet_hash bytea not null,
  paid_at bigint not null,
  primary key (mint, number)
);
create index paid_wallets_wallet_hash on paid_wallets (wallet_hash);
create index paid_wallets_paid_at on paid_wallets (paid_at);

create table relayed_transfers (
  signature text primary key,
  wallet_hash bytea not null,
  last_valid_block_height bigint not null,
  has_landed boolean not null default false
);
create index relayed_transfers_wallet_hash on relayed_transfers (wallet_hash);

create table exit_rounds (
  mint text not null,
  round_at bigint not null,
  leaves boolean not null,
  parts integer not null,
  people integer not null,
  primary key (mint, round_at)
);
create table exit_sizes (
  mint text not null,
  from_at bigint not null,
  size text not null,
  primary key (mint, from_at)
);

-- Runs, their tries and their transactions.

create table execution_runs (
  id integer generated always as identity primary key,
  schedule text not null references schedules (address) on delete cascade,
  window_number bigint not null,
  state text not null,
  stage text,
  claims_paid integer not null default 0,
  claims_total integer not null,
  unpaid integer not null default 0,
  paid_amount text,
  unpaid_reasons jsonb not null default '{}',
  error_code text,
  error_detail text,
  batch_deadline bigint,
  resume_at bigint,
  retries_after integer not null default 0,
  is_rebuilt boolean not null default false,
  due_at bigint,
  created_at bigint not null,
  started_at bigint,
  finished_at bigint,
  settled_at bigint,
  unique (schedule, window_number)
);
create index execution_runs_resume on execution_runs (resume_at) where resume_at is not null;
create index execution_runs_unfinished on execution_runs (id) where finished_at is null;
create index execution_runs_begun on execution_runs (schedule) where finished_at is null and started_at is not null;
-- A run enters these once it is over: one at work changes none of them.
create index execution_runs_over on execution_runs (state, id) where finished_at is not null;
create index execution_runs_finished on execution_runs (finished_at) where finished_at is not null;

create table abandoned_runs (
  run_id integer primary key references execution_runs (id) on delete cascade,
  reason bytea not null,
  key_id text not null,
  abandoned_at bigint not null
);

create table run_payments (
  run_id integer primary key references execution_runs (id) on delete cascade,
  list_id integer not null references recipient_lists (id) on delete cascade,
  paid bytea,
  is_confirmed boolean not null default false
);
create index run_payments_list on run_payments (list_id);

create table execution_attempts (
  id integer generated always as identity primary key,
  run_id integer not null references execution_runs (id) on delete cascade,
  stage text not null,
  number integer not null,
  outcome text not null,
  error_code text,
  error_detail text,
  started_at bigint not null,
  ended_at bigint,
  quote_hash text
);
create index execution_attempts_run on execution_attempts (run_id, id);
-- Whoever begins a try must have cut off the one before, so that it can't be recorded as the run's.
create unique index execution_attempts_running on execution_attempts (run_id) where outcome = 'running';
create index execution_attempts_failed on execution_attempts (ended_at) where error_code is not null;

create table ledger_transactions (
  id integer generated always as identity primary key,
  -- Null: for a recording between settlements, or one that settles the windows of several runs.
  run_id integer references execution_runs (id) on delete cascade,
  attempt_id integer references execution_attempts (id) on delete cascade,
  ledger text not null,
  purpose text not null,
  signature text not null unique,
  wire text not null,
  last_valid_block_height bigint not null,
  outcome text not null,
  created_at bigint not null
);
create index ledger_transactions_run on ledger_transactions (run_id, purpose, id);
create index ledger_transactions_on_their_way on ledger_transactions (id) where outcome = 'sent' and run_id is null;

create table settlements (
  run_id integer primary key references execution_runs (id) on delete cascade,
  attempt_id integer not null references execution_attempts (id) on delete cascade,
  mint text not null,
  schedule text not null,
  window_number bigint not null,
  error_code text,
  error_detail text
);
create index settlements_asked on settlements (mint) where error_code is null;

create table settled_runs (
  transaction_id integer not null references ledger_transactions (id) on delete cascade,
  run_id integer not null references execution_runs (id) on delete cascade,
  attempt_id integer not null references execution_attempts (id) on delete cascade,
  primary key (transaction_id, run_id)
);
create index settled_runs_run on settled_runs (run_id);

-- Liabilities trees.

create table liability_trees (
  mint text primary key,
  wrapped_key bytea not null,
  key_id text not null,
  former_marks bytea[] not null default '{}',
  seed bytea not null,
  next_page integer not null default 1,
  free_places bytea,
  created_at bigint not null
);
create table balance_pages (
  mint text not null references liability_trees (mint) on delete cascade,
  number integer not null,
  content bytea not null,
  primary key (mint, number)
);
create table balance_owners (
  mint text not null references liability_trees (mint) on delete cascade,
  vault text not null,
  part integer not null,
  content bytea not null,
  primary key (mint, vault, part)
);
alter table balance_owners alter column content set storage external;
create table liability_recordings (
  mint text not null references liability_trees (mint) on delete cascade,
  number bigint not null,
  sequence bigint not null,
  root text not null,
  total text not null,
  covered_to text not null,
  leaves integer not null,
  transaction_id integer references ledger_transactions (id) on delete set null,
  created_at bigint not null,
  primary key (mint, number)
);
create table liability_chunks (
  mint text not null references liability_trees (mint) on delete cascade,
  chunk integer not null,
  part text not null,
  number bigint not null,
  hash bytea,
  content bytea not null,
  primary key (mint, chunk, part, number),
  check ((part = 'what') = (hash is not null))
);

-- The service itself.

create table instance_leases (
  executor text primary key,
  instance text not null,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create table idempotency_keys (
  key_hash bytea primary key,
  fingerprint bytea not null,
  status integer not null,
  created_at bigint not null
);
create index idempotency_keys_age on idempotency_keys (created_at);
create table signature_nonces (
  digest bytea primary key,
  expires_at bigint not null
);
create index signature_nonces_age on signature_nonces (expires_at);

create table reconciled_schedules (
  schedule text primary key references schedules (address) on delete cascade,
  window_number bigint not null,
  paid_total text not null,
  complete_from bigint not null default 0
);
create table reconciliation (
  is_only boolean primary key default true check (is_only),
  place text,
  found jsonb not null default '{}',
  taken_by text,
  taken_until timestamptz not null default '-infinity',
  next_at timestamptz not null default '-infinity',
  remaining jsonb not null default '{}',
  ended_at timestamptz
);
insert into reconciliation default values;

create table auditor_grants (
  id text primary key,
  schedule text not null references schedules (address) on delete cascade,
  auditor text not null,
  scope text not null,
  named bytea not null,
  from_window bigint,
  to_window bigint,
  wrapped_key bytea not null,
  key_id text not null,
  former_marks bytea[] not null default '{}',
  created_at bigint not null,
  ends_at bigint not null,
  revoked_at bigint
);
create index auditor_grants_schedule on auditor_grants (schedule, created_at);
create index auditor_grants_auditor on auditor_grants (auditor, id);
create table grant_uses (
  id bigint generated always as identity primary key,
  grant_id text not null references auditor_grants (id) on delete cascade,
  used_at bigint not null,
  kind text not null,
  window_number bigint,
  subject bytea
);
create index grant_uses_grant on grant_uses (grant_id, id);

-- What is told of a run's and a schedule's changes: written by the change itself, whoever makes it, so that none is lost or made up. In
-- plpgsql, whose plans are kept; times are unix milliseconds by the database's clock, as it is when the line is reached.

create table run_events (
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
  next_execution bigint,
  condition text
);

-- What lasts and is told once: a row from when it was seen until it is over. `subject` is a schedule; of withdrawals that are stuck, their token.
create table conditions (
  kind text not null,
  subject text not null,
  window_number bigint,
  facts json not null,
  since bigint not null,
  primary key (kind, subject)
);
create index conditions_subject on conditions (subject);

-- Who is told: employers' programs, or people by e-mail or chat, by `kind`. Of people, `owner` is a keyed hash of whose notices they are, and
-- without a vault they are of a recipient's own money.
create table webhook_endpoints (
  id uuid primary key,
  kind text not null default 'webhook',
  vault text,
  schedule text references schedules (address) on delete cascade,
  types text[] not null,
  owner bytea,
  owner_key text references service_keys (name),
  unsubscribe_hash bytea unique,
  most_waiting integer,
  next_from bigint not null default 0,
  content bytea not null,
  wrapped_key bytea not null,
  key_id text not null,
  former_marks bytea[] not null default '{}',
  created_at bigint not null,
  failing_since bigint,
  disabled_at bigint,
  disabled_why text
);
create index webhook_endpoints_vault on webhook_endpoints (vault);
create index webhook_endpoints_schedule on webhook_endpoints (schedule);
create index webhook_endpoints_owner on webhook_endpoints (owner);
create index webhook_endpoints_of_recipients on webhook_endpoints (id) where vault is null and disabled_at is null;

create table webhook_messages (
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity,
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  type text not null,
  at bigint not null,
  schedule text,
  run_id integer,
  data json not null,
  sealed bytea,
  state text not null,
  tries integer not null default 0,
  next_at bigint,
  attempts jsonb not null default '[]'
);
create index webhook_messages_due on webhook_messages (next_at) where next_at is not null;
create index webhook_messages_endpoint on webhook_messages (endpoint_id, number);
create index webhook_messages_run on webhook_messages (run_id, endpoint_id, number);

-- Settled runs whose recipients are told next, and codes that were sent to addresses in the last day: whose and where to, as keyed hashes.
create table notice_runs (
  run_id integer primary key references execution_runs (id) on delete cascade
);
create table notice_codes (
  id bigint generated always as identity primary key,
  owner bytea not null,
  address bytea not null,
  sent_at bigint not null
);
create index notice_codes_sent on notice_codes (sent_at);

-- Invitations by which people give an employer their address. The service has no key to what they say or to what is answered: those are in
-- the links and with the employer. `id` is the hash of what a link shows.
create table invitations (
  id bytea primary key,
  employer text not null,
  vault text not null,
  content bytea not null,
  kept bytea not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index invitations_employer on invitations (employer, created_at);
create index invitations_expires on invitations (expires_at);
create table invitation_answers (
  invitation bytea not null references invitations (id) on delete cascade,
  mark bytea not null,
  sealed bytea not null,
  answered_at bigint not null,
  primary key (invitation, mark)
);

-- What recipients ask their employers for: to be paid to another address. `tag`: a keyed hash of vault and recipient, one request each.
create table address_changes (
  tag bytea primary key,
  id uuid not null unique,
  key_name text not null references service_keys (name),
  employer text not null,
  vault text not null,
  content bytea not null,
  created_at bigint not null
);
create index address_changes_key on address_changes (key_name);
create index address_changes_employer on address_changes (employer, created_at);

create function note_run_event() returns trigger language plpgsql as $$
begin
  insert into run_events (at, kind, schedule, window_number, state, stage, claims_paid, claims_total, error_code)
  values ((extract(epoch from clock_timestamp()) * 1000)::bigint, 'run', new.schedule, new.window_number, new.state, new.stage,
    new.claims_paid, new.claims_total, new.error_code);
  return null;
end $$;
create trigger run_recorded after insert on execution_runs for each row execute function note_run_event();

-- What many runs come to is recorded in one statement, so what follows from it is done once for all of them.
create function note_run_events() returns trigger language plpgsql as $$
begin
  insert into run_events (at, kind, schedule, window_number, state, stage, claims_paid, claims_total, error_code)
  select (extract(epoch from clock_timestamp()) * 1000)::bigint, 'run', run.schedule, run.window_number, run.state, run.stage,
    run.claims_paid, run.claims_total, run.error_code
  from present as run join former using (id)
  where (former.state, former.stage, former.claims_paid, former.claims_total, former.error_code)
    is distinct from (run.state, run.stage, run.claims_paid, run.claims_total, run.error_code);
  return null;
end $$;
create trigger run_changed after update on execution_runs referencing old table as former new table as present
  for each statement execute function note_run_events();

create function note_schedule_event() returns trigger language plpgsql as $$
begin
  insert into run_events (at, kind, schedule, window_number, state, next_execution)
  values ((extract(epoch from clock_timestamp()) * 1000)::bigint, 'schedule', new.address, new.window_number, new.status,
    new.next_execution);
  return null;
end $$;
create trigger schedule_recorded after insert on schedules for each row execute function note_schedule_event();
create trigger schedule_changed after update on schedules for each row
  when ((old.status, old.window_number, old.next_execution)
    is distinct from (new.status, new.window_number, new.next_execution))
  execute function note_schedule_event();

-- A webhook that is disabled is kept the messages, not sent them: they can be replayed once it works again.
create function tell_webhooks(about text, run integer, told text, facts json) returns void language plpgsql as $$
begin
  insert into webhook_messages (endpoint_id, type, at, schedule, run_id, data, state, next_at)
  select endpoint.id, told, (extract(epoch from clock_timestamp()) * 1000)::bigint, about, run, facts,
    case when endpoint.disabled_at is null then 'pending' else 'failed' end,
    case when endpoint.disabled_at is null then endpoint.next_from end
  from schedules as schedule join webhook_endpoints as endpoint on endpoint.vault = schedule.vault
  where schedule.address = about and coalesce(endpoint.schedule, about) = about
    and told = any(endpoint.types)
    -- A person is told no more at a time than they can read.
    and (endpoint.kind = 'webhook' or endpoint.disabled_at is null and endpoint.most_waiting > (
      select count(*) from webhook_messages as waiting
      where waiting.endpoint_id = endpoint.id and waiting.type = told and waiting.next_at is not null))
    -- A held run is looked at again and again: it is told once for each reason.
    and (told <> 'run.held' or (
      select last.data ->> 'errorCode' from webhook_messages as last
      where last.run_id = run and last.endpoint_id = endpoint.id and last.type = 'run.held'
      order by last.number desc limit 1
    ) is distinct from facts ->> 'errorCode')
  order by endpoint.id;
end $$;
create function tell_completed(about schedules) returns void language plpgsql as $$
begin
  perform tell_webhooks(about.address, null, 'schedule.completed',
    json_build_object('schedulePda', about.address, 'windows', about.window_number));
end $$;
create function tell_runs() returns trigger language plpgsql as $$
declare
  run record;
  its_schedule schedules;
begin
  insert into notice_runs (run_id)
  select present.id from present join former using (id)
  where former.state <> 'settled' and present.state = 'settled' and exists (
    select from webhook_endpoints where vault is null and disabled_at is null and 'recipient.paid' = any(types));
  -- Only those of whom anybody wants to be told.
  for run in
    select present.*, former.state <> present.state as is_new_state,
      former.batch_deadline is null and present.batch_deadline is not null as is_opened
    from present join former using (id)
    where (former.state <> present.state or (former.batch_deadline is null and present.batch_deadline is not null))
      and exists (select from schedules as schedule join webhook_endpoints as endpoint on endpoint.vault = schedule.vault
        where schedule.address = present.schedule)
    order by present.schedule, present.id
  loop
    if run.is_opened then
      perform tell_webhooks(run.schedule, run.id, 'run.opened', json_build_object('schedulePda', run.schedule,
        'window', run.window_number::text, 'recipients', run.claims_total, 'deadline', run.batch_deadline * 1000));
    end if;
    continue when not run.is_new_state;
    if run.state = 'held' then
      perform tell_webhooks(run.schedule, run.id, 'run.held', json_build_object('schedulePda', run.schedule,
        'window', run.window_number::text, 'errorCode', run.error_code));
    elsif run.state in ('exhausted', 'failed') then
      perform tell_webhooks(run.schedule, run.id, 'run.exhausted', json_build_object('schedulePda', run.schedule,
        'window', run.window_number::text, 'state', run.state, 'errorCode', run.error_code));
    elsif run.state = 'settled' then
      perform tell_webhooks(run.schedule, run.id, 'run.completed', json_build_object('schedulePda', run.schedule,
        'window', run.window_number::text, 'claims', json_build_object('paid', run.claims_paid, 'total', run.claims_total),
        'unpaid', run.unpaid, 'paidAmount', run.paid_amount));
      if run.unpaid > 0 then
        perform tell_webhooks(run.schedule, run.id, 'recipient.unpaid', json_build_object('schedulePda', run.schedule,
          'window', run.window_number::text, 'unpaid', run.unpaid, 'reasons', run.unpaid_reasons));
      end if;
      -- Whichever is seen last, that the last window is settled or that its schedule is over, tells it: each waits for the other's lock.
      select * into its_schedule from schedules where address = run.schedule for share;
      if its_schedule.status = 'completed' and its_schedule.window_number = run.window_number + 1 then
        perform tell_completed(its_schedule);
      end if;
    end if;
  end loop;
  return null;
end $$;
create trigger run_told after update on execution_runs referencing old table as former new table as present
  for each statement execute function tell_runs();

create function tell_schedule() returns trigger language plpgsql as $$
begin
  if exists (select from execution_runs where schedule = new.address and window_number = new.window_number - 1
    and state = 'settled' and not is_rebuilt) then
    perform tell_completed(new);
  end if;
  return null;
end $$;
create trigger schedule_told after update on schedules for each row
  when (old.status <> 'completed' and new.status = 'completed') execute function tell_schedule();

-- Withdrawals that are stuck are no employer's to know of: who has them withdraws.
create function tell_condition() returns trigger language plpgsql as $$
declare
  one conditions;
begin
  if tg_op = 'INSERT' then one := new; else one := old; end if;
  if one.kind = 'withdrawal.stuck' then
    return null;
  end if;
  insert into run_events (at, kind, schedule, window_number, state, condition)
  values ((extract(epoch from clock_timestamp()) * 1000)::bigint, 'condition', one.subject, one.window_number,
    case tg_op when 'INSERT' then 'begun' else 'over' end, one.kind);
  if tg_op = 'INSERT' then
    perform tell_webhooks(one.subject, null, one.kind, one.facts);
  end if;
  return null;
end $$;
create trigger condition_told after insert or delete on conditions for each row execute function tell_condition();

-- Nothing is told any more of a schedule that was forgotten.
create function forget_events() returns trigger language plpgsql as $$
begin
  delete from conditions where subject = old.address;
  delete from run_events where schedule = old.address;
  delete from webhook_messages where schedule = old.address;
  return null;
end $$;
create trigger schedule_forgotten after delete on schedules for each row execute function forget_events();

-- What is encrypted begins with its key's mark. A process that still holds a data key which was renewed meanwhile is refused: nothing is ever
-- written that the present key does not open. The lock is that of a foreign key, and waits for a renewal alone.

-- The trigger names what is encrypted, and where its key is: a table, its own key, and the column that refers to that.
create function refuse_former_key() returns trigger language plpgsql as $$
declare
  one record;
begin
  for one in execute format('select holder.former_marks, substring(added.%1$I for 8) as mark from added
      join %2$I as holder on holder.%3$I = added.%4$I where added.%1$I is not null for key share of holder',
      tg_argv[0], tg_argv[1], tg_argv[2], tg_argv[3])
  loop
    if one.mark = any(one.former_marks) then raise exception 'The data key was renewed.' using errcode = 'PK001'; end if;
  end loop;
  return null;
end $$;
create trigger chunk_kept after insert on liability_chunks referencing new table as added
  for each statement execute function refuse_former_key('content', 'liability_trees', 'mint', 'mint');
create trigger page_kept after insert on balance_pages referencing new table as added
  for each statement execute function refuse_former_key('content', 'liability_trees', 'mint', 'mint');
create trigger owners_kept after insert on balance_owners referencing new table as added
  for each statement execute function refuse_former_key('content', 'liability_trees', 'mint', 'mint');
create trigger use_kept after insert on grant_uses referencing new table as added
  for each statement execute function refuse_former_key('subject', 'auditor_grants', 'id', 'grant_id');

-- Before the row: whoever keeps payments waits for a rotation of their list while it holds nothing yet that the rotation waits for.
create function refuse_former_payment_key() returns trigger language plpgsql as $$
declare
  former bytea[];
begin
  select former_marks into former from recipient_lists where id = new.list_id for key share;
  if substring(new.paid for 8) = any(former) then raise exception 'The data key was renewed.' using errcode = 'PK001'; end if;
  return new;
end $$;
create trigger payment_kept before insert or update of paid on run_payments
  for each row execute function refuse_former_payment_key();

-- The same for what a message to a person says beside its type.
create function refuse_former_details_key() returns trigger language plpgsql as $$
declare
  former bytea[];
begin
  select former_marks into former from webhook_endpoints where id = new.endpoint_id for key share;
  if substring(new.sealed for 8) = any(former) then raise exception 'The data key was renewed.' using errcode = 'PK001'; end if;
  return new;
end $$;
create trigger details_kept before insert on webhook_messages
  for each row when (new.sealed is not null) execute function refuse_former_details_key();

-- The same where a row's own key encrypts a column of it, which the trigger names.
create function refuse_own_former_key() returns trigger language plpgsql as $$
declare
  mark bytea;
begin
  execute format('select substring($1.%I for 8)', tg_argv[0]) using new into mark;
  if mark = any(new.former_marks) then
    raise exception 'The data key was renewed.' using errcode = 'PK001';
  end if;
  return new;
end $$;
create trigger webhook_kept before update of content on webhook_endpoints
  for each row execute function refuse_own_former_key('content');
create trigger places_kept before update of places on recipient_lists
  for each row execute function refuse_own_former_key('places');
create trigger free_places_kept before update of free_places on liability_trees
  for each row execute function refuse_own_former_key('free_places');
create trigger owners_changed after update on balance_owners referencing new table as added
  for each statement execute function refuse_former_key('content', 'liability_trees', 'mint', 'mint');
create trigger page_changed after update on balance_pages referencing new table as added
  for each statement execute function refuse_former_key('content', 'liability_trees', 'mint', 'mint');
