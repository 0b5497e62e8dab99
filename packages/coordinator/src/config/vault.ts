import { addressFromBytes, type Time, timeoutSignal } from '@payouts/client';
import { VaultSigner } from '@solana/keychain-vault';
import type { Address, MessagePartialSigner, TransactionPartialSigner } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import type { PayloadKey } from '../store/crypto/payloadKeys.ts';
import { SettingsError } from './settingsError.ts';

/** Milliseconds for one answer of the key service. */
const TIMEOUT_MS = 5_000;

/** A ledger key that signs transactions, and texts by which it signs in. */
export type Authority = TransactionPartialSigner & MessagePartialSigner;

/** Vault's or OpenBao's Transit engine. */
export type VaultInput = {
  readonly vaultAddr: string;
  readonly vaultToken: string;
  /** Name of the key there. */
  readonly key: string;
  readonly time: Time;
};

/** The answer of the key service was a refusal: what was asked is wrong, and asking again won't help. */
class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly status: number) {
    super(`The key service answered ${status}.`);
  }
}

/** Its own error, so that a stage is tried again; what the service said stays out, since it may repeat what it was sent. */
const unavailable = (cause: unknown) =>
  new RunError('key-service-unavailable', 'The key service does not answer.', { cause });

/** One call of the Transit engine. Throws `Refused` for a request it takes for wrong, else `RunError` key-service-unavailable. */
async function call<T>({ vaultAddr, vaultToken, time }: VaultInput, path: string, body?: object): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${vaultAddr.replace(/\/+$/, '')}/v1/transit/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-vault-token': vaultToken },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: timeoutSignal(time, TIMEOUT_MS),
    });
    if (response.ok) return ((await response.json()) as { data: T }).data;
    await response.body?.cancel();
  } catch (error) {
    throw unavailable(error);
  }
  // 429, 472, 473 and 5xx: sealed, standing by or busy.
  if ([400, 403, 404].includes(response.status)) throw new Refused(response.status);
  throw unavailable(new Refused(response.status));
}

type KeyData = {
  readonly type: string;
  readonly latest_version: number;
  readonly keys: Readonly<Record<string, { readonly public_key?: string }>>;
};

/** What the key service says of a key. Throws `SettingsError` naming the setting that is to be fixed. */
async function readKey(setting: string, input: VaultInput): Promise<KeyData> {
  try {
    return await call<KeyData>(input, `keys/${encodeURIComponent(input.key)}`);
  } catch (error) {
    if (error instanceof Refused && error.status === 404) {
      throw new SettingsError(
        `${setting} names the key ${input.key}, which Vault's Transit engine does not have: create it there.`,
      );
    }
    if (error instanceof Refused) {
      throw new SettingsError(
        `${setting}: Vault refuses VAULT_TOKEN for the key ${input.key} (${error.status}): give the token a policy for it.`,
      );
    }
    throw new SettingsError(
      `${setting}: Vault can't be reached: check VAULT_ADDR and that it is running and unsealed.`,
    );
  }
}

/**
 * A signer whose key stays in Vault: an ed25519 key of the Transit engine. Throws `SettingsError`; signing throws `RunError`
 * key-service-unavailable when no signature came.
 */
export async function vaultSigner(setting: string, input: VaultInput): Promise<Authority> {
  const { type, latest_version: version, keys } = await readKey(setting, input);
  const publicKey = keys[String(version)]?.public_key;
  if (type !== 'ed25519' || publicKey === undefined) {
    throw new SettingsError(
      `${setting}: the key ${input.key} in Vault is of type ${type}: create one of type ed25519.`,
    );
  }
  if (version !== 1) {
    // Another version is another address, and signatures of a rotated key are not read.
    throw new SettingsError(
      `${setting}: the key ${input.key} in Vault was rotated: a ledger key can't be; create another one and have governance name it.`,
    );
  }
  const address = addressFromBytes(Buffer.from(publicKey, 'base64'));
  const { vaultAddr, vaultToken, key: keyName, time } = input;
  const signer = new VaultSigner({ vaultAddr, vaultToken, keyName, publicKey: address });
  // The library comes with types of an older kit; what passes here is the same in both.
  return {
    address: address as Address,
    signTransactions: (transactions) =>
      inTime(
        time,
        signer.signTransactions(transactions as unknown as Parameters<VaultSigner['signTransactions']>[0]),
      ) as unknown as ReturnType<Authority['signTransactions']>,
    signMessages: (messages) =>
      inTime(
        time,
        signer.signMessages(messages as unknown as Parameters<VaultSigner['signMessages']>[0]),
      ) as unknown as ReturnType<Authority['signMessages']>,
  };
}

async function inTime<T>(time: Time, signing: Promise<T>): Promise<T> {
  const signed = await withTimeout(time, TIMEOUT_MS, signing).catch((error: unknown) => {
    throw unavailable(error);
  });
  if (signed === undefined) throw unavailable(new DOMException('Timed out.', 'TimeoutError'));
  return signed;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A payload key that stays in Vault: an aes256-gcm96 key of the Transit engine. Throws `SettingsError`. */
export async function vaultPayloadKey(setting: string, input: VaultInput): Promise<PayloadKey> {
  const { type } = await readKey(setting, input);
  if (!/^(aes(128|256)-gcm96|chacha20-poly1305)$/.test(type)) {
    throw new SettingsError(
      `${setting}: the key ${input.key} in Vault is of type ${type}: create one of type aes256-gcm96.`,
    );
  }
  const name = encodeURIComponent(input.key);
  return {
    id: `vault:${input.key}`,
    async wrap(key, associated) {
      const body = { plaintext: base64(key), associated_data: base64(associated) };
      const { ciphertext } = await call<{ ciphertext: string }>(input, `encrypt/${name}`, body);
      return Buffer.from(ciphertext, 'utf8');
    },
    async unwrap(wrapped, associated) {
      const body = { ciphertext: Buffer.from(wrapped).toString('utf8'), associated_data: base64(associated) };
      try {
        const { plaintext } = await call<{ plaintext: string }>(input, `decrypt/${name}`, body);
        return Buffer.from(plaintext, 'base64');
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.status === 400)
          throw new DecryptionFailed('Vault does not decrypt the key: another key or another place.');
        throw unavailable(error);
      }
    },
  };
}
