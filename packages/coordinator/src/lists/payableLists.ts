import { addressToBytes, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { LRUCache } from 'lru-cache';
import type { ListRecords } from '../domain/listRecords.ts';
import type { Logger } from '../platform/log/log.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { readBalances, saveBalances } from '../store/queries/balances.ts';
import { type ListRow, readRecords } from '../store/queries/lists.ts';
import { findSchedule } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { deriveBlock } from './derive.ts';
import { deriveInWorker } from './inWorker.ts';
import { PayableList } from './payableList.ts';

/** Up to so many recipients are derived at once, in some milliseconds; a thread takes longer to start. */
const AT_ONCE = 256;

/** Milliseconds in which the answer to the registration is on its way: starting a thread would hold it up. */
const AFTER_ANSWER_MS = 50;
/** Recipients of lists that are remembered, at 90 bytes each. */
const MOST_REMEMBERED = 250_000;

export type PayablesInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
  readonly time: Pick<Time, 'pause'>;
  readonly log: Logger;
  /** Ends derivations that are under way. */
  readonly signal: AbortSignal;
};

/**
 * Makes registered lists payable. Their balances are derived after the registration was answered, for that takes seconds; or by
 * whoever pays a list first, if they are not there yet.
 */
export class PayableLists {
  readonly #recent = new LRUCache<string, PayableList>({ maxSize: MOST_REMEMBERED });
  readonly #underWay = new Map<number, Promise<Uint8Array[]>>();
  /** Derivations after registrations, one at a time. */
  #ahead: Promise<void> = Promise.resolve();

  constructor(private readonly input: PayablesInput) {}

  /** Derives and keeps the balances of a list that was just registered; returns at once. */
  prepare(list: ListRow, records: ListRecords): void {
    this.#ahead = this.#ahead.then(async () => {
      const { time, log, signal } = this.input;
      try {
        await time.pause(AFTER_ANSWER_MS, signal);
        await this.#derive(list, records);
      } catch (error) {
        if (signal.aborted) return;
        const name = error instanceof Error ? error.name : 'unknown';
        log.warn({ schedule: list.schedule, error: name }, 'balances were not derived ahead of the first window');
      }
    });
  }

  /** A list, and what is missing derived. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async read(list: ListRow): Promise<PayableList> {
    const known = this.recent(list.schedule, list.root);
    if (known !== undefined) return known;
    const { database, payloadKeys } = this.input;
    const records = await readRecords(database, list, payloadKeys);
    const balances = (await readBalances(database, list, payloadKeys)) ?? (await this.#derive(list, records));
    const read = new PayableList(records, balances);
    this.#recent.set(nameOf(list), read, { size: list.recipients });
    return read;
  }

  /** A list that was read a short while ago, by its schedule and root: its settlement and its next windows need it again. */
  recent(schedule: string, root: string): PayableList | undefined {
    return this.#recent.get(nameOf({ schedule, root }));
  }

  /** Ends when nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#ahead;
    await Promise.allSettled(this.#underWay.values());
  }

  #derive(list: ListRow, records: ListRecords): Promise<Uint8Array[]> {
    const underWay = this.#underWay.get(list.id) ?? this.#deriveAndKeep(list, records);
    this.#underWay.set(list.id, underWay);
    return underWay.finally(() => this.#underWay.delete(list.id));
  }

  async #deriveAndKeep(list: ListRow, { count, blocks }: ListRecords): Promise<Uint8Array[]> {
    const { database, payloadKeys, program, signal } = this.input;
    const schedule = await findSchedule(database, list.schedule);
    if (schedule === undefined) throw new Error('The schedule of a registered list is gone.');
    const base = { mint: addressToBytes(schedule.mint), program: addressToBytes(program) };
    const isSmall = count <= AT_ONCE;
    const balances = isSmall
      ? blocks.map((block) => deriveBlock(block, base))
      : await deriveInWorker({ blocks, base }, signal);
    await saveBalances(database, list, payloadKeys, balances);
    return balances;
  }
}

const nameOf = ({ schedule, root }: Pick<ListRow, 'schedule' | 'root'>): string => `${schedule} ${root}`;
