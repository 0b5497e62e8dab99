import { addressToBytes, type Recipient } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ListSource } from '../lists/listProofs.ts';
import { findEntries, type ListRow } from '../store/queries/lists.ts';
import { listLists } from '../store/queries/scheduleLists.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';

/** A list in which a recipient stands, with their entries in it. */
export type OwnEntries = { readonly list: ListRow; readonly entries: readonly Recipient[] };

/** The lists in which a recipient stands: the present one and replaced ones. */
export async function entriesOf(source: ListSource, schedule: ScheduleRow, subject: Address): Promise<OwnEntries[]> {
  const { database, payloadKeys } = source;
  const own: OwnEntries[] = [];
  for (const list of await listLists(database, schedule.address)) {
    const entries = await findEntries(database, list, payloadKeys, addressToBytes(subject));
    if (entries.length > 0) own.push({ list, entries });
  }
  return own;
}
