/** One payment of a file. Private. */
export type BankPayment = {
  /** Address. */
  readonly recipient: string;
  /** Base units. */
  readonly amount: bigint;
  /** What the payer calls the payment. */
  readonly endToEndId: string;
  readonly name?: string | undefined;
  /** What it is for. */
  readonly reference?: string | undefined;
};
