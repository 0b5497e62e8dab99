import { getBase58Decoder } from '@solana/kit';

/** A JSON-RPC call. */
export type Call = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
  readonly body: Buffer;
};

/** A ledger's answer as it came. */
export type Answer = { readonly status: number; readonly body: Buffer };

/** Reads a call; a batch counts as one call of the method `batch`. */
export function readCall(body: Buffer): Call {
  const parsed = JSON.parse(body.toString('utf8')) as { method?: string; params?: readonly unknown[]; id?: unknown };
  return { method: parsed.method ?? 'batch', params: parsed.params ?? [], id: parsed.id ?? null, body };
}

type Config = { readonly minContextSlot?: number } | null;
const isConfig = (param: unknown): param is Config => typeof param === 'object' && !Array.isArray(param);

/** The slot that a call's answer must not be older than; 0: any. */
export const leastSlotOf = ({ params }: Call): number =>
  params.filter(isConfig).reduce((most, config) => Math.max(most, config?.minContextSlot ?? 0), 0);

/** The same call, whatever its id is, and the slot that it insists on. */
export const keyOf = ({ method, params }: Call): string =>
  `${method} ${JSON.stringify(params.map((param) => (isConfig(param) ? { ...param, minContextSlot: undefined } : param)))}`;

const answerOf = (body: string): Answer => ({ status: 200, body: Buffer.from(body) });

/** An answer to a call; `result` is JSON. */
export function resultAnswer({ id }: Call, result: string): Answer {
  return answerOf(`{"jsonrpc":"2.0","result":${result},"id":${JSON.stringify(id)}}`);
}

/** An error as an answer to a call. */
export function errorAnswer({ id }: Call, code: number, message: string): Answer {
  return answerOf(`{"jsonrpc":"2.0","error":${JSON.stringify({ code, message })},"id":${JSON.stringify(id)}}`);
}

/** An answer that was given to another call, for this one. Both ledgers write the id last; numbers stay as they are written. */
export function answeredAgain({ id }: Call, { status, body }: Answer): Answer {
  const text = body.toString('utf8');
  return { status, body: Buffer.from(`${text.slice(0, text.lastIndexOf('"id":'))}"id":${JSON.stringify(id)}}`) };
}

/** Whether it sends a transaction that contains these bytes. */
export function sends({ method, params }: Call, bytes: Uint8Array): boolean {
  return method === 'sendTransaction' && Buffer.from((params as [string])[0], 'base64').includes(Buffer.from(bytes));
}

/** The first signature of a transaction that is being sent, base58. */
export function signatureOf({ params }: Call): string {
  const [wire] = params as [string];
  return getBase58Decoder().decode(Buffer.from(wire, 'base64').subarray(1, 65));
}
