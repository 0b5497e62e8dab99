import {
  type Address,
  getBase58Decoder,
  getBase58Encoder,
  getPublicKeyFromAddress,
  type MessagePartialSigner,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { ClientError } from '../http/clientError.ts';
import type { JsonFields } from '../http/jsonFields.ts';

/** What a token may call itself in what is signed. */
const SYMBOL = /^[A-Za-z0-9][A-Za-z0-9.$_-]{0,9}$/;

/** Who has signed something, and the signature in base 58. */
export type Issued = { readonly issuer: Address; readonly signature: string };

/** The bytes of a statement: a heading, by which it is no other statement and no ledger's transaction, and a line for each field. */
export const statementBytes = (heading: string, fields: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode([heading, ...fields].join('\n'));

/** Signs a statement. Throws `SIGNATURE_MISSING`. */
export async function issued(statement: Uint8Array, issuer: MessagePartialSigner): Promise<Issued> {
  const [signatures] = await issuer.signMessages([{ content: statement, signatures: {} }]);
  const signature = signatures?.[issuer.address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The issuer did not sign the statement.');
  return { issuer: issuer.address, signature: getBase58Decoder().decode(signature) };
}

/** Whether a statement is what its issuer has signed. */
export async function isIssued(statement: Uint8Array, { issuer, signature }: Issued): Promise<boolean> {
  const bytes = Uint8Array.from(getBase58Encoder().encode(signature)) as unknown as SignatureBytes;
  return verifySignature(await getPublicKeyFromAddress(issuer), bytes, statement).catch(() => false);
}

/** What a token calls itself, from JSON; null: nothing. */
export const symbolFrom = (fields: JsonFields): string | null =>
  fields.raw('symbol') === null ? null : fields.matching('symbol', SYMBOL, 'symbol');
