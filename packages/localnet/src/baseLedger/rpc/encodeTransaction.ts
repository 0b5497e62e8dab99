import { toBase58 } from '../base58.ts';
import type { Json } from '../json.ts';
import type { TransactionRecord } from '../records.ts';
import { type DecodedTransaction, decodeTransaction, isWritableStatic, lookupsOf } from '../transaction.ts';
import { invalidParams, RPC_CODE, RpcError } from './rpcError.ts';

/** A landed transaction as getTransaction answers it. */
export function encodeTransaction(record: TransactionRecord, encoding: unknown, maxVersion: unknown): Json {
  const transaction = decodeTransaction(Buffer.from(record.transaction, 'base64'));
  const { version } = transaction.message;
  if (version !== 'legacy' && maxVersion === undefined) {
    throw new RpcError(
      RPC_CODE.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return {
    slot: record.slot,
    blockTime: record.blockTime,
    transaction: encodeBody(record, transaction, encoding),
    meta: encodeMeta(record),
    version: maxVersion === undefined ? undefined : version,
  };
}

function encodeBody(record: TransactionRecord, transaction: DecodedTransaction, encoding: unknown): Json {
  switch (encoding) {
    case undefined:
    case 'json':
      return { signatures: transaction.signatures, message: jsonMessage(transaction) };
    case 'jsonParsed':
      return { signatures: transaction.signatures, message: parsedMessage(record, transaction) };
    case 'base64':
      return [record.transaction, 'base64'];
    case 'base58':
      return [toBase58(transaction.wire), 'base58'];
    default:
      throw invalidParams(`unknown encoding ${String(encoding)}`);
  }
}

function jsonMessage({ message, blockhash }: DecodedTransaction): Json {
  const { header } = message;
  return {
    accountKeys: message.staticAccounts,
    header: {
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      numRequiredSignatures: header.numSignerAccounts,
    },
    instructions: message.instructions.map((instruction) => ({
      accounts: instruction.accountIndices ?? [],
      data: toBase58(new Uint8Array(instruction.data ?? [])),
      programIdIndex: instruction.programAddressIndex,
      stackHeight: 1,
    })),
    recentBlockhash: blockhash,
    addressTableLookups: message.version === 'legacy' ? undefined : encodeLookups(message),
  };
}

/** Instructions are shown with addresses but not parsed further, as Solana does for programs it doesn't know. */
function parsedMessage(record: TransactionRecord, { message, blockhash }: DecodedTransaction): Json {
  const keys = record.accountKeys;
  const staticCount = message.staticAccounts.length;
  const lastLoadedWritable = staticCount + record.loadedAddresses.writable.length;
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: index < message.header.numSignerAccounts,
      source: index < staticCount ? 'transaction' : 'lookupTable',
      writable: index < staticCount ? isWritableStatic(message, index) : index < lastLoadedWritable,
    })),
    instructions: message.instructions.map((instruction) => ({
      accounts: (instruction.accountIndices ?? []).map((index) => keys[index] ?? null),
      data: toBase58(new Uint8Array(instruction.data ?? [])),
      programId: keys[instruction.programAddressIndex] ?? null,
      stackHeight: 1,
    })),
    recentBlockhash: blockhash,
    addressTableLookups: message.version === 'legacy' ? undefined : encodeLookups(message),
  };
}

function encodeLookups(message: DecodedTransaction['message']): Json {
  return lookupsOf(message).map((lookup) => ({
    accountKey: lookup.lookupTableAddress,
    readonlyIndexes: lookup.readonlyIndexes,
    writableIndexes: lookup.writableIndexes,
  }));
}

function encodeMeta(record: TransactionRecord): Json {
  // The record was read from JSON, so the error is in Solana's shape already.
  const err = record.err as Json;
  return {
    computeUnitsConsumed: record.computeUnitsConsumed,
    err,
    fee: BigInt(record.fee),
    innerInstructions: record.innerInstructions as unknown as Json,
    loadedAddresses: { readonly: record.loadedAddresses.readonly, writable: record.loadedAddresses.writable },
    logMessages: record.logMessages,
    postBalances: record.postBalances.map(BigInt),
    postTokenBalances: record.postTokenBalances as unknown as Json,
    preBalances: record.preBalances.map(BigInt),
    preTokenBalances: record.preTokenBalances as unknown as Json,
    returnData: encodeReturnData(record.returnData),
    rewards: [],
    status: err === null ? { Ok: null } : { Err: err },
  };
}

/** What a program returned, in Solana's JSON shape; left out when it returned nothing. */
export function encodeReturnData(returned: { programId: string; data: string } | null): Json | undefined {
  return returned === null ? undefined : { programId: returned.programId, data: [returned.data, 'base64'] };
}
