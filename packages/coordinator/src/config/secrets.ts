import { existsSync } from 'node:fs';
import { getBase58Encoder } from '@solana/kit';

const HIDDEN = '***';
/** Bytes of a seed or a symmetric key, of a private key within PKCS #8, and of a key pair. */
const KEY_LENGTHS = [32, 48, 64];
/** Parts of an address's path from this length on are taken for a key, as providers of ledgers put it there. */
const LONG_PART = 16;

const ARRAY = /\[\s*\d{1,3}\s*(,\s*\d{1,3}\s*)+,?\s*\]?/g;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g;
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/\S+/gi;
const USER = /[^\s"'(]+:[^\s"'(]*@/g;
const QUERY = /\?[^\s"'?=]+=[^\s"']*/g;
/** What a key may be made of, in any of its forms. */
const TOKEN = /(0x)?[A-Za-z0-9+/_-]{31,}={0,2}/g;

function isBase58Key(token: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,88}$/.test(token)) return false;
  return KEY_LENGTHS.includes(getBase58Encoder().encode(token).length);
}

function isToken(token: string): boolean {
  if (/^(0x)?[0-9a-f]+$/i.test(token)) return KEY_LENGTHS.includes(token.replace(/^0x/, '').length / 2);
  const base64 = token.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const isBase64 = /^[A-Za-z0-9+/]+$/.test(base64) && base64.length % 4 !== 1;
  return isBase58Key(token) || (isBase64 && KEY_LENGTHS.includes(Math.floor((base64.length * 3) / 4)));
}

/** Whether a text is the name of something that is there, or of something to be made in a folder that is, whatever it looks like. */
function isPlace(text: string): boolean {
  // Base 64 has slashes, too: what stands before its first one is no folder's name.
  const [folder = text] = /^\/?[^/]+(?=\/.)/.exec(text) ?? [];
  return process.env[text] !== undefined || existsSync(folder);
}

/**
 * Whether a text is a key, rather than the place of one: base 58, base 64 in both alphabets, hexadecimal, a JSON list of numbers or PEM. A
 * ledger's public key looks like one, too.
 */
export function isKey(text: string): boolean {
  const bare = text.replaceAll(/["'\s]/g, '').replace(/^(env|vault):/, '');
  if (/^\[\d+,/.test(bare) || /-BEGIN[A-Z]*PRIVATEKEY-/.test(bare)) return true;
  return isToken(bare) && !isPlace(bare);
}

/** An address without its user part, its query, what is behind it, and long parts of its path. */
function addressWithoutSecrets(address: string): string {
  const [, scheme = '', rest = ''] = /^([^:]+:\/\/)(.*)$/s.exec(address) ?? [];
  const [place = '', ...query] = rest.split(/[?#]/);
  const user = place.lastIndexOf('@');
  const [host = '', ...path] = place.slice(user + 1).split('/');
  const parts = path.map((part) => (part.length >= LONG_PART ? HIDDEN : part));
  return `${scheme}${user < 0 ? '' : `${HIDDEN}@`}${[host, ...parts].join('/')}${query.length > 0 ? `?${HIDDEN}` : ''}`;
}

/**
 * A text for a screen or a file: without anything in it that is a key, a user part or a query of an address. What settings hold is shown
 * by this alone.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(PEM, HIDDEN)
    .replace(ARRAY, HIDDEN)
    .replace(ADDRESS, addressWithoutSecrets)
    .replace(USER, (found) => (found.includes('://') ? found : `${HIDDEN}@`))
    .replace(QUERY, `?${HIDDEN}`)
    .replace(TOKEN, (token) => (isKey(token) ? HIDDEN : token));
}
