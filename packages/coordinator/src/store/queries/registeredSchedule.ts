import type { Db } from '../schema.ts';
import { CONDITIONS_OF_ROW, type ScheduleCondition } from './conditions.ts';
import { findVault, findVaults, type VaultRow } from './funds.ts';
import type { ScheduleRow } from './schedules.ts';

/** A schedule, whether the list of its present root is registered, what lasts of it, and its vault if that was read yet. */
export type RegisteredSchedule = ScheduleRow & {
  readonly has_list: boolean;
  readonly conditions: readonly ScheduleCondition[];
  readonly funds: VaultRow | undefined;
};

/** Registered schedules, each with whether the list of its present root is. */
const withList = (database: Db) =>
  database
    .selectFrom('schedules')
    .selectAll()
    .select(CONDITIONS_OF_ROW.as('conditions'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('recipient_lists')
          .select('recipient_lists.id')
          .whereRef('recipient_lists.schedule', '=', 'schedules.address')
          .whereRef('recipient_lists.root', '=', 'schedules.root'),
      )
        .$castTo<boolean>()
        .as('has_list'),
    );

/** The registered schedule at an address. */
export async function findRegisteredSchedule(database: Db, address: string): Promise<RegisteredSchedule | undefined> {
  const schedule = await withList(database).where('address', '=', address).executeTakeFirst();
  return schedule && { ...schedule, funds: await findVault(database, schedule.vault) };
}

/** An employer's registered schedules in order of their addresses, beyond one. */
export async function listSchedulesOf(
  database: Db,
  employer: string,
  beyond: string,
  limit: number,
): Promise<RegisteredSchedule[]> {
  const schedules = await withList(database)
    .where('employer', '=', employer)
    .where('address', '>', beyond)
    .orderBy('address')
    .limit(limit)
    .execute();
  const vaults = await findVaults(database, [...new Set(schedules.map(({ vault }) => vault))]);
  return schedules.map((schedule) => ({ ...schedule, funds: vaults.get(schedule.vault) }));
}
