import { LRUCache } from 'lru-cache';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { type ListRow, readRecords } from '../store/queries/lists.ts';
import { readPlaces } from '../store/queries/slots.ts';
import type { Db } from '../store/schema.ts';
import { PayableList } from './payableList.ts';

/** Recipients of lists that are remembered, at 117 bytes each. */
const MOST_REMEMBERED = 1_200_000;

/** Registered lists as they are paid. */
export class PayableLists {
  readonly #recent = new LRUCache<string, PayableList>({ maxSize: MOST_REMEMBERED });

  constructor(private readonly input: { readonly database: Db; readonly payloadKeys: PayloadKeys }) {}

  /** A list with its owners. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async read(list: ListRow): Promise<PayableList> {
    const known = this.recent(list.schedule, list.root);
    if (known !== undefined) return known;
    const { database, payloadKeys } = this.input;
    const records = await readRecords(database, list, payloadKeys);
    const read = new PayableList(records, await records.terms(), await readPlaces(list, payloadKeys));
    this.#recent.set(nameOf(list), read, { size: list.recipients });
    return read;
  }

  /** A list that was read a short while ago, by its schedule and root: its settlement and its next windows need it again. */
  recent(schedule: string, root: string): PayableList | undefined {
    return this.#recent.get(nameOf({ schedule, root }));
  }
}

const nameOf = ({ schedule, root }: Pick<ListRow, 'schedule' | 'root'>): string => `${schedule} ${root}`;
