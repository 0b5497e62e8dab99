import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  type BookKey,
  KEY_TEXT,
  newPassphraseKey,
  newWalletKey,
  passphraseKey,
  walletKey,
} from '../src/book/bookKey.ts';
import { type People, personOf } from '../src/book/people.ts';
import { openSealed, readSealed, seal } from '../src/book/sealedBook.ts';

const PASSPHRASE = 'correct horse battery staple';
/** As many as a block of the form has, and one more. */
const TWO_BLOCKS = 1_001;

let wallet: KeyPairSigner;
let key: BookKey;
let behindWords: BookKey;

beforeAll(async () => {
  wallet = await generateKeyPairSigner();
  [key, behindWords] = await Promise.all([newWalletKey(wallet.address, signBy(wallet)), newPassphraseKey(PASSPHRASE)]);
});

const signBy = (signer: KeyPairSigner) => async (content: Uint8Array) => {
  const [signatures] = await signer.signMessages([{ content, signatures: {} }]);
  return signatures?.[signer.address] ?? new Uint8Array();
};
const manyPeople = (count: number): People =>
  new Map(
    Array.from({ length: count }, (_, place) => [
      `Address${place}`,
      personOf({ name: `Ada Example ${place}`, label: `Department ${place % 20}` }),
    ]),
  );
const codeOf = (code: string) => expect.objectContaining({ name: 'NamesError', code });
/** The same bytes, with a digest that fits them: what somebody can do who has no key. */
async function withDigest(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(bytes.subarray(0, -32));
  return new Uint8Array([...content, ...new Uint8Array(await crypto.subtle.digest('SHA-256', content))]);
}

it('opens to the people who were sealed, whoever they are, by wallet and by passphrase', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const person = fc.record({ name: text, label: text, note: text }).map(personOf);
  const anybody = fc.uniqueArray(fc.tuple(text, person), { selector: ([address]) => address, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(anybody, fc.boolean(), async (rows, byWallet) => {
      const with_ = byWallet ? key : behindWords;
      const { bytes } = await seal(new Map(rows), with_);
      expect([...(await openSealed(await readSealed(bytes), with_))]).toEqual(rows);
    }),
    { numRuns: 40 },
  );
});

it('is opened by the same wallet and the same passphrase later, and by no other', async () => {
  const people = manyPeople(3);
  const again = await walletKey(wallet.address, signBy(wallet));
  const sealed = await seal(people, key);
  expect(await openSealed(sealed, again)).toEqual(people);
  const stranger = await generateKeyPairSigner();
  const strange = await walletKey(stranger.address, signBy(stranger));
  await expect(openSealed(sealed, strange)).rejects.toEqual(codeOf('NAMES_WRONG_WALLET'));
  await expect(openSealed(sealed, { ...strange, lock: key.lock })).rejects.toEqual(codeOf('NAMES_WALLET_VARIES'));

  const words = await seal(people, behindWords);
  if (words.lock.kind !== 'passphrase') throw new Error('locked otherwise');
  expect(await openSealed(words, await passphraseKey(PASSPHRASE, words.lock))).toEqual(people);
  const wrong = await passphraseKey(`${PASSPHRASE} `, words.lock);
  await expect(openSealed(words, wrong)).rejects.toEqual(codeOf('NAMES_WRONG_PASSPHRASE'));
  await expect(newPassphraseKey('too short')).rejects.toEqual(codeOf('NAMES_PASSPHRASE_SHORT'));
});

it('asks a wallet twice before it trusts it with names, and looks who signed', async () => {
  const asked: string[] = [];
  await newWalletKey(wallet.address, (text) => {
    asked.push(new TextDecoder().decode(text));
    return signBy(wallet)(text);
  });
  expect(asked).toEqual([KEY_TEXT, KEY_TEXT]);
  const stranger = await generateKeyPairSigner();
  await expect(newWalletKey(wallet.address, signBy(stranger))).rejects.toEqual(codeOf('NAMES_WRONG_WALLET'));
});

it('knows a book of which any bit has changed, also where its digest was made anew', async () => {
  const { bytes } = await seal(manyPeople(9), key);
  const accidental = fc.nat(bytes.length * 8 - 1);
  await fc.assert(
    fc.asyncProperty(accidental, fc.boolean(), async (bit, isForged) => {
      const changed = bytes.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const given = isForged ? await withDigest(changed) : changed;
      // A digest alone that was changed and made anew is the one that it was.
      if (given.every((byte, place) => byte === bytes[place])) return;
      await expect(readSealed(given).then((sealed) => openSealed(sealed, key))).rejects.toMatchObject({
        name: 'NamesError',
      });
    }),
    { numRuns: 300 },
  );
});

it('takes no block from another place, another copy or none at all', async () => {
  const people = manyPeople(TWO_BLOCKS);
  const [one, other] = await Promise.all([seal(people, key), seal(people, key)]);
  const head = one.bytes.indexOf(0x0a) + 1;
  const first = 4 + new DataView(one.bytes.buffer).getUint32(head);
  const opened = async (parts: Uint8Array[]) =>
    openSealed(
      await readSealed(
        await withDigest(new Uint8Array([...parts.flatMap((part) => [...part]), ...new Uint8Array(32)])),
      ),
      key,
    );
  const body = one.bytes.subarray(head, -32);
  const [headOf, blocks] = [one.bytes.subarray(0, head), [body.subarray(0, first), body.subarray(first)] as const];
  expect(await opened([headOf, ...blocks])).toEqual(people);
  const damaged = codeOf('NAMES_DAMAGED');
  await expect(opened([headOf, blocks[1], blocks[0]])).rejects.toEqual(damaged);
  await expect(opened([headOf, blocks[0]])).rejects.toEqual(damaged);
  await expect(opened([headOf, ...blocks, blocks[0]])).rejects.toEqual(damaged);
  await expect(opened([headOf, other.bytes.subarray(head, head + first), blocks[1]])).rejects.toEqual(damaged);
});

it('says which files are none of its own, or of a later page', async () => {
  const file = (text: string) => withDigest(new Uint8Array([...new TextEncoder().encode(text), ...new Uint8Array(32)]));
  const head = '{"format":"payouts-names","version":';
  await expect(readSealed(await file('name,recipient\n'))).rejects.toEqual(codeOf('NAMES_NOT_A_FILE'));
  await expect(readSealed(await file(`${head}2}\n`))).rejects.toEqual(codeOf('NAMES_NEWER'));
  await expect(readSealed(await file(`${head}1}\n`))).rejects.toEqual(codeOf('NAMES_DAMAGED'));
  await expect(readSealed(await file(`${head}1`))).rejects.toEqual(codeOf('NAMES_DAMAGED'));
  // A file may not keep a browser busy for hours, or weaken what guards the next copy.
  for (const iterations of [1, 1e12]) {
    const lock = { kind: 'passphrase', salt: 'A'.repeat(22), iterations };
    const rest = JSON.stringify({ lock, salt: 'A'.repeat(22), check: '', blocks: 0 }).slice(1);
    await expect(readSealed(await file(`${head}1,${rest}\n`))).rejects.toEqual(codeOf('NAMES_DAMAGED'));
  }
});

it('holds no name in what it keeps, though they are there to be found', async () => {
  const people = manyPeople(5);
  // Each name has one of these; shorter ones stand in random text by chance.
  const found = (bytes: Uint8Array) => /Example|Department|Address/.test(Buffer.from(bytes).toString('latin1'));
  expect(found((await seal(people, key)).bytes)).toBe(false);
  expect(found(new TextEncoder().encode(JSON.stringify([...people])))).toBe(true);
});
