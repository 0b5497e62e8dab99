import type { Time } from '@payouts/client';
import { type Address, type Base58EncodedBytes, createSolanaRpcSubscriptions, getBase58Decoder } from '@solana/kit';
import { type LoopInput, runLoop } from '../platform/loop.ts';
import type { Alive } from '../platform/watchedRound.ts';
import type { LedgerAccount } from './ledger.ts';

/** Milliseconds without a change after which the subscription is made anew: one that is dead tells nothing, either. */
const QUIET_MS = 60_000;
/** Why an attempt is over that was not quiet. */
const ENDED = new DOMException('It has ended.', 'AbortError');

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

/** Follows one subscription until it is quiet. */
async function follow(input: WatchInput, alive: Alive): Promise<void> {
  const { url, program, time, signal, onChange, onState } = input;
  const kind = getBase58Decoder().decode(Uint8Array.of(input.kind)) as Base58EncodedBytes;
  const attempt = new AbortController();
  let isQuiet = true;
  const look = time.every(QUIET_MS, () => {
    if (isQuiet) attempt.abort();
    else if (!alive.signal.aborted) alive(2 * QUIET_MS);
    isQuiet = true;
  });
  try {
    const notifications = await createSolanaRpcSubscriptions(url)
      .programNotifications(program, {
        commitment: 'confirmed',
        encoding: 'base64',
        filters: [{ memcmp: { offset: 0n, bytes: kind, encoding: 'base58' } }],
      })
      .subscribe({ abortSignal: AbortSignal.any([signal, alive.signal, attempt.signal]) });
    alive(2 * QUIET_MS);
    onState?.(true);
    for await (const { context, value } of notifications) {
      isQuiet = false;
      const { account, pubkey } = value;
      const data = new Uint8Array(Buffer.from(account.data[0], 'base64'));
      onChange(
        { address: pubkey, owner: account.owner, lamports: BigInt(account.lamports), data },
        BigInt(context.slot),
      );
    }
  } catch (error) {
    if (!attempt.signal.aborted) throw error;
  } finally {
    look.cancel();
    attempt.abort(ENDED);
  }
  if (attempt.signal.reason === ENDED) throw new Error('The subscription has ended.');
}
