import {
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
} from '@solana/kit';
import type { Ledger, SendAnswer } from './ledger.ts';
import { RpcFailure } from './rpcCall.ts';

/** Errors by which a node says that it has looked at a transaction and passes it on to nobody. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE, 'PreflightFailure'],
  [SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE, 'VerificationFailure'],
  [SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE, 'VerificationFailure'],
  [SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION, 'UnsupportedVersion'],
  [SOLANA_ERROR__JSON_RPC__INVALID_PARAMS, 'InvalidParams'],
]);
const ALREADY_PROCESSED = /already been processed/;
const UNKNOWN_BLOCKHASH = /Blockhash not found/;
/** The layer follows a transaction's accounts on the base ledger first, and says so when that took too long: it has not looked at the bytes. */
const TIMED_OUT = /timed out/i;

type Simulated = { readonly err?: unknown; readonly logs?: readonly string[] | null };

/**
 * What the error of a send says about its bytes; undefined: nothing. A node that is behind, too busy, or doesn't answer may have
 * passed them on all the same. Neither does a base node that does not know their blockhash yet say anything: another one may.
 */
export function sendAnswerOf(error: unknown, ledger: Ledger['name']): SendAnswer | undefined {
  if (!(error instanceof RpcFailure)) return undefined;
  const { code, said, data } = error;
  const name = REFUSALS.get(code);
  if (name === undefined || (name === 'VerificationFailure' && TIMED_OUT.test(said))) return undefined;
  if (ALREADY_PROCESSED.test(said)) return { kind: 'duplicate' };
  const isBlockhashUnknown = UNKNOWN_BLOCKHASH.test(said);
  if (isBlockhashUnknown && ledger === 'base') return undefined;
  const { err, logs } = (data ?? {}) as Simulated;
  return { kind: 'refused', err: err ?? (isBlockhashUnknown ? 'BlockhashNotFound' : name), logs: logs ?? [] };
}
