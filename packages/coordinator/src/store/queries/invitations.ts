import { type Insertable, type Selectable, sql } from 'kysely';
import { MAX_ANSWERS, MAX_INVITATIONS } from '../../domain/invitation.ts';
import { countRows } from '../countRows.ts';
import type { Db, InvitationAnswersTable, InvitationsTable } from '../schema.ts';

type InvitationRow = Selectable<InvitationsTable>;
type AnswerRow = Selectable<InvitationAnswersTable>;

/** An invitation with its answers, in the order in which they came. */
export type AnsweredInvitation = InvitationRow & { readonly answers: readonly AnswerRow[] };

/** Keeps invitations of an employer, all or none; false: they would be too many. `now` in unix milliseconds. */
export async function addInvitations(
  database: Db,
  employer: string,
  rows: readonly Insertable<InvitationsTable>[],
  now: number,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    // One at a time, so that what is counted is right.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`invitations ${employer}`}, 0))`.execute(transaction);
    const open = sql<boolean>`employer = ${employer} and expires_at > ${String(now)}::bigint`;
    if ((await countRows(transaction, 'invitations', open)) + rows.length > MAX_INVITATIONS) return false;
    await transaction
      .insertInto('invitations')
      .values([...rows])
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    return true;
  });
}

/** The open invitations of an employer, oldest first. */
export async function listInvitations(database: Db, employer: string, now: number): Promise<AnsweredInvitation[]> {
  const rows = await database
    .selectFrom('invitations')
    .selectAll()
    .where('employer', '=', employer)
    .where('expires_at', '>', String(now))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const answers = await database
    .selectFrom('invitation_answers as answer')
    .innerJoin('invitations as of', 'of.id', 'answer.invitation')
    .selectAll('answer')
    .where('of.employer', '=', employer)
    .orderBy('answer.answered_at')
    .orderBy('answer.mark')
    .execute();
  const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const byInvitation = new Map(rows.map(({ id }): [string, AnswerRow[]] => [hexOf(id), []]));
  for (const answer of answers) byInvitation.get(hexOf(answer.invitation))?.push(answer);
  return rows.map((row) => ({ ...row, answers: byInvitation.get(hexOf(row.id)) ?? [] }));
}

/** An open invitation. */
export const findInvitation = (database: Db, id: Uint8Array, now: number): Promise<InvitationRow | undefined> =>
  database
    .selectFrom('invitations')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', String(now))
    .executeTakeFirst();

/** Keeps an answer to an open invitation, once for each mark; none is replaced. */
export async function addAnswer(
  database: Db,
  answer: { readonly invitation: Uint8Array; readonly mark: Uint8Array; readonly sealed: Uint8Array },
  now: number,
): Promise<'kept' | 'unknown' | 'full'> {
  return database.transaction().execute(async (transaction) => {
    const { rows: open } = await sql`select from invitations
      where id = ${answer.invitation}::bytea and expires_at > ${String(now)}::bigint for update`.execute(transaction);
    if (open.length === 0) return 'unknown';
    const others = sql<boolean>`invitation = ${answer.invitation}::bytea and mark <> ${answer.mark}::bytea`;
    if ((await countRows(transaction, 'invitation_answers', others)) >= MAX_ANSWERS) return 'full';
    await transaction
      .insertInto('invitation_answers')
      .values({ ...answer, answered_at: now })
      .onConflict((conflict) => conflict.columns(['invitation', 'mark']).doNothing())
      .execute();
    return 'kept';
  });
}

/** Forgets an invitation of an employer with its answers; false: they have none such. */
export async function removeInvitation(database: Db, employer: string, id: Uint8Array): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('employer', '=', employer)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Forgets what has expired. */
export async function removeExpiredInvitations(database: Db, now: number): Promise<void> {
  await database.deleteFrom('invitations').where('expires_at', '<=', String(now)).execute();
}
