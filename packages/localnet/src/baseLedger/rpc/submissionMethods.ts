import type { Address } from '@solana/kit';
import type { TransactionResult } from '../bank.ts';
import { isObject, type Json } from '../json.ts';
import type { LocalLedger } from '../ledger.ts';
import { type DecodedTransaction, decodeMessage, decodeTransaction } from '../transaction.ts';
import { describeTransactionError, type TransactionErrorJson } from '../transactionErrors.ts';
import { type RpcCall, type RpcMethod, viewAt, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { encodeReturnData } from './encodeTransaction.ts';
import {
  addressParam,
  decodeBytes,
  integerParam,
  optionsParam,
  type Params,
  stringParam,
  toAddressParam,
} from './params.ts';
import { invalidParams, RPC_CODE, RpcError } from './rpcError.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;

/** Methods that run transactions. */
export const submissionMethods: Readonly<Record<string, RpcMethod>> = {
  sendTransaction: (call, params) => {
    const options = optionsParam(params, 1);
    const transaction = transactionParam(params, options);
    if (options.skipPreflight !== true) preflight(call, transaction, options.preflightCommitment);
    // As on a cluster, a transaction sent without preflight is answered by its signature even when it can't land.
    const outcome = call.cluster.send(transaction);
    if (outcome?.landed === false && outcome.err === 'SignatureFailure') throw signatureFailure();
    return transaction.signature;
  },

  simulateTransaction: (call, params) => {
    const { ledger } = call;
    const options = optionsParam(params, 1);
    const transaction = transactionParam(params, options);
    const replace = options.replaceRecentBlockhash === true;
    const verify = options.sigVerify === true;
    if (replace && verify) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const view = viewAt(call, options.commitment);
    const refusal = view.precheck(transaction);
    if (refusal !== null && !(replace && refusal === 'BlockhashNotFound')) {
      return withContext(view, { ...refused(refusal), accounts: null });
    }
    const execution = ledger.bank.simulate(transaction.wire, verify);
    if (execution.err === 'SignatureFailure') throw signatureFailure();
    return withContext(view, {
      ...simulated(execution),
      accounts: simulatedAccounts(ledger, execution, options.accounts),
      innerInstructions: options.innerInstructions === true ? (execution.innerInstructions as unknown as Json) : null,
      replacementBlockhash: replace
        ? { blockhash: view.blockhash, lastValidBlockHeight: view.lastValidBlockHeight }
        : null,
    });
  },

  getFeeForMessage: (call, params) => {
    const view = viewAt(call, optionsParam(params, 1).commitment);
    const bytes = decodeBytes(stringParam(params, 0), 'base64');
    const message = tryDecode(() => decodeMessage(bytes));
    if (!view.takes(message.lifetimeToken)) return withContext(view, null);
    const signers = message.header.numSignerAccounts;
    // Simulated with empty signatures, because litesvm alone knows what it will charge for priority.
    const wire = Buffer.concat([Uint8Array.of(signers), Buffer.alloc(signers * 64), bytes]);
    const { fee } = call.ledger.bank.simulate(wire, false);
    return withContext(view, fee > 0n ? fee : LAMPORTS_PER_SIGNATURE * BigInt(signers));
  },

  requestAirdrop: async ({ ledger, faucet }, params) => {
    const transaction = await faucet.transfer(
      addressParam(params, 0),
      BigInt(integerParam(params, 1)),
      ledger.blockhashes.latest,
    );
    const outcome = ledger.process(transaction);
    const err = outcome.landed ? outcome.record.err : outcome.err;
    if (err !== null) {
      throw new RpcError(
        RPC_CODE.internalError,
        `airdrop failed: ${describeTransactionError(err as TransactionErrorJson)}`,
      );
    }
    return transaction.signature;
  },
};

function transactionParam(params: Params, options: Record<string, unknown>): DecodedTransaction {
  const encoding = options.encoding ?? 'base58';
  if (encoding !== 'base58' && encoding !== 'base64') throw invalidParams(`unknown encoding ${String(encoding)}`);
  const wire = decodeBytes(stringParam(params, 0), encoding);
  return tryDecode(() => decodeTransaction(wire));
}

function tryDecode<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw invalidParams(`failed to deserialize: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Runs a transaction without keeping it, and refuses it in Solana's words when it would fail. Accounts are the newest: litesvm has no
 * others.
 */
function preflight(call: RpcCall, transaction: DecodedTransaction, commitment: unknown): void {
  const refusal = viewAt(call, commitment).precheck(transaction);
  if (refusal !== null) throw preflightFailure(refusal, refused(refusal));
  const execution = call.ledger.bank.simulate(transaction.wire, true);
  if (execution.err === 'SignatureFailure') throw signatureFailure();
  if (execution.err !== null) throw preflightFailure(execution.err, simulated(execution));
}

function preflightFailure(err: TransactionErrorJson, data: Record<string, Json | undefined>): RpcError {
  return new RpcError(RPC_CODE.preflightFailure, `Transaction simulation failed: ${describeTransactionError(err)}`, {
    accounts: null,
    innerInstructions: null,
    replacementBlockhash: null,
    ...data,
  });
}

function signatureFailure(): RpcError {
  return new RpcError(RPC_CODE.signatureVerificationFailure, 'Transaction signature verification failure');
}

function refused(err: TransactionErrorJson): Record<string, Json | undefined> {
  return { err, logs: [], returnData: null, unitsConsumed: 0, loadedAccountsDataSize: 0 };
}

function simulated(execution: TransactionResult): Record<string, Json | undefined> {
  return {
    err: execution.err,
    logs: execution.logs,
    returnData: encodeReturnData(execution.returnData) ?? null,
    unitsConsumed: execution.unitsConsumed,
    loadedAccountsDataSize: 0,
    fee: execution.fee,
  };
}

/** The accounts a simulation was asked for, as they would stand afterwards. */
function simulatedAccounts(ledger: LocalLedger, execution: TransactionResult, wanted: unknown): Json {
  if (!isObject(wanted) || !Array.isArray(wanted.addresses)) return null;
  const format = accountFormat(wanted, 'base64');
  const after = new Map<Address, TransactionResult['postAccounts'][number]>(
    execution.postAccounts.map((account) => [account.address, account]),
  );
  return wanted.addresses.map((text) => {
    const address = toAddressParam(text);
    const account = after.get(address) ?? ledger.bank.getAccount(address);
    return account === null ? null : encodeAccount(ledger, account, format);
  });
}
