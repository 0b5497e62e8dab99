import { isAscii } from 'node:buffer';
import { LEAF_RECORD_BYTES, MAX_LEAVES, SALT_BYTES, writeAddress } from '@payouts/client';
import { BLOCK_RECIPIENTS, ListRecords } from '../domain/listRecords.ts';
import { Problem } from '../domain/problems.ts';
import { Total, writeAmount, writeHex } from './digits.ts';
import { EntrySpans, MAX_PROOF_HASHES } from './entrySpans.ts';
import { isShowable } from './fieldName.ts';
import type { ElementReader } from './listScanner.ts';
import { Proofs } from './proofs.ts';

/** Offsets in a record. */
const AMOUNT = 32;
const DELIVERY = 40;
const SALT = 41;

/** A list as it was sent. */
export type ReceivedList = {
  /** Where `beyond` is given, some of them are missing. */
  readonly records: ListRecords;
  /** In base units. */
  readonly total: bigint;
  readonly proofs: Proofs;
  /** The smallest index that is too large for the number of entries: the list has a gap then. */
  readonly beyond: number | undefined;
};

type Fields = { readonly [name: string]: unknown };

/** What is wrong with the value of a field. */
const WRONG = {
  index: 'the index is in the list twice',
  recipient: "the recipient is not an address, or nobody's",
  amount: 'the amount is not a positive decimal number of base units that fits 64 bits',
  salt: `the salt is not ${SALT_BYTES} bytes as hexadecimal`,
  proof: 'a hash of the proof is not 32 bytes as hexadecimal',
} as const;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses UTF-8 without a mark before it. What it throws quotes the text, and must go nowhere. */
export function parseJson(json: Buffer): unknown {
  return JSON.parse(isAscii(json) ? json.toString('latin1') : decoder.decode(json));
}

/** Takes a list's entries one by one, in any order of index, and keeps their bytes and nothing else. */
export class EntryReader implements ElementReader {
  /** Entries so far, right or wrong. */
  count = 0;
  /** The first thing that is wrong with an entry; what comes after it is only counted. */
  problem: Problem | undefined;
  readonly #blocks: (Uint8Array | undefined)[] = [];
  readonly #taken = new Uint8Array(MAX_LEAVES);
  readonly #total = new Total();
  readonly #proofs = new Proofs();
  readonly #spans = new EntrySpans();

  /** Most entries are plain and right, and are read without being made text or objects. Any other goes through `read`. */
  readPlain(chunk: Buffer, start: number): number {
    const end = this.#spans.find(chunk, start);
    if (end < 0) return -1;
    if (this.problem === undefined && this.#keep(this.#spans) !== undefined) return -1;
    this.count += 1;
    return end;
  }

  read(json: Buffer): boolean {
    let entry: unknown;
    try {
      entry = parseJson(json);
    } catch {
      return false;
    }
    const place = this.count++;
    this.problem ??= this.#readAny(entry, place);
    return true;
  }

  /** The list, if nothing was wrong with its entries. */
  list(): ReceivedList {
    const { count } = this;
    const blocks: Uint8Array[] = [];
    for (let first = 0; first < count; first += BLOCK_RECIPIENTS) {
      const records = Math.min(BLOCK_RECIPIENTS, count - first);
      blocks.push(this.#block(first).subarray(0, records * LEAF_RECORD_BYTES));
    }
    const beyond = this.#taken.indexOf(1, count);
    return {
      total: this.#total.value,
      records: new ListRecords(count, blocks),
      proofs: this.#proofs,
      beyond: beyond < 0 ? undefined : beyond,
    };
  }

  #block(index: number): Uint8Array {
    const number = Math.floor(index / BLOCK_RECIPIENTS);
    this.#blocks[number] ??= new Uint8Array(BLOCK_RECIPIENTS * LEAF_RECORD_BYTES);
    return this.#blocks[number];
  }

  /** Keeps an entry's bytes. Returns the first field whose value is wrong; then nothing counts of it. */
  #keep(spans: EntrySpans): keyof typeof WRONG | undefined {
    const { bytes, index } = spans;
    if (this.#taken[index] !== 0) return 'index';
    const block = this.#block(index);
    const offset = (index % BLOCK_RECIPIENTS) * LEAF_RECORD_BYTES;
    if (!writeAddress(bytes, spans.recipient, spans.recipientEnd, block, offset)) return 'recipient';
    if (isNobody(block, offset)) return 'recipient';
    const amount = writeAmount(bytes, spans.amount, spans.amountEnd, block, offset + AMOUNT);
    if (amount === undefined) return 'amount';
    if (!writeHex(bytes, spans.salt, spans.saltEnd, block, offset + SALT, SALT_BYTES)) return 'salt';
    if (spans.hasProof && !this.#proofs.add(spans)) return 'proof';
    block[offset + DELIVERY] = spans.isWallet ? 1 : 0;
    this.#taken[index] = 1;
    this.#total.add(amount);
    return undefined;
  }

  #readAny(entry: unknown, place: number): Problem | undefined {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      return misshapen(`/recipients/${place}`, 'must be an object');
    }
    const { index, recipient, amount, salt, delivery, proof } = entry as Fields;
    const wrong = (field: string, value: unknown, what: string) =>
      misshapen(`/recipients/${place}/${field}`, value === undefined ? 'is missing' : what);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_LEAVES) {
      return wrong('index', index, `must be an integer from 0 to ${MAX_LEAVES - 1}`);
    }
    if (typeof recipient !== 'string') return wrong('recipient', recipient, 'must be a string');
    if (typeof amount !== 'string') return wrong('amount', amount, 'must be a string');
    if (typeof salt !== 'string') return wrong('salt', salt, 'must be a string');
    if (delivery !== undefined && delivery !== 'balance' && delivery !== 'wallet') {
      return wrong('delivery', delivery, 'must be balance or wallet');
    }
    if (proof !== undefined && !isProof(proof)) {
      return wrong('proof', proof, `must be a list of at most ${MAX_PROOF_HASHES} strings`);
    }
    const unknown = Object.keys(entry).find((name) => !ENTRY_FIELDS.has(name));
    if (unknown !== undefined) return unknownField(`/recipients/${place}`, unknown);

    const spans = this.#spans;
    // −0 is an integer of JSON too.
    spans.set({ index: index + 0, recipient, amount, salt, isWallet: delivery === 'wallet', proof });
    const field = this.#keep(spans);
    if (field === undefined) return undefined;
    return new Problem('invalid-recipient', `Entry ${spans.index}: ${WRONG[field]}.`, { index: spans.index, field });
  }
}

const ENTRY_FIELDS: ReadonlySet<string> = new Set(['index', 'recipient', 'amount', 'salt', 'delivery', 'proof']);

/** Whether the address at an offset is the zero address: nobody has its key, and nothing is delivered to it. */
function isNobody(block: Uint8Array, offset: number): boolean {
  let place = offset;
  while (place < offset + AMOUNT && block[place] === 0) place++;
  return place === offset + AMOUNT;
}

function isProof(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length <= MAX_PROOF_HASHES && value.every((hash: unknown) => typeof hash === 'string')
  );
}

/** What is wrong with the shape at a place of the body. */
export function misshapen(pointer: string, what: string): Problem {
  return new Problem('invalid-body', `${pointer || 'The body'} ${what}.`, { pointer });
}

/** A field that is not part of the object at `pointer`. */
export function unknownField(pointer: string, name: string): Problem {
  return isShowable(name)
    ? misshapen(`${pointer}/${name}`, 'is not known')
    : misshapen(pointer, 'has a field that is not known');
}
