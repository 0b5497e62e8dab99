import { createECDH } from 'node:crypto';
import { calculateJwkThumbprint, compactDecrypt, importJWK, type JWK } from 'jose';
import { Problem } from '../domain/problems.ts';
import { type RecipientKey, RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';

/** The public key that lists are sealed for, as a JWK of RFC 7517. */
export type SealingKey = {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
};

type KeyPair = { readonly publicKey: SealingKey; readonly privateKey: Awaited<ReturnType<typeof importJWK>> };

/** Characters of a line: a piece, and as much room again. */
const LINE_LENGTH = 1 << 19;
const COORDINATE_BYTES = 32;

/**
 * What lists are sealed for, so that nobody between an employer and this service reads them, whoever ends TLS: a key pair that follows from the
 * service's own key. All coordinators of a database have the same, and it is renewed with that key.
 */
export class ListSeal {
  readonly #keys: RecipientKeys;
  readonly #drawn = new Map<string, Promise<KeyPair>>();

  constructor(input: RecipientKeysInput) {
    this.#keys = new RecipientKeys(input);
  }

  /** The key to seal a list for. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async publicKey(): Promise<SealingKey> {
    const [newest] = await this.#keys.all();
    return (await this.#pairOf(newest)).publicKey;
  }

  /** Opens pieces that are sealed one a line (`sealText` of the client), as they arrive. Throws `sealed-unreadable`. */
  async *open(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const pairs = await Promise.all((await this.#keys.all()).map((key) => this.#pairOf(key)));
    const keyOf = ({ kid }: { readonly kid?: string }) => {
      const pair = pairs.find(({ publicKey }) => publicKey.kid === kid);
      if (pair === undefined) throw unreadable('It was sealed for another key than this service’s present one.');
      return pair.privateKey;
    };
    for await (const line of linesOf(pieces)) {
      const { plaintext } = await compactDecrypt(line, keyOf, {
        keyManagementAlgorithms: ['ECDH-ES'],
        contentEncryptionAlgorithms: ['A256GCM'],
        // Refuses what is compressed: little that is sent would be much to work on.
        maxDecompressedLength: 0,
      }).catch((error: unknown) => {
        throw error instanceof Problem ? error : unreadable('A line of it is no JWE (ECDH-ES, A256GCM) that opens.');
      });
      // Each costs a key agreement, and would add nothing to what is counted.
      if (plaintext.length === 0) throw unreadable('A line of it has no content.');
      yield Buffer.from(plaintext);
    }
  }

  #pairOf(key: RecipientKey): Promise<KeyPair> {
    const drawn = this.#drawn.get(key.name) ?? pairFrom(key.of('lists'));
    this.#drawn.set(key.name, drawn);
    return drawn;
  }
}

async function pairFrom(secret: Uint8Array): Promise<KeyPair> {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  // A byte that says that it is not compressed, then both coordinates.
  const point = ecdh.getPublicKey().subarray(1);
  const [x, y, d] = [point.subarray(0, COORDINATE_BYTES), point.subarray(COORDINATE_BYTES), Buffer.from(secret)].map(
    (bytes) => bytes.toString('base64url'),
  ) as [string, string, string];
  const key = { kty: 'EC', crv: 'P-256', x, y } as const;
  const privateKey = await importJWK({ ...key, d } satisfies JWK, 'ECDH-ES');
  return { publicKey: { ...key, kid: await calculateJwkThumbprint(key) }, privateKey };
}

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH) throw unreadable(`It has a line of more than ${LINE_LENGTH} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const unreadable = (why: string): Problem => new Problem('sealed-unreadable', `The sealed body does not open. ${why}`);
