import { readFile, writeFile } from 'node:fs/promises';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';

/** A key as Solana's tools write it: a JSON array of 64 bytes, private key first. */
export async function keyOf(json: string): Promise<KeyPairSigner> {
  return createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(json) as number[]));
}

/** Reads a key file as Solana's tools write it. */
export async function readKey(file: string): Promise<KeyPairSigner> {
  return keyOf(await readFile(file, 'utf8'));
}

/** Reads a key file, or makes a new key and writes it there, readable by its owner alone. */
export async function readOrCreateKey(file: string): Promise<KeyPairSigner> {
  try {
    return await readKey(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const signer = await generateKeyPairSigner(true);
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', signer.keyPair.privateKey),
    crypto.subtle.exportKey('raw', signer.keyPair.publicKey),
  ]);
  // The last 32 bytes of an ed25519 key in PKCS #8 are the key itself.
  const bytes = [...new Uint8Array(privateKey).slice(-32), ...new Uint8Array(publicKey)];
  await writeFile(file, JSON.stringify(bytes), { mode: 0o600 });
  return signer;
}
