/** Points; A4 is 595 by 842. */
export const MARGIN = 56;
export const RIGHT = 595 - MARGIN;
export const BOTTOM = 842 - MARGIN;

export const INK = '#1a1d21';
export const FAINT = '#667079';
const LINE = '#d5d9dd';
export const FONTS = { plain: 'Helvetica', bold: 'Helvetica-Bold', fixed: 'Courier' };

/** A page being drawn, and the bytes of the whole document once that is over. */
export type OpenPage = { readonly page: PDFKit.PDFDocument; readonly bytes: () => Promise<Uint8Array> };

/**
 * Begins a document that holds a file. The same content gives the same bytes, in Node and in a browser: nothing in it depends on when
 * or where it is drawn.
 */
export async function openPage(
  { title, at }: { readonly title: string; readonly at: number },
  file: { readonly name: string; readonly description: string; readonly type?: string; readonly text: string },
): Promise<OpenPage> {
  // Loaded when it is needed: no other command and no page should wait for it.
  const { PDFDocument } = await import('#pdfkit');
  const date = new Date(at);
  const page = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    // The attachment stays readable without a library, and the bytes don't depend on one.
    compress: false,
    info: { Title: title, CreationDate: date, ModDate: date },
  });
  const chunks: Uint8Array[] = [];
  page.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const done = new Promise<Uint8Array>((resolve, reject) => {
    page.on('end', () => resolve(concatenate(chunks)));
    page.on('error', reject);
  });
  page.file(new TextEncoder().encode(file.text) as Buffer, {
    name: file.name,
    type: file.type ?? 'application/json',
    description: file.description,
    creationDate: date,
    modifiedDate: date,
  });
  return {
    page,
    bytes: () => {
      page.end();
      return done;
    },
  };
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** What the document is, with a line below. */
export function writeHeading(page: PDFKit.PDFDocument, title: string, below: string): void {
  page.font(FONTS.bold).fontSize(22).fillColor(INK).text(title, MARGIN, MARGIN);
  page.font(FONTS.plain).fontSize(10).fillColor(FAINT);
  page.text(below, MARGIN, MARGIN + 28);
  writeRule(page, MARGIN + 52);
}

export function writeRule(page: PDFKit.PDFDocument, y: number): void {
  page.moveTo(MARGIN, y).lineTo(RIGHT, y).strokeColor(LINE).lineWidth(1).stroke();
}

/** A signature in two halves, which fit a column. */
export const broken = (signature: string): string => `${signature.slice(0, 44)}\n${signature.slice(44)}`;
