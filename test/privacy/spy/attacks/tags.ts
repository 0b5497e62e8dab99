import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { rowsOf } from '../tables.ts';

/** Rows of the database that are alike: two entries of lists with one tag would be of one person. */
export function tags({ dump, backup, later }: Evidence): Outcome {
  const claims: Claim[] = [];
  const first = new Map<string, string>();
  let count = 0;
  for (const store of [dump, backup, later]) {
    const schedules = new Map(rowsOf(store, 'recipient_lists').map(({ id, schedule }) => [id, schedule]));
    for (const { list_id, place, tag = '' } of rowsOf(store, 'recipient_tags')) {
      count += 1;
      const entry = `${schedules.get(list_id)} ${place}`;
      const former = first.get(tag);
      if (former === undefined) first.set(tag, entry);
      else if (former !== entry) claims.push({ kind: 'same', subject: former, object: entry, isCertain: true });
    }
  }
  return { looked: `${count} tags`, claims };
}
