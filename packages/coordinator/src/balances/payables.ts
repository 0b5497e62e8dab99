import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { addressToBytes, type MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Kysely } from 'kysely';
import { BLOCK_RECIPIENTS, type ListRecords, recipientsOf } from '../domain/listRecords.ts';
import type { PayableRecipient } from '../domain/recipient.ts';
import type { Logger } from '../log/log.ts';
import type { PayloadKeys } from '../store/payloadKeys.ts';
import { readBalances, saveBalances } from '../store/queries/balances.ts';
import { type ListRow, readRecords } from '../store/queries/lists.ts';
import { findSchedule } from '../store/queries/schedules.ts';
import type { Tables } from '../store/schema.ts';
import { balanceAt, deriveBlock } from './derive.ts';
import { deriveInWorker } from './inWorker.ts';

/** Up to so many recipients are derived at once, in some milliseconds; a thread takes longer to start. */
const AT_ONCE = 256;

/** Milliseconds in which the answer to the registration is on its way: starting a thread would hold it up. */
const AFTER_ANSWER_MS = 50;
/** Recipients put together between two turns of the event loop: a few milliseconds. */
const SLICE = 1_024;

/** A list to be paid: its recipients with their balances, and its tree. */
export type Payable = { readonly recipients: readonly PayableRecipient[]; readonly tree: MerkleTree };

export type PayablesInput = {
  readonly database: Kysely<Tables>;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
  readonly log: Logger;
  /** Ends derivations that are under way. */
  readonly signal: AbortSignal;
};

/**
 * Makes registered lists payable. Their balances are derived after the registration was answered, for that takes seconds; or by
 * whoever pays a list first, if they are not there yet.
 */
export class Payables {
  readonly #input: PayablesInput;
  readonly #underWay = new Map<number, Promise<Uint8Array[]>>();
  /** Derivations after registrations, one at a time. */
  #ahead: Promise<void> = Promise.resolve();

  constructor(input: PayablesInput) {
    this.#input = input;
  }

  /** Derives and keeps the balances of a list that was just registered; returns at once. */
  prepare(list: ListRow, records: ListRecords): void {
    this.#ahead = this.#ahead.then(async () => {
      const { log, signal } = this.#input;
      try {
        await sleep(AFTER_ANSWER_MS, undefined, { signal });
        await this.#derive(list, records);
      } catch (error) {
        if (signal.aborted) return;
        const name = error instanceof Error ? error.name : 'unknown';
        log.warn({ schedule: list.schedule, error: name }, 'balances were not derived ahead of the first window');
      }
    });
  }

  /** Reads a list, and derives what is missing. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async read(list: ListRow): Promise<Payable> {
    const { records, balances } = await this.blocks(list);
    const recipients: PayableRecipient[] = [];
    for (const [number, block] of records.blocks.entries()) {
      for (let from = 0; from < BLOCK_RECIPIENTS; from += SLICE) {
        await nextTurn();
        for (const { index, recipient, amount, delivery, salt } of recipientsOf(block, number, from, SLICE)) {
          const { address: balance, bump } = balanceAt(balances[number] as Uint8Array, index % BLOCK_RECIPIENTS);
          recipients.push({ index, recipient, amount, delivery, salt, balance, bump });
        }
      }
    }
    return { recipients, tree: await records.tree() };
  }

  /**
   * A list's records and, block by block, for `balanceAt`, where its balances are. Throws `WrongPayloadKey` or `DecryptionFailed`.
   */
  async blocks(list: ListRow): Promise<{ readonly records: ListRecords; readonly balances: readonly Uint8Array[] }> {
    const { database, payloadKeys } = this.#input;
    const records = await readRecords(database, list, payloadKeys);
    const balances = (await readBalances(database, list, payloadKeys)) ?? (await this.#derive(list, records));
    return { records, balances };
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
    const { database, payloadKeys, program, signal } = this.#input;
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
