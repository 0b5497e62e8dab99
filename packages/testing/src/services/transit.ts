import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveLoopback } from '@payouts/testing/loopback';

/**
 * A key service that speaks the four calls of HashiCorp Vault's and OpenBao's Transit engine that the coordinator uses, over real
 * keys. It stands in for Vault where that can't be installed: paths, the token and the answers' shape are Vault's.
 */
export type Transit = Awaited<ReturnType<typeof startTransit>>;

type Key =
  | { readonly type: 'ed25519'; readonly privateKey: KeyObject; readonly publicKey: Uint8Array }
  | { readonly type: 'aes256-gcm96'; readonly bytes: Uint8Array };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'vault:v1:';
/** PKCS #8 around a private ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const rawPublicKey = (key: KeyObject) =>
  new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));

class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

type Body = Readonly<Record<string, string | undefined>>;

function bytesOf(text: string | undefined): Buffer {
  if (text === undefined) throw new Refusal(400);
  return Buffer.from(text, 'base64');
}

function signWith(key: Key, { input }: Body) {
  if (key.type !== 'ed25519') throw new Refusal(400);
  return { signature: VERSION + sign(null, bytesOf(input), key.privateKey).toString('base64'), key_version: 1 };
}

function encryptWith(key: Key, { plaintext, associated_data: associated = '' }: Body) {
  if (key.type !== 'aes256-gcm96') throw new Refusal(400);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(bytesOf(associated));
  const sealed = [nonce, cipher.update(bytesOf(plaintext)), cipher.final(), cipher.getAuthTag()];
  return { ciphertext: VERSION + Buffer.concat(sealed).toString('base64'), key_version: 1 };
}

function decryptWith(key: Key, { ciphertext = '', associated_data: associated = '' }: Body) {
  if (key.type !== 'aes256-gcm96' || !ciphertext.startsWith(VERSION)) throw new Refusal(400);
  const sealed = bytesOf(ciphertext.slice(VERSION.length));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, NONCE_BYTES))
      .setAAD(bytesOf(associated))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const plaintext = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return { plaintext: Buffer.concat(plaintext).toString('base64') };
  } catch {
    throw new Refusal(400);
  }
}

function describe(name: string, key: Key) {
  const version = key.type === 'ed25519' ? { public_key: Buffer.from(key.publicKey).toString('base64') } : {};
  return { name, type: key.type, latest_version: 1, supports_signing: key.type === 'ed25519', keys: { '1': version } };
}

const ACTIONS = { sign: signWith, encrypt: encryptWith, decrypt: decryptWith } as const;

/** Starts a key service on a free loopback port. */
export async function startTransit() {
  const token = `hvs.${randomBytes(24).toString('base64url')}`;
  const keys = new Map<string, Key>();
  const calls = new Map<string, number>();
  const addSigningKey = (name: string, privateKey: KeyObject) => {
    const publicKey = rawPublicKey(privateKey);
    keys.set(name, { type: 'ed25519', privateKey, publicKey });
    return publicKey;
  };

  const answer = async (request: IncomingMessage): Promise<object> => {
    const path = request.url ?? '';
    calls.set(path, (calls.get(path) ?? 0) + 1);
    const sent = await text(request);
    const body: Body = sent === '' ? {} : JSON.parse(sent);
    if (transit.state === 'silent') return new Promise(() => {});
    if (transit.state === 'sealed') throw new Refusal(503);
    if (request.headers['x-vault-token'] !== token) throw new Refusal(403);
    const [, action = '', name = ''] = /^\/v1\/transit\/(keys|sign|encrypt|decrypt)\/([A-Za-z0-9-]+)$/.exec(path) ?? [];
    const key = keys.get(name);
    if (key === undefined) throw new Refusal(404);
    if (action === 'keys' && request.method === 'GET') return describe(name, key);
    if (request.method !== 'POST') throw new Refusal(405);
    return ACTIONS[action as keyof typeof ACTIONS](key, body);
  };
  const { url, stop } = await serveLoopback(async (request, response) => {
    const [status, content] = await answer(request).then(
      (data) => [200, { data }] as const,
      (error) => [error instanceof Refusal ? error.status : 500, { errors: ['refused'] }] as const,
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  });
  const transit = {
    url,
    stop,
    token,
    /** Calls answered so far, by path. */
    calls,
    /** `sealed` answers 503 to everything, as Vault does after a restart; `silent` takes calls and never answers. */
    state: 'ready' as 'ready' | 'sealed' | 'silent',
    /** Creates an ed25519 key and returns its public half. */
    createSigningKey: (name: string) => addSigningKey(name, generateKeyPairSync('ed25519').privateKey),
    /** Takes a private ed25519 key of 32 bytes, as an import into Vault does. */
    importSigningKey(name: string, seed: Uint8Array): void {
      const key = Buffer.concat([PKCS8, seed]);
      addSigningKey(name, createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
    },
    createEncryptionKey(name: string): void {
      keys.set(name, { type: 'aes256-gcm96', bytes: randomBytes(32) });
    },
  };
  return transit;
}
