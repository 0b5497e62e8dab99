/** What can be done to a call. Times in milliseconds. */
export type Fault =
  /** The connection is reset, and nothing is delivered. */
  | { readonly kind: 'drop-before' }
  /** Delivered, then the connection is reset. */
  | { readonly kind: 'drop-after' }
  /** Delivered, and never answered: the caller's own time limit ends it. */
  | { readonly kind: 'hang' }
  /** Takes longer: half of it on the way there, half on the way back, and something random on top. */
  | { readonly kind: 'delay'; readonly ms: number; readonly spreadMs?: number }
  /** Delivered twice; the second answer is returned. */
  | { readonly kind: 'double' }
  /** Held back until so many later calls have gone through, but no longer than `withinMs`. */
  | { readonly kind: 'reorder'; readonly later: number; readonly withinMs: number }
  /** HTTP 429, and nothing is delivered; `retryAfter` is the header's value. */
  | { readonly kind: 'too-many'; readonly retryAfter?: string }
  /** An HTTP status of 500 or above; delivered or not, by chance. */
  | { readonly kind: 'server-error'; readonly status: number }
  /** JSON-RPC's -32005; delivered or not, by chance. */
  | { readonly kind: 'node-behind' }
  /** A send is answered as the layer does that could not follow a transaction's accounts in time; not delivered. */
  | { readonly kind: 'accounts-late' }
  /** A send is answered as by a node that has looked at it and takes it for wrong; not delivered. */
  | { readonly kind: 'refused' }
  /** Delivered, and answered with what is no JSON. */
  | { readonly kind: 'garbage' }
  /** Delivered, and half of the answer returned. */
  | { readonly kind: 'cut-off' }
  /** A read is answered with what the ledger said so long ago, as a node that is behind would. */
  | { readonly kind: 'stale'; readonly ms: number }
  /** A transaction's signature is answered, but the transaction goes nowhere. */
  | { readonly kind: 'swallow' };

export type FaultKind = Fault['kind'];

/** What is done to some calls. */
export type FaultRule = {
  /** One of those that suit the call's method is done. */
  readonly faults: readonly Fault[];
  /** From 0 to 1, for each call; left out: 1. */
  readonly probability?: number;
  /** RPC methods; left out: all. */
  readonly methods?: readonly string[];
  /** Only transactions being sent that contain these bytes, such as an account's address. */
  readonly holding?: Uint8Array;
  /** Until the first of its faults was done so often. */
  readonly times?: number;
  /** Comes and goes: lasts for so many milliseconds at the beginning of each period of so many. */
  readonly storm?: { readonly everyMs: number; readonly lastsMs: number };
};

/** Whether a fault can be done to calls of a method. */
export function suits({ kind }: Fault, method: string): boolean {
  if (kind === 'swallow' || kind === 'accounts-late' || kind === 'refused') return method === 'sendTransaction';
  return kind !== 'stale' || method.startsWith('get');
}
