import { CompactEncrypt, importJWK, type JWK } from 'jose';

/** Why a key can't be encrypted for; undefined: it can. Of kinds that ECDH-ES takes: P-256 and X25519, public alone. */
export async function encryptionKeyFault(key: JWK): Promise<string | undefined> {
  const isKind = (key.kty === 'EC' && key.crv === 'P-256') || (key.kty === 'OKP' && key.crv === 'X25519');
  if (!isKind) return '`encryptionKey` is no JWK of P-256 (kty EC) or X25519 (kty OKP).';
  try {
    await encryptedFor(key, '{}');
    return undefined;
  } catch {
    return '`encryptionKey` is no point of its curve: export the public key anew.';
  }
}

/** A compact JWE that only the holder of the private key can read: ECDH-ES, A256GCM. */
export async function encryptedFor(key: JWK, text: string): Promise<string> {
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', cty: 'json', ...(key.kid !== undefined && { kid: key.kid }) };
  return new CompactEncrypt(Buffer.from(text)).setProtectedHeader(header).encrypt(await importJWK(key, header.alg));
}
