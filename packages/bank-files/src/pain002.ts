import type { OrderedPayment, PaymentFile } from '@payouts/payroll';
import { type BankToken, isoAmount, sumOf } from './amounts.ts';
import { element, groupHeader, MOST, message, money, NONE, text } from './xml.ts';

/** What became of one payment of a payment file. */
export type PaymentOutcome = {
  readonly payment: OrderedPayment;
  /** Base units. */
  readonly amount: bigint;
  /** `held`: the employer held it back; `unpaid`: it could not be paid until the window was closed. */
  readonly state: 'paid' | 'held' | 'unpaid';
  /** What the payer may ask about it by: the name of its payslip. */
  readonly payslip?: string | undefined;
};

export type StatusReport = {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly token: BankToken;
  /** The file that it is about. */
  readonly original: PaymentFile;
  /** Of each of its payments, in their order. */
  readonly outcomes: readonly PaymentOutcome[];
};

/** ISO 20022: settlement is completed; rejected; some of a group are the one, some the other. */
const PAID = 'ACSC';
const NOT_PAID = 'RJCT';
const PARTLY = 'PART';

const REASONS = {
  held: ['HELD', 'The employer held the payment back.'],
  unpaid: ['UNPAID', 'The payment could not be made until the pay run was closed. The amount returned to the vault.'],
} as const;

const statusOf = ({ state }: PaymentOutcome): string => (state === 'paid' ? PAID : NOT_PAID);

/** Which payments of a payment file a pay run has made: pain.002.001.10. Throws `BankFileError` for an amount that it can't hold. */
export function pain002({ messageId, createdAt, token, original, outcomes }: StatusReport): string {
  const groups: PaymentOutcome[][] = original.groups.map(() => []);
  for (const outcome of outcomes) groups[outcome.payment.group]?.push(outcome);
  return message(
    'pain.002.001.10',
    element(
      'CstmrPmtStsRpt',
      groupHeader(messageId, createdAt),
      element(
        'OrgnlGrpInfAndSts',
        text('OrgnlMsgId', original.messageId, MOST.id, NONE),
        element('OrgnlMsgNmId', original.kind),
        ...countsOf(outcomes, 'GrpSts', token),
      ),
      ...groups.map((group, at) =>
        element(
          'OrgnlPmtInfAndSts',
          text('OrgnlPmtInfId', original.groups[at] ?? '', MOST.id, NONE),
          ...countsOf(group, 'PmtInfSts', token),
          ...group.map((outcome) => transaction(outcome, token)),
        ),
      ),
    ),
  );
}

/** How many payments there are, what they come to, their status together, and the same of each status. */
function countsOf(outcomes: readonly PaymentOutcome[], name: string, token: BankToken): string[] {
  const statuses = [...new Set(outcomes.map(statusOf))].sort();
  return [
    element('OrgnlNbOfTxs', String(outcomes.length)),
    element('OrgnlCtrlSum', isoAmount(sumOf(outcomes), token)),
    element(name, statuses.length > 1 ? PARTLY : (statuses[0] ?? '')),
    ...statuses.map((status) => {
      const own = outcomes.filter((outcome) => statusOf(outcome) === status);
      return element(
        'NbOfTxsPerSts',
        element('DtldNbOfTxs', String(own.length)),
        element('DtldSts', status),
        element('DtldCtrlSum', isoAmount(sumOf(own), token)),
      );
    }),
  ];
}

function transaction(outcome: PaymentOutcome, token: BankToken): string {
  const { payment, amount, state, payslip = '' } = outcome;
  const [code, sentence] = state === 'paid' ? ['', ''] : REASONS[state];
  return element(
    'TxInfAndSts',
    text('OrgnlInstrId', payment.instructionId, MOST.id),
    text('OrgnlEndToEndId', payment.endToEndId, MOST.id, NONE),
    element('TxSts', statusOf(outcome)),
    element('StsRsnInf', element('Rsn', element('Prtry', code)), text('AddtlInf', sentence, MOST.reason)),
    text('AcctSvcrRef', payslip, MOST.id),
    element('OrgnlTxRef', element('Amt', money('InstdAmt', isoAmount(amount, token), token.currency))),
  );
}
