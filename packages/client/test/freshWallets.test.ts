import { createHash, createPrivateKey, createPublicKey, hkdfSync, randomBytes, sign } from 'node:crypto';
import { textSigner } from '@payouts/testing/textSigner';
import {
  type Address,
  createKeyPairSignerFromPrivateKeyBytes,
  type KeyPairSigner,
  type MessagePartialSigner,
  type SignatureBytes,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  addressToBytes,
  authorisationMessage,
  findUsed,
  freshWalletsMessage,
  freshWalletsOf,
  ownPayouts,
  type RecipientBalances,
  type RecipientHistory,
  readingMessage,
} from '../src/index.ts';

/** The key of RFC 8032's first test vector. */
const KEY = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const OTHER_PROGRAM = addressFromBytes(new Uint8Array(32).fill(9));
const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const indices = fc.nat(2 ** 32 - 1);
const signerOf = (key: Uint8Array): Promise<KeyPairSigner> => createKeyPairSignerFromPrivateKeyBytes(key);
const rowOf = async (key: Uint8Array, ...more: [{ programAddress: Address }?]) =>
  freshWalletsOf(await signerOf(key), ...more);

/** Node's own keys, without the browsers' interface that the package uses. */
const nodeKey = (key: Uint8Array) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key]),
    format: 'der',
    type: 'pkcs8',
  });
const publicKeyOf = (key: Uint8Array): Uint8Array =>
  createPublicKey(nodeKey(key)).export({ format: 'der', type: 'spki' }).subarray(-32);

describe('a row of fresh wallets', () => {
  it('is what it always was: of a published key', async () => {
    const row = await rowOf(KEY);
    expect(await row.at(0)).toEqual({ index: 0, address: 'kxaX8gxuxHJTWBdHU6JkdbRRECurT4Sv4mMT2FUvwn5' });
    expect(await row.at(1)).toEqual({ index: 1, address: 'F48cw4LwiTpa27dzBAJZeuVPngiFpdqUsyRYJqnKuYCc' });
    expect((await row.at(2 ** 32 - 1)).address).toBe('Grm5JrdkKmbVURW3GkmoFa1ZWBMc4vcxZPgR9NweZ7tZ');
    expect(Buffer.from(await row.keyOf(0)).toString('hex')).toBe(
      '932f047a6e8348707747047082f7b343739360a3c2478c59e86b33a9df00c85c0b42d1238094df25b6e62b76411dd22112fb365daa857c76262c7fd9515370c6',
    );
  });

  it('follows from the signature as RFC 5869 and RFC 8032 say, by another implementation', () =>
    fc.assert(
      fc.asyncProperty(seeds, indices, async (seed, index) => {
        const signature = sign(null, freshWalletsMessage(), nodeKey(seed));
        const info = Buffer.alloc(4);
        info.writeUInt32BE(index);
        const key = new Uint8Array(hkdfSync('sha256', signature, 'payouts/fresh-wallets/v1', info, 32));
        const row = await rowOf(seed);
        expect(Buffer.from(await row.keyOf(index))).toEqual(Buffer.concat([key, publicKeyOf(key)]));
        expect(await row.at(index)).toEqual({ index, address: addressFromBytes(publicKeyOf(key)) });
      }),
      { numRuns: 30 },
    ));

  it('is another one for each key, index and program, the same each time, and never its owner’s address', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(seeds, { minLength: 2, maxLength: 2, selector: String }),
        fc.uniqueArray(indices, { minLength: 3, maxLength: 3 }),
        async ([one, other], places) => {
          const rows = [await rowOf(one as Uint8Array), await rowOf(other as Uint8Array)];
          const elsewhere = await rowOf(one as Uint8Array, { programAddress: OTHER_PROGRAM });
          const at = (row: (typeof rows)[number]) =>
            Promise.all(places.map(async (index) => (await row.at(index)).address));
          const owners = [(await signerOf(one as Uint8Array)).address, (await signerOf(other as Uint8Array)).address];
          const all = [...owners, ...(await Promise.all([...rows, elsewhere].map(at))).flat()];
          expect(new Set(all).size).toBe(owners.length + 3 * places.length);
          expect(await at(await rowOf(one as Uint8Array))).toEqual(await at(rows[0] as (typeof rows)[number]));
        },
      ),
      { numRuns: 8 },
    ));

  it('has no index that is none', async () => {
    const row = await rowOf(KEY);
    for (const index of [-1, 0.5, 2 ** 32, Number.NaN]) {
      await expect(row.at(index)).rejects.toMatchObject({ code: 'INVALID_RANGE' });
    }
  });
});

