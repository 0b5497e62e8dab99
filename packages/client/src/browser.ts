/** What a page in a browser needs to sign requests: nothing of Node's. */
export { addressFromBytes, addressToBytes, isAddressText } from './base58.ts';
export * from './base64.ts';
export * from './clientError.ts';
export * from './delegation.ts';
export * from './httpSignature.ts';
export * from './time.ts';
