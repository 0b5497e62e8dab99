import type { HistoryEntry } from '../history.ts';
import type { Json } from '../json.ts';
import type { LocalLedger } from '../ledger.ts';
import { type RpcMethod, withContext } from './context.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { addressParam, optionsParam, stringListParam, stringParam, toInteger } from './params.ts';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1_000;

/** Methods that look up landed transactions. */
export const historyMethods: Readonly<Record<string, RpcMethod>> = {
  getSignatureStatuses: ({ ledger }, params) => {
    const statuses = stringListParam(params, 0, MAX_STATUSES).map((signature) => {
      const entry = ledger.history.get(signature);
      if (entry === undefined) return null;
      return {
        slot: entry.slot,
        confirmations: ledger.finality.isFinal(entry.at) ? null : 1,
        err: entry.err,
        status: entry.err === null ? { Ok: null } : { Err: entry.err },
        confirmationStatus: ledger.finality.isFinal(entry.at) ? 'finalized' : 'confirmed',
      };
    });
    return withContext(ledger, statuses);
  },

  getTransaction: ({ ledger }, params) => {
    // The second parameter may be a bare encoding, as in Solana's first releases.
    const options = typeof params[1] === 'string' ? { encoding: params[1] } : optionsParam(params, 1);
    const entry = ledger.history.get(stringParam(params, 0));
    if (entry === undefined || !isShown(ledger, entry, options.commitment)) return null;
    const record = ledger.readTransaction(entry);
    return encodeTransaction(record, options.encoding, options.maxSupportedTransactionVersion);
  },

  getSignaturesForAddress: ({ ledger }, params) => {
    const address = addressParam(params, 0);
    const options = optionsParam(params, 1);
    const limit = Math.min(toInteger(options.limit ?? MAX_SIGNATURES, 'limit'), MAX_SIGNATURES);
    const shown = ledger.history.forAddress(address).filter((entry) => isShown(ledger, entry, options.commitment));
    return listSignatures(ledger, shown, options, limit);
  },
};

/** Whether a transaction is there at a commitment. */
function isShown({ finality }: LocalLedger, { at }: HistoryEntry, commitment: unknown): boolean {
  return commitment === 'confirmed' || finality.isFinal(at);
}

/** Newest first: those older than `before` and newer than `until`. */
function listSignatures(
  ledger: LocalLedger,
  entries: readonly HistoryEntry[],
  { before, until }: Readonly<Record<string, unknown>>,
  limit: number,
): Json {
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
      confirmationStatus: ledger.finality.isFinal(entry.at) ? 'finalized' : 'confirmed',
    });
  }
  return listed;
}
