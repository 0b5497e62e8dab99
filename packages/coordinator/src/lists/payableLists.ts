import { LRUCache } from 'lru-cache';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { findLargeLists, type ListRow, readRecords } from '../store/queries/lists.ts';
import { readPlaces } from '../store/queries/slots.ts';
import type { Db } from '../store/schema.ts';
import { PayableList } from './payableList.ts';

/** Recipients of lists that are remembered, at 117 bytes each. */
const MOST_REMEMBERED = 1_200_000;
/** Recipients from which on a list is read before its window is due: to read and to hash it takes longer than the window waits for ledgers. */
const LARGE_LIST = 5_000;

/** Registered lists as they are paid. */
export class PayableLists {
  readonly #recent = new LRUCache<string, PayableList>({ maxSize: MOST_REMEMBERED });
  readonly #reading = new Map<string, Promise<PayableList>>();
  #isPreparing = false;

  constructor(private readonly input: { readonly database: Db; readonly payloadKeys: PayloadKeys }) {}

  /** A list with its owners. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async read(list: ListRow): Promise<PayableList> {
    const known = this.recent(list.schedule, list.root);
    if (known !== undefined) return known;
    const name = nameOf(list);
    const reading = this.#reading.get(name) ?? this.#read(list).finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  async #read(list: ListRow): Promise<PayableList> {
    const { database, payloadKeys } = this.input;
    const records = await readRecords(database, list, payloadKeys);
    const read = new PayableList(records, await records.terms(), await readPlaces(list, payloadKeys));
    this.#recent.set(nameOf(list), read, { size: list.recipients });
    return read;
  }

  /** Reads large lists of these schedules, whose windows are due in a moment, and makes their trees. Whatever it can't, the windows do. */
  async prepare(schedules: readonly string[]): Promise<void> {
    if (this.#isPreparing || schedules.length === 0) return;
    this.#isPreparing = true;
    try {
      let recipients = 0;
      for (const list of await findLargeLists(this.input.database, schedules, LARGE_LIST)) {
        recipients += list.recipients;
        // Those that come last would make the first ones forgotten.
        if (recipients > MOST_REMEMBERED) return;
        (await this.read(list)).prepareTree();
      }
    } catch {
      // Each window tells what is wrong with its list.
    } finally {
      this.#isPreparing = false;
    }
  }

  /** A list that was read a short while ago, by its schedule and root: its settlement and its next windows need it again. */
  recent(schedule: string, root: string): PayableList | undefined {
    return this.#recent.get(nameOf({ schedule, root }));
  }
}

const nameOf = ({ schedule, root }: Pick<ListRow, 'schedule' | 'root'>): string => `${schedule} ${root}`;
