import { createHash, randomBytes } from 'node:crypto';
import { DELEGATION_HEADER, SIGNATURE_TAG, signatureBase } from '@payouts/client';
import type { MessagePartialSigner } from '@solana/kit';

/** How a request is signed (RFC 9421): each part can be another than it should be. */
export type Signing = {
  readonly signer: MessagePartialSigner;
  readonly method?: string;
  /** Whom and what the signature says that it is for: scheme, authority, path and query. */
  readonly url: string;
  readonly body?: string;
  readonly delegation?: string;
  /** Components, in order, in place of those that must be covered. */
  readonly covered?: readonly string[];
  /** Values of components in place of what they are. */
  readonly values?: Readonly<Record<string, string>>;
  /** Parameters as they are written, in place of the right ones; undefined: left out. */
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly label?: string;
  /** The bytes of the signature, changed. */
  readonly change?: (signature: Uint8Array) => Uint8Array;
};

export type SignedHeaders = { 'signature-input': string; signature: string; [name: string]: string };

export const freshNonce = (): string => randomBytes(18).toString('base64url');
export const digestOf = (body: string): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
const seconds = (): number => Math.floor(Date.now() / 1_000);

/** Signs a request in any way; the headers to send with it. */
export async function sign(signing: Signing): Promise<SignedHeaders> {
  const { signer, method = 'GET', body, delegation, label = 'attack' } = signing;
  const { host, pathname, search, protocol } = new URL(signing.url);
  const digest = body === undefined ? undefined : digestOf(body);
  const values: Record<string, string | undefined> = {
    '@method': method,
    '@scheme': protocol.slice(0, -1),
    '@authority': host,
    '@target-uri': signing.url,
    '@path': pathname,
    '@query': search === '' ? '?' : search,
    [DELEGATION_HEADER]: delegation,
    'content-digest': digest,
    ...signing.values,
  };
  const right = ['@method', '@authority', '@path', '@query', DELEGATION_HEADER, 'content-digest'];
  const covered = signing.covered ?? right.filter((name) => values[name] !== undefined);
  const parameters = {
    created: String(seconds()),
    keyid: `"${signer.address}"`,
    alg: '"ed25519"',
    nonce: `"${freshNonce()}"`,
    tag: `"${SIGNATURE_TAG}"`,
    ...signing.parameters,
  };
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `;${name}=${value}`,
  );
  const text = `(${covered.map((name) => `"${name}"`).join(' ')})${written.join('')}`;
  const base = signatureBase(
    covered.map((name) => [`"${name}"`, values[name] ?? ''] as const),
    text,
  );
  const [signatures] = await signer.signMessages([{ content: base, signatures: {} }]);
  const bytes = signatures?.[signer.address] as Uint8Array;
  const signature = Buffer.from(signing.change?.(bytes) ?? bytes).toString('base64');
  return {
    'signature-input': `${label}=${text}`,
    signature: `${label}=:${signature}:`,
    ...(delegation === undefined ? {} : { [DELEGATION_HEADER]: delegation }),
    ...(digest === undefined ? {} : { 'content-digest': digest, 'content-type': 'application/json' }),
  };
}
