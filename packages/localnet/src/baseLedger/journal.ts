import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { LocalnetError, messageOf } from '../errors.ts';
import type { JournalRecord } from './records.ts';

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** A record and where its line stands in the file, in bytes. */
export interface JournalEntry {
  readonly record: JournalRecord;
  readonly offset: number;
  readonly length: number;
}

/**
 * An append-only file with one JSON record a line. A record is handed to the operating system before its transaction is
 * answered, so it outlives this process however that ends (not a power cut). A torn last line is cut off.
 */
export class Journal {
  readonly #fd: number;
  #end = 0;

  constructor(private readonly path: string) {
    this.#fd = openSync(path, 'a+');
  }

  /** The file's length in bytes, up to the last whole record. */
  get end(): number {
    return this.#end;
  }

  /** Reads the records from `offset` on. With `repair`, what follows the last whole line is cut off. */
  *read(offset: number, repair = false): Generator<JournalEntry> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest: Buffer = Buffer.alloc(0);
    let restOffset = offset;
    let position = offset;
    for (;;) {
      const bytes = readSync(this.#fd, chunk, 0, CHUNK_BYTES, position);
      if (bytes === 0) break;
      position += bytes;
      const text: Buffer =
        rest.length === 0 ? chunk.subarray(0, bytes) : Buffer.concat([rest, chunk.subarray(0, bytes)]);
      let start = 0;
      for (;;) {
        const newline = text.indexOf(NEWLINE, start);
        if (newline < 0) break;
        const length = newline + 1 - start;
        yield {
          record: this.#parse(text.subarray(start, newline), restOffset + start),
          offset: restOffset + start,
          length,
        };
        start = newline + 1;
      }
      rest = Buffer.from(text.subarray(start));
      restOffset += start;
    }
    if (!repair) return;
    if (rest.length > 0) ftruncateSync(this.#fd, restOffset);
    this.#end = restOffset;
  }

  /** Reads one record. */
  readAt(offset: number, length: number): JournalRecord {
    const line = Buffer.alloc(length);
    readSync(this.#fd, line, 0, length, offset);
    return this.#parse(line, offset);
  }

  /** Adds a record and says where it stands. */
  append(record: JournalRecord): { offset: number; length: number } {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    const offset = this.#end;
    try {
      for (let written = 0; written < line.length; ) written += writeSync(this.#fd, line, written);
    } catch (error) {
      throw new LocalnetError(
        'JOURNAL_WRITE_FAILED',
        `The base ledger can't write ${this.path} (${messageOf(error)}): free space there and start again.`,
      );
    }
    this.#end += line.length;
    return { offset, length: line.length };
  }

  close(): void {
    closeSync(this.#fd);
  }

  #parse(line: Uint8Array, offset: number): JournalRecord {
    try {
      return JSON.parse(Buffer.from(line).toString('utf8')) as JournalRecord;
    } catch (error) {
      throw new LocalnetError(
        'JOURNAL_DAMAGED',
        `${this.path} is damaged at byte ${offset} (${messageOf(error)}): restore it or start anew with --reset.`,
      );
    }
  }
}
