import type { HistoryEntry } from '../history.ts';
import type { Json } from '../json.ts';
import { type RpcCall, type RpcMethod, viewAt, withContext } from './context.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { addressParam, optionsParam, stringListParam, stringParam, toInteger } from './params.ts';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1_000;

/** Methods that look up landed transactions. */
export const historyMethods: Readonly<Record<string, RpcMethod>> = {
  getSignatureStatuses: (call, params) => {
    const [view, final] = [viewAt(call, 'confirmed'), viewAt(call, 'finalized')];
    const statuses = stringListParam(params, 0, MAX_STATUSES).map((signature) => {
      const entry = call.ledger.history.get(signature);
      if (entry === undefined || !view.has(entry) || (call.isPublic && call.cluster.node.hasForgotten(entry)))
        return null;
      const isFinal = final.has(entry);
      return {
        slot: entry.slot,
        confirmations: isFinal ? null : 1,
        err: entry.err,
        status: entry.err === null ? { Ok: null } : { Err: entry.err },
        confirmationStatus: isFinal ? 'finalized' : 'confirmed',
      };
    });
    return withContext(view, statuses);
  },

  getTransaction: (call, params) => {
    // The second parameter may be a bare encoding, as in Solana's first releases.
    const options = typeof params[1] === 'string' ? { encoding: params[1] } : optionsParam(params, 1);
    const entry = call.ledger.history.get(stringParam(params, 0));
    if (entry === undefined || !viewAt(call, options.commitment).has(entry)) return null;
    const record = call.ledger.readTransaction(entry);
    return encodeTransaction(record, options.encoding, options.maxSupportedTransactionVersion);
  },

  getSignaturesForAddress: (call, params) => {
    const address = addressParam(params, 0);
    const options = optionsParam(params, 1);
    const limit = Math.min(toInteger(options.limit ?? MAX_SIGNATURES, 'limit'), MAX_SIGNATURES);
    const view = viewAt(call, options.commitment);
    const shown = call.ledger.history.forAddress(address).filter((entry) => view.has(entry));
    return listSignatures(call, shown, options, limit);
  },
};

/** Newest first: those older than `before` and newer than `until`. */
function listSignatures(
  call: RpcCall,
  entries: readonly HistoryEntry[],
  { before, until }: Readonly<Record<string, unknown>>,
  limit: number,
): Json {
  const { ledger } = call;
  const final = viewAt(call, 'finalized');
  const beforeSlot = typeof before === 'string' ? ledger.history.get(before)?.slot : undefined;
  const untilSlot = typeof until === 'string' ? ledger.history.get(until)?.slot : undefined;
  const listed: Json[] = [];
  for (let index = entries.length - 1; index >= 0 && listed.length < limit; index--) {
    const entry = entries[index];
    if (entry === undefined || (untilSlot !== undefined && entry.slot <= untilSlot)) break;
    if (beforeSlot !== undefined && entry.slot >= beforeSlot) continue;
    listed.push({
      signature: entry.signature,
      slot: entry.slot,
      err: entry.err,
      memo: null,
      blockTime: entry.blockTime,
      confirmationStatus: final.has(entry) ? 'finalized' : 'confirmed',
    });
  }
  return listed;
}
