import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import type { ScheduleRow } from './schedules.ts';

/** A schedule, and whether the list of its present root is registered. */
export type RegisteredSchedule = ScheduleRow & { readonly has_list: boolean };

/** The registered schedule at an address, in one query. */
export function findRegisteredSchedule(
  database: Kysely<Tables>,
  address: string,
): Promise<RegisteredSchedule | undefined> {
  return database
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
}
