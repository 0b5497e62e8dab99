/** One payment that a payment file asks for. Private. */
export type OrderedPayment = {
  /** Line of the file in which it begins, from 1. */
  readonly line: number;
  /** Which of the file's groups (`PmtInf`) it belongs to, from 0. */
  readonly group: number;
  /** What the payer calls the payment; whoever reports of it has to repeat that. Empty where there is none. */
  readonly endToEndId: string;
  readonly instructionId: string;
  /** Whom it pays: an address, as far as the file has one. */
  readonly recipient: string;
  readonly name: string;
  /** Digits with a decimal point, in tokens. */
  readonly amount: string;
  /** What the payment is for, in the payer's words. */
  readonly reference: string;
};

/** An order to pay many people, as payroll and accounting programs write it for a bank: ISO 20022's pain.001. */
export type PaymentFile = {
  /** Which version of the message it is, such as pain.001.001.09. */
  readonly kind: string;
  readonly messageId: string;
  /** What its groups are called. */
  readonly groups: readonly string[];
  /** ISO 4217, such as USD; empty if there is no payment. */
  readonly currency: string;
  readonly payments: readonly OrderedPayment[];
};
