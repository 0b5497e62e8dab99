import { createPrivateKey, randomBytes, sign } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Time } from '@payouts/client';
import { type Address, createKeyPairSignerFromBytes, type SignatureBytes } from '@solana/kit';
import { KEY_BYTES } from '../store/crypto/cipher.ts';
import { cachedFor } from '../store/crypto/payloadKeyCache.ts';
import { keyRing, localPayloadKey, type PayloadKey, type PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { keyReference, ledgerKeyBytes, readKeyText } from './keyReference.ts';
import { SettingsError } from './settingsError.ts';
import type { Settings } from './specs.ts';
import { type Authority, type VaultInput, vaultPayloadKey, vaultSigner } from './vault.ts';

const KEY_PAIR_BYTES = 64;
/** Milliseconds that a data key which the key service has decrypted is kept in memory. */
const CACHE_MS = 300_000;

/** The part of the settings that keys are loaded by. */
export type KeySettings = Pick<
  Settings,
  'executionAuthorityKey' | 'relayKey' | 'payloadKey' | 'payloadKeysRetired' | 'vaultAddr' | 'vaultToken' | 'dataDir'
>;

function vaultOf({ vaultAddr = '', vaultToken = '' }: KeySettings, key: string, time: Time): VaultInput {
  return { vaultAddr, vaultToken, key, time };
}

/** The execution authority, which signs here or in a key service. Throws `SettingsError`; the message never holds a key. */
export const loadAuthority = (settings: KeySettings, time: Time): Promise<Authority> =>
  loadSigner('EXECUTION_AUTHORITY_KEY', settings.executionAuthorityKey, settings, time);

/** Who pays the fees of transfers from fresh wallets; undefined: nobody does. Throws `SettingsError`. */
export const loadRelay = async (settings: KeySettings, time: Time): Promise<Authority | undefined> =>
  settings.relayKey === undefined ? undefined : loadSigner('RELAY_KEY', settings.relayKey, settings, time);

async function loadSigner(setting: string, written: string, settings: KeySettings, time: Time): Promise<Authority> {
  const reference = keyReference(written);
  if (reference.kind === 'vault') return vaultSigner(setting, vaultOf(settings, reference.key, time));
  const { text, place } = readKeyText(setting, reference);
  const bytes = ledgerKeyBytes(text);
  if (bytes?.length === KEY_PAIR_BYTES) {
    try {
      const { address } = await createKeyPairSignerFromBytes(bytes);
      return localSigner(address, bytes);
    } catch {
      // The public half doesn't belong to the private one.
    }
  }
  throw new SettingsError(
    `${setting} is no key: ${place} must hold a JSON list of 64 numbers, as solana-keygen writes it, or those bytes in base 58.`,
  );
}

/** What stands before a private key of 32 bytes in PKCS #8: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs on the spot: by way of kit and Web Crypto a signature takes five times as long, and runs make several each. */
function localSigner(address: Address, keyPair: Uint8Array): Authority {
  const der = Buffer.concat([PKCS8_HEAD, keyPair.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const signed = (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, key)) as SignatureBytes;
  return {
    address,
    signMessages: async (messages) => messages.map(({ content }) => ({ [address]: signed(content) })),
    signTransactions: async (transactions) =>
      transactions.map(({ messageBytes }) => ({ [address]: signed(messageBytes as unknown as Uint8Array) })),
  };
}

/** The keys that encrypt lists. With the embedded database and none named, one is made the first time. Throws `SettingsError`. */
export async function loadPayloadKeys(settings: KeySettings, time: Time): Promise<PayloadKeys> {
  const current = settings.payloadKey ?? ownKeyFile(settings.dataDir);
  const load = (setting: string, written: string) => loadPayloadKey(setting, written, settings, time);
  const keys = await Promise.all([
    load('PAYLOAD_KEY', current),
    ...settings.payloadKeysRetired.map((retired) => load('PAYLOAD_KEYS_RETIRED', retired)),
  ]);
  return keyRing(keys[0] as PayloadKey, keys.slice(1));
}

function ownKeyFile(dataDir: string): string {
  const path = join(dataDir, 'payload.key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  return path;
}

async function loadPayloadKey(
  setting: string,
  written: string,
  settings: KeySettings,
  time: Time,
): Promise<PayloadKey> {
  const reference = keyReference(written);
  if (reference.kind === 'vault') {
    return cachedFor(CACHE_MS, await vaultPayloadKey(setting, vaultOf(settings, reference.key, time)), time);
  }
  const { text, place } = readKeyText(setting, reference);
  const bytes = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (bytes.length === KEY_BYTES) return localPayloadKey(bytes);
  throw new SettingsError(
    `${setting} is no key: ${place} must hold 32 bytes as hexadecimal or base64 (openssl rand -hex 32).`,
  );
}
