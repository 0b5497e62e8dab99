import type { Address, MessagePartialSigner } from '@solana/kit';
import type { Time } from '../time.ts';
import { toBase64, toBase64Url } from './base64.ts';
import { ClientError } from './clientError.ts';
import { DELEGATION_HEADER } from './delegation.ts';

/** What marks a signature as meant for the coordinator; a signature made for something else does not count. */
export const SIGNATURE_TAG = 'payouts';
/** What a request's signature covers. */
export const SIGNED_COMPONENTS = ['@method', '@authority', '@path', '@query'] as const;

const LABEL = 'payouts';
const NONCE_BYTES = 18;

/** A component of a request under a signature: its identifier as it stands among the parameters, quoted, and its value. */
export type SignedComponent = readonly [identifier: string, value: string];

/**
 * The text that is signed (RFC 9421, 2.5): a line for each component, then the parameters. It begins with a quote, which as the
 * first byte of a ledger's transaction would ask for 34 signatures, 64 of them read-only: no ledger takes it for one.
 */
export function signatureBase(components: readonly SignedComponent[], parameters: string): Uint8Array {
  const lines = [...components, ['"@signature-params"', parameters] as const].map(([id, value]) => `${id}: ${value}`);
  return new TextEncoder().encode(lines.join('\n'));
}

/** A request that is to be signed. */
export type RequestToSign = {
  /** Whoever the ledger knows by this key: the employer or a recipient. */
  readonly signer: MessagePartialSigner;
  readonly url: string | URL;
  readonly time: Time;
  /** `GET` by default. */
  readonly method?: string;
  /** Unix seconds; now by default. */
  readonly created?: number;
  /** Unix seconds; by default the coordinator decides how long the signature is good. */
  readonly expires?: number;
  /** 16 visible characters or more, never used before with this key; random by default. */
  readonly nonce?: string;
  /** Of a session: the header's value by which a wallet lets `signer` sign for it. */
  readonly delegation?: string;
};

type SignatureHeaders = { 'signature-input': string; signature: string; [DELEGATION_HEADER]?: string };

/**
 * Signs a request without a body for private data by HTTP Message Signatures (RFC 9421) with a ledger key; returns the headers to send
 * with it. Each signed request is good once. Throws `SIGNATURE_MISSING` when the signer does not sign.
 */
export function signRequest(request: RequestToSign): Promise<SignatureHeaders> {
  return signComponents(request, []);
}

/** Signs a request with a body in JSON, which the signature covers by its digest (RFC 9530). Throws `SIGNATURE_MISSING`. */
export async function signRequestWithBody(
  request: RequestToSign & { readonly body: string | Uint8Array },
): Promise<SignatureHeaders & { 'content-type': string; 'content-digest': string }> {
  const { body } = request;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const digest = `sha-256=:${toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}:`;
  const signed = await signComponents({ method: 'POST', ...request }, [['"content-digest"', digest]]);
  return { ...signed, 'content-type': 'application/json', 'content-digest': digest };
}

async function signComponents(request: RequestToSign, fields: readonly SignedComponent[]): Promise<SignatureHeaders> {
  const { signer, time, method = 'GET', created = Math.floor(time.now() / 1_000), expires } = request;
  const nonce = request.nonce ?? toBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const { host, pathname, search } = new URL(request.url);
  const values: Record<(typeof SIGNED_COMPONENTS)[number], string> = {
    '@method': method.toUpperCase(),
    '@authority': host,
    '@path': pathname,
    '@query': search === '' ? '?' : search,
  };
  const { delegation } = request;
  const delegated = delegation === undefined ? [] : [[`"${DELEGATION_HEADER}"`, delegation] as const];
  const components = [
    ...SIGNED_COMPONENTS.map((name) => [`"${name}"`, values[name]] as const),
    ...delegated,
    ...fields,
  ];
  const expiry = expires === undefined ? '' : `;expires=${expires}`;
  const parameters =
    `(${components.map(([identifier]) => identifier).join(' ')});created=${created}${expiry}` +
    `;keyid="${signer.address}";alg="ed25519";nonce="${nonce}";tag="${SIGNATURE_TAG}"`;
  const signature = await sign(signer, signatureBase(components, parameters));
  return {
    'signature-input': `${LABEL}=${parameters}`,
    signature: `${LABEL}=:${toBase64(signature)}:`,
    ...(delegation === undefined ? {} : { [DELEGATION_HEADER]: delegation }),
  };
}

async function sign(signer: MessagePartialSigner, content: Uint8Array): Promise<Uint8Array> {
  const [signatures] = await signer.signMessages([{ content, signatures: {} }]);
  const signature = signatures?.[signer.address as Address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The signer did not sign the request.');
  return signature;
}