describe('the text that is signed for them', () => {
  it('is shown by wallets, says what it is for, and begins like no other', async () => {
    const shown: string[] = [];
    const signer = textSigner(await signerOf(KEY), (text) => shown.push(text));
    const { address: own } = await (await freshWalletsOf(signer)).at(0);
    expect(own).toBe((await (await rowOf(KEY)).at(0)).address);
    expect(shown).toHaveLength(2);
    expect(shown[0]).toBe(shown[1]);
    expect(shown[0]).toMatch(/^[\x20-\x7e\n]+$/);
    expect(shown[0]).toContain('Whoever has this signature can spend everything in your fresh wallets.');
    const program = OTHER_PROGRAM;
    const others = [
      authorisationMessage({ program, personal: program, signer: program, expiresAt: 0n }),
      readingMessage(program, addressToBytes(program), 0n),
    ];
    const headings = others.map((text) => new TextDecoder().decode(text).split('\n')[0]);
    expect(headings).not.toContain(shown[0]?.split('\n')[0]);
  });
});

/** The order of ed25519's base point: RFC 8032. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const sha512 = (...parts: Uint8Array[]) => createHash('sha512').update(Buffer.concat(parts)).digest();
function scalarOf(seed: Uint8Array): bigint {
  const half = sha512(seed).subarray(0, 32);
  half[0] = (half[0] as number) & 248;
  half[31] = ((half[31] as number) & 127) | 64;
  return numberOf(half);
}

/** A valid signature that is another one each time, as threshold wallets make them: the nonce is drawn. */
function drawnSignature(seed: Uint8Array, message: Uint8Array): SignatureBytes {
  const nonce = new Uint8Array(randomBytes(32));
  const point = publicKeyOf(nonce);
  const challenge = numberOf(sha512(point, publicKeyOf(seed), message));
  const proof = (scalarOf(nonce) + challenge * scalarOf(seed)) % ORDER;
  const bytes = Buffer.from(proof.toString(16).padStart(64, '0'), 'hex').reverse();
  return new Uint8Array(Buffer.concat([point, bytes])) as SignatureBytes;
}

describe('a wallet', () => {
  const signing = (by: (message: Uint8Array) => SignatureBytes): MessagePartialSigner => {
    const own = addressFromBytes(publicKeyOf(KEY));
    return {
      address: own,
      signMessages: async (messages) => messages.map(({ content }) => ({ [own]: by(new Uint8Array(content)) })),
    };
  };

  it('whose signatures differ each time is refused, with what to do', async () => {
    const refused = freshWalletsOf(signing((message) => drawnSignature(KEY, message)));
    await expect(refused).rejects.toMatchObject({
      code: 'SIGNATURES_DIFFER',
      message: expect.stringContaining('Name the wallets yourself'),
    });
  });

  it('that signs something else is refused', async () => {
    const other = signing(() => new Uint8Array(sign(null, Buffer.from('else'), nodeKey(KEY))) as SignatureBytes);
    await expect(freshWalletsOf(other)).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
    const nothing = signing(() => new Uint8Array(64) as SignatureBytes);
    await expect(freshWalletsOf(nothing)).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
  });
});

describe('what is used of a row', () => {
  const nameOf = (index: number) =>
    addressFromBytes(Uint8Array.from({ length: 32 }, (_, at) => (index >> (8 * at)) & 255));
  const row = { at: async (index: number) => ({ index, address: nameOf(index) }) };

  it('is found across gaps below the limit, in order, with what is nobody’s beside it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 30 }),
        fc.array(fc.integer({ min: 100_000, max: 200_000 })),
        async (steps, strange) => {
          const used: number[] = [];
          for (const step of steps) used.push((used.at(-1) ?? -1) + step);
          const found = await findUsed(row, new Set([...strange, ...used].map(nameOf)), 8);
          expect(found.used.map(({ index }) => index)).toEqual(used);
          expect(found.next).toBe((used.at(-1) ?? -1) + 1);
        },
      ),
    ));

  it('is everything that a recipient’s withdrawals went to or will go to', async () => {
    const [order, waiting, standing, ...past] = [1, 2, 3, 4, 5, 6].map(nameOf) as [
      Address,
      Address,
      Address,
      ...Address[],
    ];
    const pages = past.map((wallet, page) => ({
      items: [{ kind: 'payment' }, { kind: 'withdrawal', wallet }],
      nextCursor: page < past.length - 1 ? String(page + 1) : null,
    }));
    const client = {
      balances: async () =>
        ({
          balances: [
            { withdrawals: [{ wallet: waiting }], standing: [], order: { wallet: order } },
            { withdrawals: [], standing: [{ wallet: standing }], order: null },
          ],
        }) as unknown as RecipientBalances,
      history: async ({ cursor = '0' }: { cursor?: string } = {}) =>
        pages[Number(cursor)] as unknown as RecipientHistory,
    };
    expect(await ownPayouts(client)).toEqual(new Set([order, waiting, standing, ...past]));
  });
});
