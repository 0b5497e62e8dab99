import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table service_keys (
    name text primary key,
    wrapped_key bytea not null,
    key_id text not null,
    created_at bigint not null
  )`.execute(database);

  await sql`alter table recipient_lists add column is_indexed boolean not null default false`.execute(database);
  await sql`create index recipient_lists_unindexed on recipient_lists (id) where not is_indexed`.execute(database);
  await sql`create table recipient_tags (
    list_id integer not null references recipient_lists (id) on delete cascade,
    place integer not null,
    tag bytea not null,
    primary key (list_id, place)
  )`.execute(database);
  await sql`create index recipient_tags_tag on recipient_tags (tag)`.execute(database);

  await sql`create table withdrawals (
    tag bytea primary key,
    month integer not null,
    content bytea not null
  )`.execute(database);
  await sql`create index withdrawals_month on withdrawals (month)`.execute(database);
}
