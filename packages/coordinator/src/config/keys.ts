import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import { KEY_BYTES } from '../store/cipher.ts';
import { localPayloadKeys, type PayloadKeys } from '../store/payloadKeys.ts';
import { type Settings, SettingsError } from './settings.ts';

const KEY_PAIR_BYTES = 64;

function readFileOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${name} can't be read (${code}): check that the file ${path} exists and is readable.`);
  }
}

/** The execution authority's key. Throws `SettingsError`; the message never holds what stands in the file. */
export async function loadAuthority({ executionAuthorityKey: path }: Settings): Promise<KeyPairSigner> {
  const refuse = () =>
    new SettingsError(
      `EXECUTION_AUTHORITY_KEY is no key: ${path} must hold a JSON list of 64 numbers, as solana-keygen writes it.`,
    );
  const text = readFileOf('EXECUTION_AUTHORITY_KEY', path);
  let numbers: unknown;
  try {
    numbers = JSON.parse(text);
  } catch {
    throw refuse();
  }
  const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
  if (!Array.isArray(numbers) || numbers.length !== KEY_PAIR_BYTES || !numbers.every(isByte)) throw refuse();
  try {
    return await createKeyPairSignerFromBytes(Uint8Array.from(numbers as number[]));
  } catch {
    throw refuse();
  }
}

/** The key that encrypts lists. With the embedded database and no file named, one is made the first time. Throws `SettingsError`. */
export function loadPayloadKeys({ payloadKeyFile, dataDir }: Settings): PayloadKeys {
  if (payloadKeyFile !== undefined) {
    return localPayloadKeys(parseKey(readFileOf('PAYLOAD_KEY_FILE', payloadKeyFile), payloadKeyFile));
  }
  const path = join(dataDir, 'payload.key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  return localPayloadKeys(parseKey(readFileOf('PAYLOAD_KEY_FILE', path), path));
}

function parseKey(content: string, path: string): Uint8Array {
  const text = content.trim();
  const bytes = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (bytes.length === KEY_BYTES) return bytes;
  throw new SettingsError(
    `PAYLOAD_KEY_FILE is no key: ${path} must hold 32 bytes as hexadecimal or base64 (openssl rand -hex 32).`,
  );
}
