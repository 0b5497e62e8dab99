import { isAddressText } from '@payouts/client/browser';
import { PayrollError, type PayrollProblem, type PayrollProblemCode } from '../problems.ts';
import type { Attributes, Visitor } from '../xml.ts';
import { decimalOf } from './decimal.ts';
import type { OrderedPayment, PaymentFile } from './payment.ts';

type Draft = { -readonly [Field in keyof OrderedPayment]: OrderedPayment[Field] };

/** The header, or a group: what it says of its payments, and which they are. */
type Part = {
  readonly line: number;
  readonly isHeader: boolean;
  saidCount: string;
  saidSum: string;
  count: number;
  sum: bigint;
};

/** What elements say that are read. */
type Meaning =
  | 'header'
  | 'group'
  | 'payment'
  | 'message'
  | 'count'
  | 'sum'
  | 'group-name'
  | 'method'
  | 'day'
  | 'instruction'
  | 'end-to-end'
  | 'amount'
  | 'converted'
  | 'name'
  | 'account'
  | 'wallet'
  | 'reference';

/** Where they are, from the header or a group on. A wallet's address is longer than the standard lets `Othr` be: it is in `Prxy`, or in `Othr` nevertheless. */
const PLACES: Readonly<Record<string, Meaning>> = {
  GrpHdr: 'header',
  'GrpHdr/MsgId': 'message',
  'GrpHdr/NbOfTxs': 'count',
  'GrpHdr/CtrlSum': 'sum',
  PmtInf: 'group',
  'PmtInf/PmtInfId': 'group-name',
  'PmtInf/PmtMtd': 'method',
  'PmtInf/NbOfTxs': 'count',
  'PmtInf/CtrlSum': 'sum',
  'PmtInf/ReqdExctnDt': 'day',
  'PmtInf/ReqdExctnDt/Dt': 'day',
  'PmtInf/ReqdExctnDt/DtTm': 'day',
  'PmtInf/CdtTrfTxInf': 'payment',
  'PmtInf/CdtTrfTxInf/PmtId/InstrId': 'instruction',
  'PmtInf/CdtTrfTxInf/PmtId/EndToEndId': 'end-to-end',
  'PmtInf/CdtTrfTxInf/Amt/InstdAmt': 'amount',
  'PmtInf/CdtTrfTxInf/Amt/EqvtAmt': 'converted',
  'PmtInf/CdtTrfTxInf/Cdtr/Nm': 'name',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN': 'account',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/Othr/Id': 'account',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Prxy/Id': 'wallet',
  'PmtInf/CdtTrfTxInf/RmtInf/Ustrd': 'reference',
  'PmtInf/CdtTrfTxInf/RmtInf/Strd/CdtrRefInf/Ref': 'reference',
};
/** Depth of the header and of groups. */
const TOP = 3;
const CURRENCY = /^[A-Z]{3}$/;

/** A place, and those within. Going from one to the next is quicker than writing paths. */
type Place = { meaning?: Meaning; readonly inner: Map<string, Place> };

function placesOf(paths: Readonly<Record<string, Meaning>>): Place {
  const root: Place = { inner: new Map() };
  for (const [path, meaning] of Object.entries(paths)) {
    let place = root;
    for (const name of path.split('/')) {
      const next: Place = place.inner.get(name) ?? { inner: new Map() };
      place.inner.set(name, next);
      place = next;
    }
    place.meaning = meaning;
  }
  return root;
}

const ROOT = placesOf(PLACES);

/** Takes the elements of a payment file one after the other; what is refused as a whole is thrown as a `PayrollError`. */
export class PaymentReading implements Visitor {
  /** Whether it is such a message. */
  isBegun = false;
  readonly #groups: string[] = [];
  readonly #payments: OrderedPayment[] = [];
  readonly #parts: Part[] = [];
  #header: Part | undefined;
  /** The header or the group that is open. */
  #part: Part | undefined;
  #messageId = '';
  #currency = '';
  #day = '';
  /** Places of the elements that are open; of others, undefined. */
  readonly #open: (Place | undefined)[] = [ROOT];
  /** Where the last of them began. */
  #line = 1;
  #payment: Draft | undefined;
  #amount = 0n;

  open(name: string, depth: number, attributes: Attributes, line: number): void {
    if (depth === TOP - 1) this.isBegun = name === 'CstmrCdtTrfInitn';
    if (depth < TOP || !this.isBegun) return;
    this.#line = line;
    const place = this.#open.at(-1)?.inner.get(name);
    this.#open.push(place);
    switch (place?.meaning) {
      case 'header':
      case 'group':
        this.#beginPart(place.meaning === 'header');
        return;
      case 'payment':
        this.#beginPayment();
        return;
      case 'amount':
        this.#takeCurrency(attributes.Ccy ?? '');
        return;
      case 'converted': {
        const message =
          'The amount is to be converted from another currency, which nobody does here. Name what is paid.';
        throw this.#refused('payment-file-converted', message);
      }
    }
  }

