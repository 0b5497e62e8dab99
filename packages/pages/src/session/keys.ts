import type { KeyPairSigner } from '@solana/kit';

/** Keys of this tab alone: they can't be taken out of it, and are gone when it is reloaded or closed. */
export type SessionKeys = {
  readonly signer: KeyPairSigner;
  readonly decryption: CryptoKey;
  /** P-256 point, uncompressed, to which the coordinator encrypts private answers. */
  readonly encryption: Uint8Array;
};

/** A browser that can't make the keys. The message says which can. */
export class KeysUnsupported extends Error {
  override readonly name = 'KeysUnsupported';
}

/** Makes the keys of a session. Throws `KeysUnsupported`. */
export async function makeKeys(): Promise<SessionKeys> {
  if (!isSecureContext) {
    throw new KeysUnsupported(
      'Browsers sign only on https pages, or on this machine’s own address. Open this page by https.',
    );
  }
  const { subtle } = crypto;
  const signing = (await subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify']).catch(() => {
    throw new KeysUnsupported(
      'This browser knows no Ed25519 keys: use Chrome 137, Firefox 129 or Safari 17, or a newer one.',
    );
  })) as CryptoKeyPair;
  // Whoever only looks signs nothing, and loads nothing of it.
  const { createSignerFromKeyPair } = await import('./signing.ts');
  const decryption = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  return {
    signer: await createSignerFromKeyPair(signing),
    decryption: decryption.privateKey,
    encryption: new Uint8Array(await subtle.exportKey('raw', decryption.publicKey)),
  };
}
