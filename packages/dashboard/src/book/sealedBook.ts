import { fromBase64Url, nextTurn, toBase64Url } from '@payouts/client/browser';
import { type BookKey, isLock, type Lock } from './bookKey.ts';
import { NamesError } from './namesError.ts';
import { type People, type Person, personOf } from './people.ts';

/*
 * The one form in which names are kept, in the browser and in files:
 *
 *   head         a line of JSON: format, version, lock, salt, check, blocks
 *   blocks       each: length of what follows (4 bytes, big-endian), AES-256-GCM of at most a thousand persons as JSON
 *   digest       SHA-256 of all before it, which tells a damaged file from a wrong key
 *
 * Each time it is sealed it gets a new salt, and by it a key of its own: a block's number serves as its nonce. The head is authenticated
 * with each block, so that none can be taken out, put elsewhere or brought in from an older copy.
 */
const FORMAT = 'payouts-names';
const VERSION = 1;
const PER_BLOCK = 1_000;
const DIGEST_BYTES = 32;
const SALT_BYTES = 16;
const CHECK_BITS = 128;
const LENGTH_BYTES = 4;

type Bytes = Uint8Array<ArrayBuffer>;
type Head = { readonly lock: Lock; readonly salt: string; readonly check: string; readonly blocks: number };

type Written = Head & { readonly version: number };

/** A sealed book whose head was read; its lock says what opens it. `revision` is another for each time it was sealed. */
export type SealedBook = { readonly lock: Lock; readonly revision: string; readonly head: Head; readonly bytes: Bytes };

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** Whether a file begins as a sealed book does. */
export const isSealedBook = (bytes: Uint8Array): boolean =>
  text.decode(bytes.subarray(0, 64)).startsWith(`{"format":"${FORMAT}"`);

/** Seals people with a key. Works block by block, so that the page goes on meanwhile. */
export async function seal(people: People, { lock, secret }: BookKey): Promise<SealedBook> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const { encryption, check } = await keysOf(secret, salt);
  const rows = [...people];
  const blocks = Math.ceil(rows.length / PER_BLOCK);
  const head: Head = { lock, salt: toBase64Url(salt), check, blocks };
  const line = utf8.encode(`${JSON.stringify({ format: FORMAT, version: VERSION, ...head })}\n`);
  const parts: Bytes[] = [line];
  for (let block = 0; block < blocks; block += 1) {
    const some = rows.slice(block * PER_BLOCK, (block + 1) * PER_BLOCK);
    const plain = utf8.encode(
      JSON.stringify(some.map(([address, { name, label, note }]) => [address, name, label, note])),
    );
    const sealed = new Uint8Array(await crypto.subtle.encrypt(cipherOf(block, line), encryption, plain));
    parts.push(lengthOf(sealed), sealed);
    await nextTurn();
  }
  const content = joined(parts);
  const bytes = joined([content, new Uint8Array(await crypto.subtle.digest('SHA-256', content))]);
  return { lock, revision: head.salt, head, bytes };
}

/** Reads a sealed book's head. Throws `NamesError` if this is none, or a damaged one. */
export async function readSealed(bytes: Bytes): Promise<SealedBook> {
  if (!isSealedBook(bytes)) {
    throw new NamesError('NAMES_NOT_A_FILE', 'This is not a file of names. Open one that this page has saved.');
  }
  const content = bytes.subarray(0, Math.max(0, bytes.length - DIGEST_BYTES));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  if (digest.some((byte, place) => byte !== bytes[content.length + place])) throw damaged();
  const head = headOf(content.subarray(0, endOfHead(content)));
  return { lock: head.lock, revision: head.salt, head, bytes };
}

