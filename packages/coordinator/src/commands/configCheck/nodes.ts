import { type Time, timeoutSignal } from '@payouts/client';
import { createSolanaRpcSubscriptions } from '@solana/kit';
import type { Settings } from '../../config/specs.ts';
import { RpcFailure, rpcCall } from '../../ledger/rpcCall.ts';
import { type CheckResult, checkWithin, failed, passed } from './checkResult.ts';

const WITHIN_MS = 5_000;
/** Of no transaction. */
const NO_SIGNATURE = '1'.repeat(64);
/** Of no account: nothing that the program keeps begins so. */
const NO_ACCOUNT = { memcmp: { offset: 0, bytes: Buffer.alloc(32, 0xff).toString('base64'), encoding: 'base64' } };

/** What an address of several is called. */
const nameOf = (what: string, place: number, count: number): string =>
  count === 1 ? `its ${what}` : `${what} ${place + 1} of ${count}`;

/** Whether each node of the base ledger is there, is of the same ledger, and offers what not every node does. */
export async function checkNodes({ baseRpcUrl, programAddress }: Settings, time: Time): Promise<CheckResult[]> {
  const urls = baseRpcUrl.split(',');
  const ask = <T>(url: string, method: string, params: readonly unknown[]) =>
    rpcCall<T>(url, method, params, { signal: timeoutSignal(time, WITHIN_MS), time });
  const ledgers = await Promise.all(urls.map((url) => ask<string>(url, 'getGenesisHash', []).catch(() => undefined)));
  const found = await Promise.all(
    urls.map(async (url, place) => {
      const name = nameOf('node', place, urls.length);
      const ledger = ledgers[place];
      if (place > 0 && ledger === undefined) return [failed(`base ledger: ${name} does not answer: fix BASE_RPC_URL`)];
      if (ledger !== ledgers[0]) {
        return [failed(`base ledger: ${name} is of another ledger than the first: fix BASE_RPC_URL`)];
      }
      return checkOffers({ name, programAddress, time }, (method, params) => ask(url, method, params));
    }),
  );
  return found.flat();
}

type Asked = { readonly name: string; readonly programAddress: string; readonly time: Time };

/** By asking as it is asked later. */
async function checkOffers(
  { name, programAddress, time }: Asked,
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
): Promise<CheckResult[]> {
  const tried = (offer: string, lack: string, work: () => Promise<unknown>) =>
    checkWithin(
      time,
      async () => {
        await work();
        return [passed(`base ledger: ${name} ${offer}`)];
      },
      (error) =>
        error instanceof RpcFailure
          ? `base ledger: ${name} ${lack}; name another node in BASE_RPC_URL`
          : `base ledger: it could not be tried whether ${name} ${offer}`,
    );
  const found = await Promise.all([
    tried(
      'keeps the history of transactions',
      'keeps no history of transactions: what a lost database is rebuilt from is missing',
      () => ask('getSignatureStatuses', [[NO_SIGNATURE], { searchTransactionHistory: true }]),
    ),
    tried(
      "lists a program's accounts",
      "does not list a program's accounts: schedules that are not registered are not looked for, and vaults of more than 1,000 schedules not audited",
      () => ask('getProgramAccounts', [programAddress, { encoding: 'base64', filters: [NO_ACCOUNT] }]),
    ),
  ]);
  return found.flat();
}

/** Whether each websocket of the base ledger takes subscriptions. */
export async function checkSockets({ baseWsUrl, programAddress }: Settings, time: Time): Promise<CheckResult[]> {
  const urls = baseWsUrl.split(',');
  const found = await Promise.all(
    urls.map((url, place) => {
      const name = nameOf('websocket', place, urls.length);
      const which = urls.length === 1 ? 'BASE_WS_URL' : `${name} in BASE_WS_URL`;
      return checkWithin(
        time,
        async () => {
          await subscribe(url, programAddress);
          return [passed(`base ledger: ${name} takes subscriptions`)];
        },
        () => `base ledger: ${which} takes no subscription: check the address; changes are found by reading meanwhile`,
      );
    }),
  );
  return found.flat();
}

async function subscribe(url: string, programAddress: Settings['programAddress']): Promise<void> {
  const ends = new AbortController();
  try {
    await createSolanaRpcSubscriptions(url)
      .programNotifications(programAddress, { commitment: 'confirmed', encoding: 'base64' })
      .subscribe({ abortSignal: ends.signal });
  } finally {
    ends.abort();
  }
}
