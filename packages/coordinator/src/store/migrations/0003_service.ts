import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`alter table schedules add column employer text`.execute(database);

  // Lists are kept in another form from here on: without the balances, which are derived after the registration. No release had
  // the old form; whoever tried it registers the list again, which the run of an open window waits for.
  await sql`delete from recipient_lists`.execute(database);
  await sql`create table recipient_balances (
    list_id integer not null references recipient_lists (id) on delete cascade,
    number integer not null,
    content bytea not null,
    primary key (list_id, number)
  )`.execute(database);
  // Random and encrypted bytes: trying to compress them costs time and gains nothing.
  await sql`alter table recipient_list_chunks alter column content set storage external`.execute(database);
  await sql`alter table recipient_balances alter column content set storage external`.execute(database);

  await sql`create table idempotency_keys (
    key_hash bytea primary key,
    fingerprint bytea not null,
    status integer not null,
    created_at bigint not null
  )`.execute(database);
  await sql`create index idempotency_keys_age on idempotency_keys (created_at)`.execute(database);

  await sql`create table signature_nonces (
    digest bytea primary key,
    expires_at bigint not null
  )`.execute(database);
  await sql`create index signature_nonces_age on signature_nonces (expires_at)`.execute(database);

  await sql`create table run_payments (
    run_id integer primary key references execution_runs (id) on delete cascade,
    list_id integer not null references recipient_lists (id) on delete cascade,
    paid bytea,
    is_confirmed boolean not null default false
  )`.execute(database);
  await sql`create index run_payments_list on run_payments (list_id)`.execute(database);
}
