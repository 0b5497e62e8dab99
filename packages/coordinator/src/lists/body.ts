import type { Readable } from 'node:stream';
import { isAddressText, MAX_LEAVES, nextTurn, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { scheduleAddress } from '../domain/address.ts';
import { Problem } from '../domain/problems.ts';
import { EntryReader, misshapen, parseJson, type ReceivedList, unknownField } from './entries.ts';
import { ElementBroken, ListScanner, PIECE_BYTES, PieceTooLong } from './listScanner.ts';

/** A registration as it was sent: its shape is right, and each entry by itself. */
export type ReceivedBody = {
  readonly schedulePda: Address;
  readonly mint: string | undefined;
  readonly list: ReceivedList;
};

/** How a body is read. */
export type Reading = {
  readonly limitBytes: number;
  readonly time: Pick<Time, 'monotonic' | 'after'>;
  /** Opens what is sealed, as it arrives; undefined: it is not. */
  readonly open?: (pieces: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
};

/** A sealed body is longer than what it says: by a third, and by its lines' heads. */
const SEALED_FACTOR = 1.5;

/** Bytes that a body may be sent in. */
export const mostSent = ({ limitBytes, open }: Pick<Reading, 'limitBytes' | 'open'>): number =>
  open === undefined ? limitBytes : limitBytes * SEALED_FACTOR;

/** Milliseconds of work between two turns of the event loop, and bytes looked at in one go. */
const WORK_MS = 8;
const SLICE_BYTES = 64 * 1_024;
/** Bytes a second that a body must arrive with, and milliseconds that it may be waited for beyond them. */
const LEAST_RATE = 32 * 1_024;
const PATIENCE_MS = 5_000;

const LIST = 'recipients';
const FIELDS: ReadonlySet<string> = new Set(['schedulePda', 'mint', LIST]);

function notJson(element?: number): Problem {
  if (element === undefined) return new Problem('invalid-json', 'The body is not JSON.');
  const pointer = `/${LIST}/${element}`;
  return new Problem('invalid-json', `The body is not JSON: it breaks at ${pointer}.`, { pointer });
}

function tooLong(element: number | undefined): Problem {
  const where = element === undefined ? 'what stands beside its recipients' : `/${LIST}/${element}`;
  const extra = element === undefined ? undefined : { pointer: where };
  return new Problem('invalid-json', `The body is not JSON, or ${where} has more than ${PIECE_BYTES} bytes.`, extra);
}

function problemOf(error: unknown): unknown {
  if (error instanceof PieceTooLong) return tooLong(error.element);
  return error instanceof ElementBroken ? notJson(error.element) : error;
}

/**
 * Reads a registration's body as it arrives. Neither the body nor an object for each entry is ever held, and the event loop goes on
 * turning. Throws `body-too-large`, `invalid-json`, `invalid-body`, `invalid-recipient` for the first entry that is wrong (naming
 * its index and field, and nothing of it), `invalid-address`, what opening it throws, or `request-timeout` if the body ends before it is whole or comes too slowly. What is wrong
 * with the JSON comes before what is wrong with the fields beside the list, and that before the entries.
 */
export async function readBody(payload: Readable, reading: Reading): Promise<ReceivedBody> {
  const entries = new EntryReader();
  const scanner = new ListScanner(LIST, entries);
  try {
    await readChunks(payload, reading, (chunk) => {
      scanner.push(chunk);
      // No list is longer: what else comes is not looked at.
      if (entries.count > MAX_LEAVES) throw tooMany();
    });
  } catch (error) {
    throw problemOf(error);
  }
  return received(scanner, entries);
}

async function readChunks(payload: Readable, reading: Reading, take: (chunk: Buffer) => void): Promise<void> {
  const { limitBytes, time, open } = reading;
  let bytes = 0;
  let begun = time.monotonic();
  const chunks = payload.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  const sent = inTime(chunks, time);
  for await (const chunk of open === undefined ? sent : open(atMost(sent, reading))) {
    const fitting = Math.min(chunk.length, limitBytes - bytes);
    bytes += chunk.length;
    for (let start = 0; start < fitting; start += SLICE_BYTES) {
      take(chunk.subarray(start, Math.min(start + SLICE_BYTES, fitting)));
      if (time.monotonic() - begun < WORK_MS) continue;
      await nextTurn();
      begun = time.monotonic();
    }
    if (bytes > limitBytes) throw bodyTooLarge(limitBytes);
  }
}

/** The pieces of a sealed body as it was sent, which says its length only where the caller did. Throws `body-too-large`. */
async function* atMost(pieces: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Buffer> {
  let leftBytes = mostSent(reading);
  for await (const piece of pieces) {
    leftBytes -= piece.length;
    if (leftBytes < 0) throw bodyTooLarge(reading.limitBytes);
    yield piece;
  }
}

/** A body larger than the limit. */
export const bodyTooLarge = (limitBytes: number): Problem =>
  new Problem('body-too-large', `The body is larger than ${limitBytes} bytes, which BODY_LIMIT_BYTES sets.`);

/**
 * The pieces of a body as long as they come fast enough: only waiting for the next one counts. A caller who goes away in the middle is no
 * error of ours.
 */
async function* inTime(chunks: AsyncIterableIterator<Buffer>, time: Reading['time']): AsyncGenerator<Buffer> {
  let leftMs = PATIENCE_MS;
  for (;;) {
    const began = time.monotonic();
    const next = await within(leftMs, chunks.next(), time);
    if (next.done) return;
    leftMs = Math.min(PATIENCE_MS, leftMs + (next.value.length * 1_000) / LEAST_RATE - (time.monotonic() - began));
    yield next.value;
  }
}

/** A piece of a body, if it comes within so many milliseconds. Throws `request-timeout`. */
function within<T>(milliseconds: number, piece: Promise<T>, time: Reading['time']): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooSlow = new Problem('request-timeout', `The body comes with less than ${LEAST_RATE} bytes a second.`);
    const timer = time.after(Math.max(milliseconds, 0), () => reject(tooSlow));
    const ended = () => reject(new Problem('request-timeout', 'The body ended before it was whole.'));
    piece.finally(() => timer.cancel()).then(resolve, ended);
  });
}

function received(scanner: ListScanner, entries: EntryReader): ReceivedBody {
  let body: unknown;
  try {
    body = parseJson(scanner.rest());
  } catch {
    throw notJson();
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw misshapen('', 'must be an object');
  const [repeated] = scanner.repeated;
  if (repeated !== undefined) throw misshapen(FIELDS.has(repeated) ? `/${repeated}` : '', 'has a field twice');
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw unknownField('', unknown);

  const { schedulePda, mint, recipients } = body as { readonly [name: string]: unknown };
  if (typeof schedulePda !== 'string') throw misshapen('/schedulePda', isString(schedulePda));
  if (mint !== undefined && (typeof mint !== 'string' || !isAddressText(mint))) {
    throw misshapen('/mint', 'must be an address');
  }
  if (!Array.isArray(recipients))
    throw misshapen(`/${LIST}`, recipients === undefined ? 'is missing' : 'must be a list');
  if (entries.count === 0) throw misshapen(`/${LIST}`, 'must have an entry');
  const address = scheduleAddress(schedulePda);
  if (entries.problem !== undefined) throw entries.problem;
  return { schedulePda: address, mint, list: entries.list() };
}

const tooMany = () => misshapen(`/${LIST}`, `must have at most ${MAX_LEAVES} entries`);
const isString = (value: unknown): string => (value === undefined ? 'is missing' : 'must be a string');
