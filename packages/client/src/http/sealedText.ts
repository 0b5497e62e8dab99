import { CompactEncrypt, importJWK, type JWK } from 'jose';

/** The media type of what is sealed (RFC 7515, 9.2.1). */
export const SEALED_TYPE = 'application/jose';

/** Bytes that are sealed at once, so that a long text is opened while it arrives. */
const PIECE_BYTES = 256 * 1_024;

/**
 * Seals a text for whoever has the private key to a P-256 key: the pieces of its bytes as compact JWEs (RFC 7516), one a line. That no piece is
 * missing or out of place is for the reader to see by what it says.
 */
export async function sealText(text: string, key: JWK): Promise<string> {
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', ...(key.kid !== undefined && { kid: key.kid }) };
  const to = await importJWK(key, header.alg);
  const bytes = new TextEncoder().encode(text);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = new CompactEncrypt(bytes.subarray(at, at + PIECE_BYTES)).setProtectedHeader(header);
    lines.push(`${await piece.encrypt(to)}\n`);
  }
  return lines.join('');
}
