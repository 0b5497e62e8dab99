import { nextTurn } from '@payouts/client/browser';
import { PayrollError } from './problems.ts';

/** What is decoded in a few milliseconds. */
const PIECE = 1_048_576;

/** The text of a file in UTF-8, with a line feed at the end of each line. Throws `PayrollError` not-text. */
export async function textOf(content: Uint8Array | string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [text, held] = ['', ''];
  for (let at = 0; at < content.length; at += PIECE) {
    const isLast = at + PIECE >= content.length;
    const piece = held + decoded(decoder, content.slice(at, at + PIECE), isLast);
    // A carriage return may be the first half of a line's end.
    held = !isLast && piece.endsWith('\r') ? '\r' : '';
    text += piece.slice(0, piece.length - held.length).replace(/\r\n?/g, '\n');
    await nextTurn();
  }
  return text.replace(/^\uFEFF/, '');
}

function decoded(decoder: TextDecoder, piece: Uint8Array | string, isLast: boolean): string {
  if (typeof piece === 'string') return piece;
  try {
    return decoder.decode(piece, { stream: !isLast });
  } catch {
    throw new PayrollError([
      { code: 'not-text', message: 'The payroll is not text in UTF-8. Save it as "CSV UTF-8" and try again.' },
    ]);
  }
}
