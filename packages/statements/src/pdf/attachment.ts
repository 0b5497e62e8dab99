/** Why nothing can be taken out of a PDF. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError';
}

const OBJECT = /\/Type \/EmbeddedFile\b[\s\S]*?\/Length (\d+)\n>>\nstream\n/g;

/** Whether bytes are those of a PDF. */
export const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';

/**
 * The text of the file that is attached to a document of ours, by its name. Throws `AttachmentError` for a PDF that has none, or that
 * another program has written anew.
 */
export function attachedText(pdf: Uint8Array, name: string): string {
  // Each byte is one character, so places in the text are places in the file.
  const text = new TextDecoder('latin1').decode(pdf);
  const found = [...text.matchAll(OBJECT)];
  const [object, ...others] = found;
  if (object === undefined || others.length > 0 || !text.includes(`(${name})`)) {
    throw new AttachmentError(
      `The PDF has no ${name} where it was attached. If another program has saved it anew, take the attachment out ` +
        'with a PDF viewer and verify that file.',
    );
  }
  const from = object.index + object[0].length;
  return new TextDecoder().decode(pdf.subarray(from, from + Number(object[1])));
}

/** The JSON in a file, or in the one that is attached to a PDF. Throws `AttachmentError`. */
export function jsonIn(bytes: Uint8Array, name: string): unknown {
  const text = isPdf(bytes) ? attachedText(bytes, name) : new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new AttachmentError(`The file is neither ${name} nor a PDF that holds it.`);
  }
}
