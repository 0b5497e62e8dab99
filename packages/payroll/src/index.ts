export * from './amount.ts';
export type { ColumnMap, TakenColumn, TakenColumns } from './columns.ts';
export * from './compare.ts';
export * from './converted.ts';
export * from './line.ts';
export type { PayrollToken } from './money.ts';
export { type NamedRecipient, type NameFields, readNames } from './names.ts';
export type { ReadPayrollOptions } from './options.ts';
export type { OrderedPayment, PaymentFile } from './paymentFile/payment.ts';
export {
  type PayrollChoice,
  type PayrollColumn,
  PayrollError,
  type PayrollProblem,
  type PayrollProblemCode,
  type PayrollQuestion,
  problemText,
} from './problems.ts';
export * from './rate.ts';
export * from './read.ts';
export * from './tokens.ts';
export { unsignable, type WalletThread } from './wallets.ts';
export * from './withAddress.ts';
export * from './write.ts';