function headOf(line: Bytes): Head {
  const { version, lock, salt, check, blocks } = parsed(text.decode(line)) as Written;
  if (version !== VERSION) {
    throw new NamesError(
      'NAMES_NEWER',
      `These names were saved by another version of this page (form ${version}; this one reads ${VERSION}). Open them there.`,
    );
  }
  const isSalt = typeof salt === 'string' && fromBase64Url(salt)?.length === SALT_BYTES;
  if (!isSalt || !Number.isSafeInteger(blocks) || !isLock(lock)) throw damaged();
  return { lock, salt, check, blocks };
}

/** Who stands in a sealed book. Throws `NamesError` if the key is another's, or the book was changed by somebody without it. */
export async function openSealed({ head, bytes }: SealedBook, { lock, secret }: BookKey): Promise<People> {
  if (head.lock.kind === 'wallet' && !(lock.kind === 'wallet' && lock.wallet === head.lock.wallet)) {
    throw new NamesError(
      'NAMES_WRONG_WALLET',
      `These names are locked by the wallet ${head.lock.wallet}. Sign in with it, or save them there with a passphrase.`,
    );
  }
  const { encryption, check } = await keysOf(secret, new Uint8Array(fromBase64Url(head.salt) ?? []));
  if (check !== head.check) throw wrongKey(head.lock);
  const content = bytes.subarray(0, -DIGEST_BYTES);
  const end = endOfHead(content);
  const line = content.slice(0, end);
  const people = new Map<string, Person>();
  let place = end;
  for (let block = 0; block < head.blocks; block += 1) {
    const from = place + LENGTH_BYTES;
    if (from > content.length) throw damaged();
    place = from + new DataView(content.buffer, content.byteOffset + place).getUint32(0);
    const plain = await crypto.subtle
      .decrypt(cipherOf(block, line), encryption, content.slice(from, place))
      .catch(() => Promise.reject(damaged()));
    for (const [address, person] of rowsOf(plain)) people.set(address, person);
    await nextTurn();
  }
  if (place !== content.length) throw damaged();
  return people;
}

/** What stands in a block. Its writer had the key, and may still be another program. */
function* rowsOf(plain: ArrayBuffer): Generator<[string, Person]> {
  for (const row of parsed(text.decode(plain)) as unknown[]) {
    if (!Array.isArray(row) || row.some((field) => typeof field !== 'string')) throw damaged();
    const [address = '', name = '', label = '', note = ''] = row as string[];
    yield [address, personOf({ name, label, note })];
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw damaged();
  }
}

const endOfHead = (content: Uint8Array): number => content.indexOf(0x0a) + 1;

async function keysOf(secret: CryptoKey, salt: Bytes): Promise<{ encryption: CryptoKey; check: string }> {
  const derive = (info: string) => ({ name: 'HKDF', hash: 'SHA-256', salt, info: utf8.encode(`${FORMAT} ${info}`) });
  const aes = { name: 'AES-GCM', length: 256 };
  const [encryption, check] = await Promise.all([
    crypto.subtle.deriveKey(derive('encryption'), secret, aes, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveBits(derive('check'), secret, CHECK_BITS),
  ]);
  return { encryption, check: toBase64Url(new Uint8Array(check)) };
}

function cipherOf(block: number, additionalData: Bytes) {
  const iv = new Uint8Array(12);
  new DataView(iv.buffer).setUint32(8, block);
  return { name: 'AES-GCM', iv, additionalData };
}

function lengthOf({ length }: Uint8Array): Bytes {
  const bytes = new Uint8Array(LENGTH_BYTES);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

function joined(parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return all;
}

const damaged = (): NamesError =>
  new NamesError('NAMES_DAMAGED', 'These names were damaged or changed since they were saved. Open another copy.');

const wrongKey = ({ kind }: Lock): NamesError =>
  kind === 'passphrase'
    ? new NamesError('NAMES_WRONG_PASSPHRASE', 'This passphrase does not open the names. Try it again.')
    : new NamesError(
        'NAMES_WALLET_VARIES',
        'The wallet signed, but not as it did when the names were saved. Open a copy that was saved with a passphrase.',
      );
