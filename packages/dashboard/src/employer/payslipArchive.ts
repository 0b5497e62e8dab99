import { type Payslip, payslipFromJson } from '@payouts/client';
import { ExportError, type ExportedFile, exportFiles } from '@payouts/statements';
import { makeZip } from 'client-zip';

/** Gives the next lines of a window's payslips, as JSON; undefined: there are no more. */
export type NextLines = (window: string) => Promise<string | undefined>;

/** A settled window, and to how many it has paid. */
export type PaidWindow = { readonly window: string; readonly paid: number };

export type ArchiveWish = {
  readonly windows: readonly PaidWindow[];
  /** Whether each payslip is there as a page (PDF), too. */
  readonly pdf: boolean;
  /** Unix milliseconds: what its files say. */
  readonly madeAt: number;
};

export type MadeArchive =
  | { readonly kind: 'archive'; readonly archive: Blob }
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
  { windows, pdf, madeAt }: ArchiveWish,
  next: NextLines,
  onWritten: (written: number) => void,
): Promise<MadeArchive> {
  let before = 0;
  async function* files() {
    for (const { window, paid } of windows) {
      const tell = (written: number) => {
        if ((before + written) % TOLD === 0) onWritten(before + written);
      };
      const made = exportFiles(payslipsOf(window, next), { pdf, onWritten: tell });
      const { payslips } = yield* entriesOf(window, made, madeAt);
      if (payslips !== paid) throw new ExportError(`The coordinator has not given all payslips of pay run ${window}.`);
      before += payslips;
    }
  }
  try {
    return { kind: 'archive', archive: await gathered(makeZip(files())) };
  } catch (error) {
    if (error instanceof ExportError) return { kind: 'refused', sentence: error.message };
    throw error;
  }
}

async function* payslipsOf(window: string, next: NextLines): AsyncGenerator<Payslip> {
  for (let lines = await next(window); lines !== undefined; lines = await next(window)) {
    for (const line of lines.trimEnd().split('\n')) yield payslipFromJson(JSON.parse(line));
  }
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
