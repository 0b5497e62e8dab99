import { ATTACHMENT } from './pdf.ts';

/** Why no payslip can be taken out of a PDF. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError';
}

const OBJECT = /\/Type \/EmbeddedFile\b[\s\S]*?\/Length (\d+)\n>>\nstream\n/g;

/**
 * The text of the payslip that is attached to a page, as `payslipPdf` writes it. Throws `AttachmentError` for a PDF that has none, or that
 * another program has written anew.
 */
export function attachedPayslip(pdf: Uint8Array): string {
  const bytes = Buffer.from(pdf);
  // Each byte is one character, so places in the text are places in the file.
  const text = bytes.toString('latin1');
  const found = [...text.matchAll(OBJECT)];
  const [object, ...others] = found;
  if (object === undefined || others.length > 0 || !text.includes(`(${ATTACHMENT})`)) {
    throw new AttachmentError(
      `The PDF has no ${ATTACHMENT} where it was attached. If another program has saved it anew, take the attachment out ` +
        'with a PDF viewer and verify that file.',
    );
  }
  const from = object.index + object[0].length;
  return bytes.subarray(from, from + Number(object[1])).toString('utf8');
}
