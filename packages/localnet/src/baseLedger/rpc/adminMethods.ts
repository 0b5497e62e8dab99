import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../../addresses.ts';
import { toRecord } from '../account.ts';
import { readHabits } from '../habits.ts';
import type { Json } from '../json.ts';
import type { RpcMethod } from './context.ts';
import { addressParam, decodeBytes, optionsParam, toAddressParam, toInteger } from './params.ts';
import { invalidParams } from './rpcError.ts';

const DEFAULT_PAGE = 1_000;
const MAX_BLOCKS = 100_000;

/** Every admin method's name begins so. */
export const ADMIN_PREFIX = 'localnet_';

/**
 * Methods that no real ledger has: they move time, overwrite accounts and list everything. They exist only in a localnet,
 * on the loopback interface, and are refused to web pages. u64 values are text.
 */
export const adminMethods: Readonly<Record<string, RpcMethod>> = {
  /** {unixTimestamp: seconds} or {seconds: how far to move}; answers the new time. */
  localnet_warpClock: ({ ledger }, params) => {
    const { unixTimestamp, seconds } = optionsParam(params, 0);
    const target = unixTimestamp ?? (typeof seconds === 'number' ? ledger.unixTimestamp + seconds : undefined);
    ledger.warpClock(toInteger(target, 'unixTimestamp or seconds'));
    return { unixTimestamp: ledger.unixTimestamp };
  },

  /** What of `ClusterHabits` there is from now on; what is left out is as in `NO_HABITS`. */
  localnet_setHabits: ({ cluster }, params) => {
    try {
      cluster.habits = readHabits((params[0] ?? {}) as Record<string, unknown>);
    } catch (error) {
      throw invalidParams(error instanceof Error ? error.message : String(error));
    }
    return { ...cluster.habits };
  },

  /** {count}: makes blocks at once, so that blockhashes expire. */
  localnet_advanceBlocks: ({ ledger }, params) => {
    const count = toInteger(optionsParam(params, 0).count, 'count');
    if (count > MAX_BLOCKS) throw invalidParams(`count may be at most ${MAX_BLOCKS}`);
    ledger.advanceBlocks(count);
    return { blockHeight: ledger.blockhashes.height, slot: ledger.slot };
  },

  /** {address, lamports, owner?, data? (base64), executable?}: puts an account in place. */
  localnet_setAccount: ({ ledger }, params) => {
    const options = optionsParam(params, 0);
    const data = options.data ?? '';
    if (typeof data !== 'string') throw invalidParams('data must be base64 text');
    ledger.setAccount({
      address: toAddressParam(options.address),
      lamports: toLamports(options.lamports),
      owner: options.owner === undefined ? SYSTEM_PROGRAM : toAddressParam(options.owner),
      data: decodeBytes(data, 'base64'),
      executable: options.executable === true,
    });
    return { slot: ledger.slot };
  },

  /** [owner]: the accounts that a program owns. */
  localnet_listAccounts: ({ ledger }, params) => {
    const owner: Address = addressParam(params, 0);
    return ledger.bank.getProgramAccounts(owner).map((account) => ({ ...toRecord(account) }));
  },

  /** {from?, limit?}: whole records of all transactions ever landed, oldest first, and where to go on. */
  localnet_listTransactions: ({ ledger }, params) => {
    const { from, limit } = optionsParam(params, 0);
    const page = ledger.listTransactions(toInteger(from ?? 0, 'from'), toInteger(limit ?? DEFAULT_PAGE, 'limit'));
    return page as unknown as Json;
  },
};

function toLamports(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return BigInt(toInteger(value, 'lamports'));
}
