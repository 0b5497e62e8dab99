import { element, MOST, text } from './xml.ts';

/** What names addresses in a bank's file. */
const SCHEME = element('Prtry', 'SOLANA');

/**
 * An address as an account. The standard's identification has 34 characters and an address up to 44: it has the first 34, and the
 * account's proxy has all of them.
 */
export const accountId = (address: string): string =>
  element('Id', element('Othr', text('Id', address.slice(0, MOST.account), MOST.account), element('SchmeNm', SCHEME)));

export const accountProxy = (address: string): string => element('Prxy', element('Tp', SCHEME), element('Id', address));

/** The whole of a recipient's or a payer's account. */
export const account = (name: string, address: string): string =>
  element(name, accountId(address), accountProxy(address));

/** The beginning of an address, for what has to tell accounts apart in a few characters. */
export const shortOf = (address: string): string => address.slice(0, 12);
