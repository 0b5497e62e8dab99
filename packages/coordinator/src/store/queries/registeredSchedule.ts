import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { findVault, type VaultRow } from './funds.ts';
import type { ScheduleRow } from './schedules.ts';

/** A schedule, whether the list of its present root is registered, and its vault if that was read yet. */
export type RegisteredSchedule = ScheduleRow & { readonly has_list: boolean; readonly funds: VaultRow | undefined };

/** The registered schedule at an address. */
export async function findRegisteredSchedule(
  database: Kysely<Tables>,
  address: string,
): Promise<RegisteredSchedule | undefined> {
  const schedule = await database
    .selectFrom('schedules')
    .selectAll()
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('recipient_lists')
          .select('recipient_lists.id')
          .whereRef('recipient_lists.schedule', '=', 'schedules.address')
          .whereRef('recipient_lists.root', '=', 'schedules.root'),
      )
        .$castTo<boolean>()
        .as('has_list'),
    )
    .where('address', '=', address)
    .executeTakeFirst();
  return schedule && { ...schedule, funds: await findVault(database, schedule.vault) };
}
