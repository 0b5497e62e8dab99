import type { Recipient } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { RecipientIndex } from '../lists/recipientIndex.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { listLists } from '../store/queries/scheduleLists.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';

/** A list in which a recipient stands, with their entries in it. */
export type OwnEntries = { readonly list: ListRow; readonly entries: readonly Recipient[] };

/** Where entries are looked up. */
export type EntriesSource = { readonly database: Db; readonly recipients: Pick<RecipientIndex, 'entriesIn'> };

/** The lists in which a recipient stands: the present one and replaced ones. Opens no list for whoever is in none. */
export async function entriesOf(
  { database, recipients }: EntriesSource,
  schedule: ScheduleRow,
  subject: Address,
): Promise<OwnEntries[]> {
  const own: OwnEntries[] = [];
  for (const list of await listLists(database, schedule.address)) {
    const entries = await recipients.entriesIn(list, subject);
    if (entries.length > 0) own.push({ list, entries });
  }
  return own;
}
