import { nextTurn } from '@payouts/client/browser';
import { type FileEntry, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js';
import { PayrollError, unreadable } from '../problems.ts';

/** What parts of a workbook may have together, unpacked: ten times what 80,000 lines take. */
const MOST_BYTES = 256 * 1_048_576;
/** Parts of a workbook: one with a hundred sheets has some five hundred. */
const MOST_PARTS = 1_024;
/** Unpacked between two turns of others. */
const SLICE_BYTES = 262_144;
/** What any two programs read in the same way; and no thread for it, which a page's policy would have to allow. */
const STRICT = { strictness: 'strict', checkOverlappingEntry: true, useWebWorkers: false } as const;

/** The parts of a workbook, which is a ZIP archive. The library unpacks no more of a part than the archive says it has. */
export class Archive {
  readonly #parts: ReadonlyMap<string, FileEntry>;
  #sinceTurn = 0;

  private constructor(parts: ReadonlyMap<string, FileEntry>) {
    this.#parts = parts;
  }

  /** Throws `PayrollError`. */
  static async open(bytes: Uint8Array): Promise<Archive> {
    const parts = new Map<string, FileEntry>();
    let declared = 0;
    const reader = new ZipReader(new Uint8ArrayReader(bytes), STRICT);
    await refusing(async () => {
      for await (const entry of reader.getEntriesGenerator()) {
        if (entry.encrypted) throw encrypted();
        if (entry.directory) continue;
        const name = entry.filename.toLowerCase();
        if (parts.has(name)) throw damaged('two of its parts have one name');
        declared += entry.uncompressedSize;
        if (declared > MOST_BYTES || parts.size >= MOST_PARTS) throw tooLarge();
        parts.set(name, entry);
      }
    });
    return new Archive(parts);
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  /** Gives a part's text piece by piece; nothing if there is no such part. Throws `PayrollError`. */
  async read(name: string, take: (text: string) => void): Promise<void> {
    const part = this.#parts.get(name.toLowerCase());
    if (part === undefined) return;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const write = async (piece: Uint8Array) => {
      take(decoder.decode(piece, { stream: true }));
      this.#sinceTurn += piece.length;
      if (this.#sinceTurn < SLICE_BYTES) return;
      this.#sinceTurn = 0;
      await nextTurn();
    };
    await refusing(async () => {
      await part.getData(new WritableStream({ write }), { ...STRICT, checkSignature: true });
      take(decoder.decode());
    });
  }
}

/** Whatever an archive is found to be wrong for, it is no workbook that can be relied on. */
async function refusing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PayrollError) throw error;
    throw damaged(error instanceof Error ? error.message.toLowerCase() : 'it can’t be unpacked');
  }
}

const SAVE_ANEW = 'Open it in your spreadsheet program, save it as .xlsx and try again.';

/** `why`: half a sentence, with nothing of the content. */
export const damaged = (why: string): PayrollError =>
  unreadable(
    'workbook-damaged',
    `The workbook is damaged, or was not made by a spreadsheet program (${why}). ${SAVE_ANEW}`,
  );

export const encrypted = (): PayrollError =>
  unreadable('workbook-encrypted', 'The workbook is protected by a password. Save a copy without one.');

const tooLarge = (): PayrollError =>
  unreadable(
    'workbook-too-large',
    `The workbook is too large: it unpacks to more than ${MOST_BYTES / 1_048_576} MB, or has more than ${MOST_PARTS} parts. Copy the payroll into a new one, or save it as CSV.`,
  );
