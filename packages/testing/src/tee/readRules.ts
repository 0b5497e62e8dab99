import { BALANCE_KIND, BATCH_KIND, getBalanceDecoder } from '@payouts/client';
import type { Address } from '@solana/kit';

type PlainAccount = { readonly owner: string; readonly data: [string, string] | string };
type Holder = { readonly value?: unknown; readonly result?: unknown };

/** Who reads, and what is private in which program. */
export type Reader = { readonly who: Address; readonly program: Address; readonly authority: Address };

/** Methods that show what others do, and so are the execution authority's alone. */
const HISTORY = new Set(['getTransaction', 'getSignaturesForAddress', 'getBlock', 'getBlocks']);

/**
 * What an answer of the real layer leaves for a reader: accounts of open windows are the execution authority's to see, private balances their
 * recipient's too. Undefined: the reader may not ask this.
 */
export function visible(method: string, answer: Record<string, unknown>, reader: Reader): unknown {
  if (reader.who === reader.authority) return answer;
  if (HISTORY.has(method)) return undefined;
  if (method === 'getAccountInfo' || method === 'getMultipleAccounts') {
    const result = answer.result as Holder | undefined;
    if (result === undefined) return answer;
    const { value } = result;
    const shown = Array.isArray(value) ? value.map((each) => shownTo(each, reader)) : shownTo(value, reader);
    return { ...answer, result: { ...result, value: shown } };
  }
  if (method === 'getProgramAccounts') {
    const found = (answer.result ?? []) as readonly { readonly account: PlainAccount }[];
    return { ...answer, result: found.filter(({ account }) => shownTo(account, reader) !== null) };
  }
  return answer;
}

function shownTo(account: unknown, { who, program }: Reader): unknown {
  if (typeof account !== 'object' || account === null) return account;
  const { owner, data } = account as PlainAccount;
  if (owner !== program) return account;
  // In any other encoding nothing could be told apart.
  if (!Array.isArray(data) || data[1] !== 'base64') return null;
  const bytes = Buffer.from(data[0], 'base64');
  if (bytes[0] === BATCH_KIND) return null;
  if (bytes[0] !== BALANCE_KIND) return account;
  return getBalanceDecoder().decode(bytes).recipient === who ? account : null;
}
