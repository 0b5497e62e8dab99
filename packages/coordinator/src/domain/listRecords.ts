import {
  addressFromBytes,
  LEAF_RECORD_BYTES,
  LEAF_TERMS_BYTES,
  leafTerms,
  nextTurn,
  type Recipient,
} from '@payouts/client';

/** Recipients in one block of records: 233 KB. */
export const BLOCK_RECIPIENTS = 4_096;
/** Recipients read between two turns of the event loop: a few milliseconds. */
const SLICE = 1_024;

const ADDRESS_BYTES = 32;
const AMOUNT_OFFSET = 32;
const DELIVERY_OFFSET = 40;
const SALT_OFFSET = 41;

/**
 * A list in order of index as the bytes of its leaves, 57 each, in blocks of which all but the last are full; 80,000 recipients as
 * objects would be 40 MB. Private: for no log, metric or error.
 */
export class ListRecords {
  constructor(
    /** How many recipients. */
    readonly count: number,
    readonly blocks: readonly Uint8Array[],
  ) {}

  /** All recipients. Works in slices of a few milliseconds. */
  async recipients(): Promise<Recipient[]> {
    const recipients: Recipient[] = [];
    for (const [number, block] of this.blocks.entries()) {
      await nextTurn();
      for (const recipient of recipientsOf(block, number)) recipients.push(recipient);
    }
    return recipients;
  }

  /** Index of the first recipient with this address (32 bytes). Works in slices of a few milliseconds. */
  async indexOf(address: Uint8Array): Promise<number | undefined> {
    for await (const { first, records } of this.#slices()) {
      for (let at = 0; at < records.length; at += LEAF_RECORD_BYTES) {
        if (isAt(records, at, address)) return first + at / LEAF_RECORD_BYTES;
      }
    }
    return undefined;
  }

  /** The terms of each leaf, one after the other. Works in slices of a few milliseconds. */
  async terms(): Promise<Uint8Array> {
    const terms = new Uint8Array(this.count * LEAF_TERMS_BYTES);
    for await (const { first, records } of this.#slices()) terms.set(leafTerms(records), first * LEAF_TERMS_BYTES);
    return terms;
  }

  async *#slices(): AsyncGenerator<{ readonly first: number; readonly records: Uint8Array }> {
    for (let first = 0; first < this.count; first += SLICE) {
      if (first > 0) await nextTurn();
      const block = this.blocks[Math.floor(first / BLOCK_RECIPIENTS)] as Uint8Array;
      const from = (first % BLOCK_RECIPIENTS) * LEAF_RECORD_BYTES;
      yield { first, records: block.subarray(from, from + SLICE * LEAF_RECORD_BYTES) };
    }
  }
}

/** The recipient at a place of block `number`. */
export function recipientAt(block: Uint8Array, number: number, place: number): Recipient {
  const record = block.subarray(place * LEAF_RECORD_BYTES, (place + 1) * LEAF_RECORD_BYTES);
  return {
    index: number * BLOCK_RECIPIENTS + place,
    recipient: addressFromBytes(record.subarray(0, ADDRESS_BYTES)),
    amount: amountAt(block, place),
    delivery: deliveryAt(block, place),
    salt: new Uint8Array(record.subarray(SALT_OFFSET)),
  };
}

/** The recipients of block `number` from a place on, all by default. */
export function recipientsOf(block: Uint8Array, number: number, from = 0, count = BLOCK_RECIPIENTS): Recipient[] {
  const end = Math.min(from + count, block.length / LEAF_RECORD_BYTES);
  const recipients: Recipient[] = [];
  for (let place = from; place < end; place++) recipients.push(recipientAt(block, number, place));
  return recipients;
}

/** The amounts of a block, in base units. */
export function amountsOf(block: Uint8Array): bigint[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const amounts: bigint[] = [];
  for (let at = AMOUNT_OFFSET; at < block.length; at += LEAF_RECORD_BYTES) amounts.push(view.getBigUint64(at, true));
  return amounts;
}

/** The amount at a place of a block, in base units. */
export function amountAt(block: Uint8Array, place: number): bigint {
  const { buffer, byteOffset, byteLength } = block;
  return new DataView(buffer, byteOffset, byteLength).getBigUint64(place * LEAF_RECORD_BYTES + AMOUNT_OFFSET, true);
}

/** How the recipient at a place of a block is paid. */
export const deliveryAt = (block: Uint8Array, place: number): Recipient['delivery'] =>
  block[place * LEAF_RECORD_BYTES + DELIVERY_OFFSET] === 0 ? 'balance' : 'wallet';

/** The recipients of block `number` with this address (32 bytes). */
export function recipientsWith(block: Uint8Array, number: number, address: Uint8Array): Recipient[] {
  const found: Recipient[] = [];
  for (let place = 0; place * LEAF_RECORD_BYTES < block.length; place++) {
    if (isAt(block, place * LEAF_RECORD_BYTES, address)) found.push(recipientAt(block, number, place));
  }
  return found;
}

function isAt(block: Uint8Array, offset: number, bytes: Uint8Array): boolean {
  for (let place = 0; place < bytes.length; place++) if (block[offset + place] !== bytes[place]) return false;
  return true;
}
