import { nextTurn } from '@payouts/client/browser';
import { PayrollError, type PayrollProblemCode, unreadable } from '../problems.ts';
import type { Slice, Table } from '../table.ts';
import { type XmlFault, XmlReader } from '../xml.ts';
import { checkEncoding, wrongEncoding } from './encoding.ts';
import type { OrderedPayment, PaymentFile } from './payment.ts';
import { PaymentReading } from './reading.ts';

/** Twice what 80,000 payments take. */
const MOST_MEGABYTES = 96;
const MEGABYTE = 1_000_000;
/** What is read in a few milliseconds. */
const PIECE = 262_144;
const SLICE_ROWS = 2_000;

const PAIN_001 = /^urn:iso:std:iso:20022:tech:xsd:(pain\.001\.\d{3}\.\d{2})$/;

const FAULTS: Readonly<Record<XmlFault, readonly [code: PayrollProblemCode, message: string]>> = {
  'not-xml': ['payment-file-damaged', 'The payment file is damaged: it is not XML from here on. Export it again.'],
  'too-deep': ['payment-file-damaged', 'The payment file is damaged: it is nested deeper than any. Export it again.'],
  entities: [
    'payment-file-entities',
    'The payment file has a document type, in which it could define entities. Payment files have none: export it again.',
  ],
};

/** Reads a payment file in any version of pain.001. Throws `PayrollError` for one that is refused as a whole. */
export async function readPaymentFile(content: Uint8Array | string): Promise<PaymentFile> {
  if (content.length > MOST_MEGABYTES * MEGABYTE) throw tooLarge();
  checkEncoding(content);
  let namespace = '';
  const reading = new PaymentReading();
  const reader = new XmlReader(reading, {
    isOwn: (found) => {
      namespace = found;
      return PAIN_001.test(found);
    },
    refuse: (fault, line) => {
      const [code, message] = FAULTS[fault];
      return new PayrollError([{ code, line, message }]);
    },
  });
  for await (const text of piecesOf(content)) reader.write(text);
  reader.close();
  const [, kind] = PAIN_001.exec(namespace) ?? [];
  if (kind === undefined || !reading.isBegun) throw otherMessage(namespace);
  return { kind, ...reading.result() };
}

/** A payment file's payments as the rows of a payroll. Throws `PayrollError`. */
export async function openPaymentFile(content: Uint8Array | string): Promise<Table> {
  const { currency, payments } = await readPaymentFile(content);
  return { slices: slicesOf(currency, payments), style: 'point' };
}

function* slicesOf(currency: string, payments: readonly OrderedPayment[]): Generator<Slice> {
  yield { rows: [{ line: 1, cells: ['recipient', 'name', 'reference', `amount ${currency}`] }], part: 0 };
  for (let at = 0; at < payments.length; at += SLICE_ROWS) {
    const rows = payments
      .slice(at, at + SLICE_ROWS)
      .map(({ line, recipient, name, reference, amount }) => ({ line, cells: [recipient, name, reference, amount] }));
    yield { rows, part: Math.min(1, (at + SLICE_ROWS) / payments.length) };
  }
}

/** A file's text in pieces, between which others have their turn. */
async function* piecesOf(content: Uint8Array | string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < content.length; at += PIECE) {
    const piece = content.slice(at, at + PIECE);
    yield typeof piece === 'string' ? piece : decoded(decoder, piece, at + PIECE >= content.length);
    await nextTurn();
  }
}

function decoded(decoder: TextDecoder, piece: Uint8Array, isLast: boolean): string {
  try {
    return decoder.decode(piece, { stream: !isLast });
  } catch {
    throw wrongEncoding('has bytes that are not UTF-8');
  }
}

const tooLarge = (): PayrollError =>
  unreadable(
    'payment-file-too-large',
    `The payment file is larger than ${MOST_MEGABYTES} MB. Split it into several: a payroll for each.`,
  );

/** What another message calls itself, if it is one of ISO 20022. */
function otherMessage(namespace: string): PayrollError {
  const [, kind] = /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}(?:\.\d{2,3}){3})$/.exec(namespace) ?? [];
  const what = kind === undefined ? 'no message of ISO 20022' : `a message of another kind (${kind})`;
  return unreadable(
    'payment-file-unknown',
    `The file is XML, and ${what}. A payroll is a credit transfer initiation (pain.001), CSV or a workbook (.xlsx).`,
  );
}