  close(_name: string, depth: number, written: string): void {
    if (depth < TOP || !this.isBegun) return;
    const meaning = this.#open.pop()?.meaning;
    if (meaning === 'payment') this.#endPayment();
    if (meaning === 'header' || meaning === 'group') this.#part = undefined;
    const text = meaning === undefined ? '' : written.trim();
    if (text === '' || meaning === undefined) return;
    if (this.#payment !== undefined) this.#takeOfPayment(this.#payment, meaning, text);
    else if (this.#part !== undefined) this.#takeOfPart(this.#part, meaning, text);
  }

  /** What was read. Throws `PayrollError` if the file contradicts itself. */
  result(): Omit<PaymentFile, 'kind'> {
    const problems = this.#parts.flatMap(contradictionsOf);
    if (problems.length > 0) throw new PayrollError(problems);
    const [messageId, currency] = [this.#messageId, this.#currency];
    return { messageId, groups: this.#groups, currency, payments: this.#payments };
  }

  #beginPart(isHeader: boolean): void {
    this.#part = { line: this.#line, isHeader, saidCount: '', saidSum: '', count: 0, sum: 0n };
    this.#parts.push(this.#part);
    if (isHeader) this.#header = this.#part;
    else this.#groups.push('');
  }

  #beginPayment(): void {
    const [line, group] = [this.#line, this.#groups.length - 1];
    const empty = { endToEndId: '', instructionId: '', recipient: '', name: '', amount: '', reference: '' };
    this.#payment = { line, group, ...empty };
  }

  #endPayment(): void {
    if (this.#payment === undefined) return;
    this.#payments.push(this.#payment);
    for (const part of [this.#header, this.#part]) {
      if (part === undefined) continue;
      part.count += 1;
      part.sum += this.#amount;
    }
    this.#payment = undefined;
    this.#amount = 0n;
  }

  #takeCurrency(currency: string): void {
    if (this.#currency === '' && CURRENCY.test(currency)) this.#currency = currency;
    if (this.#currency === currency && currency !== '') return;
    const message = CURRENCY.test(currency)
      ? `The payment is in ${currency}, others are in ${this.#currency}. A payroll has one token: split the file.`
      : 'The amount names no currency of three letters, such as USD.';
    throw this.#refused('payment-file-currencies', message);
  }

  #takeOfPayment(payment: Draft, meaning: Meaning, text: string): void {
    switch (meaning) {
      case 'instruction':
        payment.instructionId = text;
        return;
      case 'end-to-end':
        payment.endToEndId = text;
        return;
      case 'amount':
        this.#takeAmount(payment, text);
        return;
      case 'name':
        payment.name = text;
        return;
      case 'account':
        payment.recipient ||= text;
        return;
      case 'wallet':
        if (text.startsWith(payment.recipient) || isAddressText(text)) payment.recipient = text;
        return;
      case 'reference':
        payment.reference = payment.reference === '' ? text : `${payment.reference} ${text}`;
    }
  }

  #takeAmount(payment: Draft, text: string): void {
    const amount = decimalOf(text);
    if (amount === undefined) {
      const message =
        'The amount is not a number such as 1250.50 (digits with a decimal point, nothing between thousands).';
      throw this.#refused('amount-invalid', message);
    }
    payment.amount = text;
    this.#amount = amount;
  }

  #takeOfPart(part: Part, meaning: Meaning, text: string): void {
    switch (meaning) {
      case 'count':
        part.saidCount = text;
        return;
      case 'sum':
        part.saidSum = text;
        return;
      case 'message':
        this.#messageId = text;
        return;
      case 'group-name':
        this.#groups[this.#groups.length - 1] = text;
        return;
      case 'day':
        this.#takeDay(text.slice(0, 10));
        return;
      case 'method':
        if (text === 'CHK') {
          const message = 'The payments are cheques. A payroll is paid by transfers (TRF).';
          throw this.#refused('payment-file-cheques', message);
        }
    }
  }

  #takeDay(day: string): void {
    if (this.#day === '') this.#day = day;
    if (this.#day === day) return;
    const message = 'The payments are wanted on several days. A pay run pays all at once: split the file.';
    throw this.#refused('payment-file-days', message);
  }

  #refused(code: PayrollProblemCode, message: string): PayrollError {
    return new PayrollError([{ code, line: this.#line, message }]);
  }
}

function contradictionsOf({ line, isHeader, saidCount, saidSum, count, sum }: Part): PayrollProblem[] {
  const problems: PayrollProblem[] = [];
  const whole = isHeader ? 'The payment file' : 'The group of payments';
  if (saidCount !== '' && Number(saidCount) !== count) {
    const message = `${whole} says another number of payments than it has, which is ${count}. Export it again.`;
    problems.push({ code: 'payment-file-count', line, message });
  }
  if (saidSum !== '' && decimalOf(saidSum) !== sum) {
    const message = `${whole} says another sum than its payments come to. Export it again.`;
    problems.push({ code: 'payment-file-sum', line, message });
  }
  return problems;
}
