import type { Time } from '@payouts/client';
import { type Address, type Base58EncodedBytes, createSolanaRpcSubscriptions, getBase58Decoder } from '@solana/kit';
import type { LedgerAccount } from './ledger.ts';

/** Milliseconds until a lost subscription is taken up again. */
const RECONNECT_MS = 1_000;

/** Input of `watchAccounts`; `url` is the base ledger's websocket, `kind` the first byte of the accounts. */
export type WatchInput = {
  readonly url: string;
  readonly program: Address;
  readonly kind: number;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly onChange: (account: LedgerAccount, slot: bigint) => void;
  readonly onState?: (connected: boolean, error?: unknown) => void;
};

/**
 * Reports every change of the program's accounts of one kind on the base ledger until the signal. What is missed while the connection
 * is down is not reported later: reading those that were not seen for longest makes up for it.
 */
export async function watchAccounts(input: WatchInput): Promise<void> {
  const { url, program, time, signal, onChange, onState } = input;
  const kind = getBase58Decoder().decode(Uint8Array.of(input.kind)) as Base58EncodedBytes;
  while (!signal.aborted) {
    const attempt = new AbortController();
    try {
      const notifications = await createSolanaRpcSubscriptions(url)
        .programNotifications(program, {
          commitment: 'confirmed',
          encoding: 'base64',
          filters: [{ memcmp: { offset: 0n, bytes: kind, encoding: 'base58' } }],
        })
        .subscribe({ abortSignal: AbortSignal.any([signal, attempt.signal]) });
      onState?.(true);
      for await (const { context, value } of notifications) {
        const { account, pubkey } = value;
        const data = new Uint8Array(Buffer.from(account.data[0], 'base64'));
        onChange(
          { address: pubkey, owner: account.owner, lamports: BigInt(account.lamports), data },
          BigInt(context.slot),
        );
      }
      onState?.(false);
    } catch (error) {
      if (!signal.aborted) onState?.(false, error);
    } finally {
      attempt.abort();
    }
    await time.pause(RECONNECT_MS, signal).catch(() => {});
  }
}
