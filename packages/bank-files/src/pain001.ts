import { account } from './account.ts';
import { type BankToken, isoAmount, sumOf } from './amounts.ts';
import type { BankPayment } from './payment.ts';
import { element, isoTime, MOST, message, money, NONE, text } from './xml.ts';

/** What somebody asks a payer's account to pay. */
export type PaymentOrder = {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The day on which it is to be paid, such as 2026-11-30. */
  readonly day: string;
  readonly payer: string;
  /** Address of the vault that pays. */
  readonly vault: string;
  readonly token: BankToken;
  readonly payments: readonly BankPayment[];
};

const AGENT = element('DbtrAgt', element('FinInstnId', element('Othr', element('Id', NONE))));

/** A payment file: pain.001.001.09, with one group. Throws `BankFileError` for an amount that it can't hold. */
export function pain001({ messageId, createdAt, day, payer, vault, token, payments }: PaymentOrder): string {
  const counted = element('NbOfTxs', String(payments.length)) + element('CtrlSum', isoAmount(sumOf(payments), token));
  return message(
    'pain.001.001.09',
    element(
      'CstmrCdtTrfInitn',
      element(
        'GrpHdr',
        text('MsgId', messageId, MOST.id),
        element('CreDtTm', isoTime(createdAt)),
        counted,
        element('InitgPty', text('Nm', payer, MOST.name, NONE)),
      ),
      element(
        'PmtInf',
        text('PmtInfId', messageId, MOST.id),
        element('PmtMtd', 'TRF'),
        counted,
        element('ReqdExctnDt', element('Dt', day)),
        element('Dbtr', text('Nm', payer, MOST.name, NONE)),
        account('DbtrAcct', vault),
        AGENT,
        ...payments.map((payment) => transfer(payment, token)),
      ),
    ),
  );
}

function transfer({ recipient, amount, endToEndId, name = '', reference = '' }: BankPayment, token: BankToken): string {
  return element(
    'CdtTrfTxInf',
    element('PmtId', text('EndToEndId', endToEndId, MOST.id, NONE)),
    element('Amt', money('InstdAmt', isoAmount(amount, token), token.currency)),
    element('Cdtr', text('Nm', name, MOST.name)),
    account('CdtrAcct', recipient),
    element('RmtInf', text('Ustrd', reference, MOST.reference)),
  );
}
