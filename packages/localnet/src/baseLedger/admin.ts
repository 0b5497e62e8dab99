import type { Address } from '@solana/kit';
import { LocalnetError, messageOf } from '../errors.ts';
import { type AccountRecord, type AccountState, fromRecord } from './account.ts';
import type { ClusterHabits } from './habits.ts';
import type { TransactionRecord } from './records.ts';

/** What only a localnet's base ledger can do. */
export interface BaseLedgerAdmin {
  /** Sets the ledger's clock (unix seconds); it goes on ticking from there. Returns the new time. */
  warpClock(unixTimestamp: number): Promise<number>;
  /** Moves the ledger's clock by seconds. Returns the new time, unix seconds. */
  advanceClock(seconds: number): Promise<number>;
  /** From now on the ledger has these habits of a cluster; what is left out is as in `NO_HABITS`. */
  setHabits(habits: Partial<ClusterHabits>): Promise<void>;
  /** Makes blocks at once; after 151 every blockhash given out before has expired. */
  advanceBlocks(count: number): Promise<void>;
  /** Puts an account in place without a transaction. */
  setAccount(account: Partial<AccountState> & Pick<AccountState, 'address' | 'lamports'>): Promise<void>;
  /** The accounts that a program owns. */
  listAccounts(owner: Address): Promise<AccountState[]>;
  /** Every transaction that ever landed in this directory's ledger, oldest first, with all that it wrote. */
  listTransactions(): AsyncGenerator<TransactionRecord>;
}

interface TransactionPage {
  readonly transactions: readonly TransactionRecord[];
  readonly next: number | null;
}

/** The admin methods of the base ledger at an RPC address. */
export function baseLedgerAdmin(rpcUrl: string): BaseLedgerAdmin {
  const call = <T>(method: string, params: unknown): Promise<T> => callAdmin<T>(rpcUrl, method, params);
  const warp = async (params: object): Promise<number> =>
    (await call<{ unixTimestamp: number }>('localnet_warpClock', params)).unixTimestamp;
  return {
    warpClock: (unixTimestamp) => warp({ unixTimestamp }),
    advanceClock: (seconds) => warp({ seconds }),
    setHabits: async (habits) => {
      await call('localnet_setHabits', habits);
    },
    advanceBlocks: async (count) => {
      await call('localnet_advanceBlocks', { count });
    },
    setAccount: async ({ address, lamports, owner, data, executable }) => {
      await call('localnet_setAccount', {
        address,
        lamports: lamports.toString(),
        owner,
        data: data === undefined ? undefined : Buffer.from(data).toString('base64'),
        executable,
      });
    },
    listAccounts: async (owner) => (await call<AccountRecord[]>('localnet_listAccounts', owner)).map(fromRecord),
    async *listTransactions() {
      let from: number | null = 0;
      while (from !== null) {
        const page: TransactionPage = await call('localnet_listTransactions', { from });
        yield* page.transactions;
        from = page.next;
      }
    },
  };
}

async function callAdmin<T>(rpcUrl: string, method: string, params: unknown): Promise<T> {
  let answer: { result?: T; error?: { message: string } };
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [params] }),
    });
    answer = (await response.json()) as typeof answer;
  } catch (error) {
    throw new LocalnetError(
      'ADMIN_CALL_FAILED',
      `The base ledger at ${rpcUrl} doesn't answer (${messageOf(error)}): start it again.`,
    );
  }
  if (answer.error !== undefined || answer.result === undefined) {
    throw new LocalnetError('ADMIN_CALL_FAILED', `${method} was refused: ${answer.error?.message ?? 'no result'}.`);
  }
  return answer.result;
}
