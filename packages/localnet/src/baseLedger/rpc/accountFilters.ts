import type { AccountState } from '../account.ts';
import { isObject } from '../json.ts';
import { readTokenAccount } from '../tokens.ts';
import { decodeBytes, toInteger } from './params.ts';
import { invalidParams } from './rpcError.ts';

/** Whether an account passes. */
export type AccountFilter = (account: AccountState) => boolean;

/** Reads the `filters` of getProgramAccounts and programSubscribe; an account must pass all of them. */
export function accountFilter(filters: unknown): AccountFilter {
  if (filters === undefined || filters === null) return () => true;
  if (!Array.isArray(filters)) throw invalidParams('filters must be a list');
  const tests = filters.map(singleFilter);
  return (account) => tests.every((test) => test(account));
}

function singleFilter(filter: unknown): AccountFilter {
  if (filter === 'tokenAccountState') return (account) => readTokenAccount(account) !== null;
  if (isObject(filter)) {
    if ('tokenAccountState' in filter) return (account) => readTokenAccount(account) !== null;
    if ('dataSize' in filter) {
      const size = toInteger(filter.dataSize, 'dataSize');
      return (account) => account.data.length === size;
    }
    const memcmp = filter.memcmp;
    if (isObject(memcmp)) {
      const offset = toInteger(memcmp.offset, 'memcmp.offset');
      const bytes = memcmpBytes(memcmp);
      return ({ data }) =>
        data.length >= offset + bytes.length && bytes.every((byte, index) => data[offset + index] === byte);
    }
  }
  throw invalidParams('a filter must be dataSize, memcmp or tokenAccountState');
}

/** memcmp's bytes: base58 text unless `encoding` says base64, or a plain list of numbers. */
function memcmpBytes(memcmp: Record<string, unknown>): Uint8Array {
  const bytes = memcmp.bytes;
  if (Array.isArray(bytes)) return Uint8Array.from(bytes.map((byte) => toInteger(byte, 'memcmp.bytes')));
  if (typeof bytes !== 'string') throw invalidParams('memcmp.bytes must be text');
  return decodeBytes(bytes, memcmp.encoding === 'base64' ? 'base64' : 'base58');
}
