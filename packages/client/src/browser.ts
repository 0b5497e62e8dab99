/** What a page in a browser needs to sign requests: nothing of Node's. */
export { addressFromBytes, addressToBytes, isAddressText } from './accounts/base58.ts';
export * from './http/base64.ts';
export * from './http/clientError.ts';
export * from './http/delegation.ts';
export * from './http/httpSignature.ts';
export * from './merkle/limits.ts';
export type { Payee } from './merkle/list.ts';
export type { PayoutDelivery } from './merkle/owner.ts';
export * from './nextTurn.ts';
export * from './receipts/conversion.ts';
export * from './time.ts';
