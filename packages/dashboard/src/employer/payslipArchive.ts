import { isSameBytes, type Payslip, payslipFromJson } from '@payouts/client';
import { Failure, listFrom, type NamedList, notedPayslips } from '@payouts/employer';
import type { SignText } from '@payouts/pages/session/session';
import { ExportError, type ExportedFile, exportFiles } from '@payouts/statements';
import type { Address, MessagePartialSigner, SignatureBytes } from '@solana/kit';
import { makeZip } from 'client-zip';

/** Gives the next lines of a window's payslips, as JSON; undefined: there are no more. */
export type NextLines = (window: string) => Promise<string | undefined>;

/** A settled window, and to how many it has paid. */
export type PaidWindow = { readonly window: string; readonly paid: number };

/** The employer, whose wallet signs notes, and their own copies of lists, which say what is in a currency. */
type NotesWish = { readonly employer: Address; readonly copies: readonly File[] };

export type ArchiveWish = {
  readonly windows: readonly PaidWindow[];
  /** Whether each payslip is there as a page (PDF), too. */
  readonly pdf: boolean;
  /** Unix milliseconds: what its files say. */
  readonly madeAt: number;
  /** For notes on amounts in a currency; undefined: there are none. */
  readonly notes?: NotesWish | undefined;
};

export type MadeArchive =
  /** `notes`: payslips that have one. */
  | { readonly kind: 'archive'; readonly archive: Blob; readonly notes: number }
  | { readonly kind: 'refused'; readonly sentence: string };

/** Bytes that are handed to the browser, which keeps them where it likes, before more are made. */
const PIECE_BYTES = 4 * 1_048_576;
/** Payslips between two words of how far it is. */
const TOLD = 100;

/**
 * All payslips of some windows as one ZIP archive: a folder for each, with the files that the command `payout receipt export` writes.
 * Payslips are read, verified and written one after the other: a long payroll takes no more memory than a short one.
 */
export async function payslipArchive(
  { windows, pdf, madeAt, notes }: ArchiveWish,
  next: NextLines,
  onWritten: (written: number) => void,
  sign: SignText,
): Promise<MadeArchive> {
  let before = 0;
  let signed = 0;
  const signNote = (text: Uint8Array) => {
    signed++;
    return sign(text);
  };
  async function* files() {
    const noting = await notesBy(notes, signNote);
    for (const { window, paid } of windows) {
      const tell = (written: number) => {
        if ((before + written) % TOLD === 0) onWritten(before + written);
      };
      const made = exportFiles(noting(payslipsOf(window, next)), { pdf, onWritten: tell });
      const { payslips } = yield* entriesOf(window, made, madeAt);
      if (payslips !== paid) throw new ExportError(`The coordinator has not given all payslips of pay run ${window}.`);
      before += payslips;
    }
  }
  try {
    return { kind: 'archive', archive: await gathered(makeZip(files())), notes: signed };
  } catch (error) {
    if (error instanceof ExportError || error instanceof Failure) return { kind: 'refused', sentence: error.message };
    throw error;
  }
}

async function* payslipsOf(window: string, next: NextLines): AsyncGenerator<Payslip> {
  for (let lines = await next(window); lines !== undefined; lines = await next(window)) {
    for (const line of lines.trimEnd().split('\n')) yield payslipFromJson(JSON.parse(line));
  }
}

/** What writes the employer's notes on payslips. Throws `Failure` list-unreadable. */
async function notesBy(
  notes: NotesWish | undefined,
  sign: SignText,
): Promise<(payslips: AsyncIterable<Payslip>) => AsyncIterable<Payslip>> {
  if (notes === undefined) return (payslips) => payslips;
  const lists: NamedList[] = [];
  for (const copy of notes.copies) lists.push(listFrom(await copy.text(), copy.name));
  const { employer: address } = notes;
  const employer: MessagePartialSigner = {
    address,
    signMessages: (messages) =>
      Promise.all(
        messages.map(async ({ content }) => ({ [address]: (await sign(new Uint8Array(content))) as SignatureBytes })),
      ),
  };
  const conversionsOf = async (_: Address, root: Uint8Array) =>
    lists.find((list) => isSameBytes(list.root, root))?.converted;
  return (payslips) => notedPayslips(payslips, employer, conversionsOf);
}

/** Files of a window as what an archive takes; at its end, what they came to. */
async function* entriesOf<T>(window: string, files: AsyncGenerator<ExportedFile, T>, madeAt: number) {
  for (;;) {
    const { done, value } = await files.next();
    if (done) return value;
    yield { name: `window-${window}/${value.name}`, input: value.content, lastModified: new Date(madeAt) };
  }
}

async function gathered(stream: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Blob[] = [];
  let parts: BlobPart[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value as Uint8Array<ArrayBuffer>);
    bytes += read.value.length;
    if (bytes < PIECE_BYTES) continue;
    pieces.push(new Blob(parts));
    [parts, bytes] = [[], 0];
  }
  return new Blob([...pieces, ...parts], { type: 'application/zip' });
}
