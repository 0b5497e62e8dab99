import type { Time } from '@payouts/client';
import { type Address, getBase58Decoder } from '@solana/kit';
import { WebSocket } from 'undici';
import { type LoopInput, runLoop } from '../platform/loop.ts';
import type { Alive } from '../platform/watchedRound.ts';
import type { LedgerAccount } from './ledger.ts';

/** Milliseconds without a change after which the subscription is made anew: one that is dead tells nothing, either. */
const QUIET_MS = 60_000;

/**
 * Input of `watchAccounts`; `url` is the base ledger's websocket, or several that commas separate, `kind` the first byte of the accounts.
 */
export type WatchInput = Pick<LoopInput, 'log' | 'metrics' | 'signal'> & {
  readonly name: 'schedule-changes' | 'vault-changes';
  readonly url: string;
  readonly program: Address;
  readonly kind: number;
  readonly time: Time;
  readonly onChange: (account: LedgerAccount, slot: bigint) => void;
  readonly onState?: (connected: boolean) => void;
};

/**
 * Reports every change of the program's accounts of one kind on the base ledger until the signal. What is missed while the connection
 * is down is not reported later: reading those that were not seen for longest makes up for it.
 */
export function watchAccounts(input: WatchInput): Promise<void> {
  const urls = input.url.split(',');
  /** The next one is tried when one has failed. */
  let failures = 0;
  const onFailure = () => {
    failures += 1;
    input.onState?.(false);
  };
  return runLoop({ ...input, onFailure }, async (alive) => {
    await follow({ ...input, url: urls[failures % urls.length] as string }, alive);
    return 0;
  });
}

/** What a node tells. Lamports and slots are below 2^53. */
type Said = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly params?: { readonly result: Notification };
};
type Notification = {
  readonly context: { readonly slot: number };
  readonly value: {
    readonly pubkey: Address;
    readonly account: {
      readonly owner: Address;
      readonly lamports: number;
      readonly data: readonly [string, 'base64'];
    };
  };
};

/** The subscription's own number among the calls of its connection, of which it is the only one. */
const ID = 1;

/** https://solana.com/docs/rpc/websocket/programsubscribe */
function subscribe(program: Address, kind: number): string {
  const bytes = getBase58Decoder().decode(Uint8Array.of(kind));
  const filters = [{ memcmp: { offset: 0, bytes, encoding: 'base58' } }];
  const params = [program, { commitment: 'confirmed', encoding: 'base64', filters }];
  return JSON.stringify({ jsonrpc: '2.0', id: ID, method: 'programSubscribe', params });
}

function accountOf({ value: { pubkey, account } }: Notification): LedgerAccount {
  const { owner, lamports, data } = account;
  return { address: pubkey, owner, lamports: BigInt(lamports), data: new Uint8Array(Buffer.from(data[0], 'base64')) };
}

/**
 * Follows one subscription until it is quiet, or the signal aborts. By a websocket of our own: kit's reads each message twice, to make bigints of its
 * numbers, and ends the process when a node closes the connection before it is asked, or says what is no JSON. Throws what ends it otherwise.
 */
async function follow(
  { url, program, kind, time, signal, onChange, onState }: WatchInput,
  alive: Alive,
): Promise<void> {
  const socket = new WebSocket(url);
  let isQuiet = true;
  const hear = ({ id, result, params }: Said) => {
    if (id === ID) {
      if (typeof result !== 'number') throw new Error('The node refused the subscription.');
      alive(2 * QUIET_MS);
      onState?.(true);
    } else if (params !== undefined) {
      isQuiet = false;
      onChange(accountOf(params.result), BigInt(params.result.context.slot));
    }
  };
  const ended = new AbortController();
  const until = AbortSignal.any([signal, alive.signal, ended.signal]);
  const following = new Promise<void>((resolve, reject) => {
    const lost = () => reject(new Error('The subscription has ended.'));
    socket.addEventListener('open', () => socket.send(subscribe(program, kind)), { signal: until });
    socket.addEventListener(
      'message',
      ({ data }) => {
        try {
          hear(JSON.parse(String(data)));
        } catch (error) {
          reject(error);
        }
      },
      { signal: until },
    );
    socket.addEventListener('close', lost, { signal: until });
    socket.addEventListener('error', lost);
    until.addEventListener('abort', () => resolve(), { once: true });
  });
  const look = time.every(QUIET_MS, () => {
    if (isQuiet) ended.abort();
    else alive(2 * QUIET_MS);
    isQuiet = true;
  });
  try {
    await following;
    alive.signal.throwIfAborted();
  } finally {
    look.cancel();
    ended.abort();
    socket.close();
  }
}
