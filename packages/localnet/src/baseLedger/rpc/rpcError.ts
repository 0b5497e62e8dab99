import type { Json } from '../json.ts';

/** Error codes of JSON-RPC and of Solana's RPC. */
export const RPC_CODE = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  preflightFailure: -32_002,
  signatureVerificationFailure: -32_003,
  blockNotAvailable: -32_004,
  historyNotAvailable: -32_011,
  unsupportedTransactionVersion: -32_015,
  minContextSlotNotReached: -32_016,
} as const;

/** An error as it is answered over JSON-RPC. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
  }
}

/** The error for parameters that don't fit the method. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODE.invalidParams, `Invalid params: ${message}`);
}
