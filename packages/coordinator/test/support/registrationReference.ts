import { MAX_LEAVES, type RecipientJson } from '@payouts/client';
import { getAddressEncoder } from '@solana/kit';

/** What a body is found to be: what it says, or the first thing that is wrong with it. */
export type Verdict = { readonly list: unknown } | { readonly code: string; readonly [detail: string]: unknown };

type Fields = Readonly<Record<string, unknown>>;
type EntryJson = RecipientJson & { readonly proof?: readonly string[] };

const NOBODY = '1'.repeat(32);
const NAME = /^[A-Za-z][A-Za-z_-]{0,23}$/;
const at = (pointer: string, name: string) => (NAME.test(name) ? `${pointer}/${name}` : pointer);

function isAddress(text: unknown): boolean {
  try {
    return typeof text === 'string' && getAddressEncoder().encode(text as never).length === 32;
  } catch {
    return false;
  }
}

/** The same reading of a registration's body as the service's, as simply as it can be said: all at once, and with Node's own parser. */
export function readWhole(body: Uint8Array): Verdict {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return { code: 'invalid-json' };
  }
  const misshapen = (pointer: string): Verdict => ({ code: 'invalid-body', pointer });
  if (!isObject(json)) return misshapen('');
  const unknown = Object.keys(json).find((name) => !['schedulePda', 'mint', 'recipients'].includes(name));
  if (unknown !== undefined) return misshapen(at('', unknown));
  const { schedulePda, mint, recipients } = json;
  if (typeof schedulePda !== 'string') return misshapen('/schedulePda');
  if (mint !== undefined && !isAddress(mint)) return misshapen('/mint');
  if (!Array.isArray(recipients) || recipients.length === 0) return misshapen('/recipients');
  if (recipients.length > MAX_LEAVES) return misshapen('/recipients');
  if (!isAddress(schedulePda)) return { code: 'invalid-address' };
  return readEntries(recipients, { schedulePda, mint });
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readEntries(entries: readonly unknown[], beside: Fields): Verdict {
  const list = new Map<number, Fields>();
  let total = 0n;
  for (const [place, entry] of entries.entries()) {
    const pointer = `/recipients/${place}`;
    const wrong = shapeOf(entry, pointer);
    if (wrong !== undefined) return { code: 'invalid-body', pointer: wrong };
    const { index, recipient, amount, salt, delivery = 'balance', proof = [] } = entry as EntryJson;
    const invalid = (field: string): Verdict => ({ code: 'invalid-recipient', index: Number(index) || 0, field });
    if (list.has(index)) return invalid('index');
    if (!isAddress(recipient) || recipient === NOBODY) return invalid('recipient');
    if (!/^[1-9][0-9]{0,19}$/.test(amount) || BigInt(amount) >= 2n ** 64n) return invalid('amount');
    if (!/^[0-9a-fA-F]{32}$/.test(salt)) return invalid('salt');
    for (const hash of proof) if (!/^[0-9a-fA-F]{64}$/.test(hash)) return invalid('proof');
    total += BigInt(amount);
    list.set(index, {
      // −0 is an integer of JSON too.
      index: Number(index) || 0,
      recipient,
      amount: BigInt(amount),
      delivery,
      salt: String(salt).toLowerCase(),
    });
  }
  const indexes = [...list.keys()].sort((a, b) => a - b);
  const beyond = indexes.find((index) => index >= entries.length);
  return {
    list: { ...beside, total, beyond, recipients: beyond === undefined ? indexes.map((i) => list.get(i)) : [] },
  };
}

/** A pointer to what is wrong with an entry's shape. */
function shapeOf(entry: unknown, pointer: string): string | undefined {
  if (!isObject(entry)) return pointer;
  const { index, delivery, proof } = entry;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_LEAVES)
    return `${pointer}/index`;
  const text = ['recipient', 'amount', 'salt'].find((name) => typeof entry[name] !== 'string');
  if (text !== undefined) return `${pointer}/${text}`;
  if (![undefined, 'balance', 'wallet'].includes(delivery as never)) return `${pointer}/delivery`;
  const isProof = Array.isArray(proof) && proof.length <= 17 && proof.every((hash) => typeof hash === 'string');
  if (proof !== undefined && !isProof) return `${pointer}/proof`;
  const known = ['index', 'recipient', 'amount', 'salt', 'delivery', 'proof'];
  const unknown = Object.keys(entry).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : at(pointer, unknown);
}
