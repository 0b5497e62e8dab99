import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
} from '@solana/kit';
import type { AccountState } from './account.ts';
import { toAddress, toBase58 } from './base58.ts';

const SIGNATURE_BYTES = 64;
/** An address lookup table's addresses begin after its metadata. */
const LOOKUP_TABLE_META_BYTES = 56;

const messageDecoder = getCompiledTransactionMessageDecoder();

type SupportedMessage = Extract<CompiledTransactionMessage, { version: 'legacy' | 0 }> &
  CompiledTransactionMessageWithLifetime;

/** A transaction as it came over the wire, taken apart. */
export interface DecodedTransaction {
  readonly wire: Uint8Array;
  /** base58 */
  readonly signatures: readonly string[];
  /** The first signature, which names the transaction; base58. */
  readonly signature: string;
  readonly message: SupportedMessage;
  readonly blockhash: string;
}

/** Every account a transaction names, in the order its instructions count them. */
export interface TransactionKeys {
  readonly keys: readonly Address[];
  /** Whether the key of the same index may be written. */
  readonly writable: readonly boolean[];
  readonly loadedWritable: readonly Address[];
  readonly loadedReadonly: readonly Address[];
}

/** Takes a transaction apart; throws a sentence when the bytes are none. */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  const count = wire[0] ?? 0;
  const messageStart = 1 + count * SIGNATURE_BYTES;
  // Counts above 127 would take a second length byte; a transaction of 1,232 bytes has no room for so many.
  if (count === 0 || count > 127 || wire.length <= messageStart) {
    throw new Error('the bytes do not hold a signed transaction');
  }
  const signatures = Array.from({ length: count }, (_, index) =>
    toBase58(wire.subarray(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES)),
  );
  const message = decodeMessage(wire.subarray(messageStart));
  if (message.header.numSignerAccounts !== count) {
    throw new Error(`${count} signatures for ${message.header.numSignerAccounts} signers`);
  }
  return { wire, signatures, signature: signatures[0] ?? '', message, blockhash: message.lifetimeToken };
}

/** Decodes a message of a version that the ledger runs. */
export function decodeMessage(bytes: Uint8Array): SupportedMessage {
  const message = messageDecoder.decode(bytes);
  if (message.version !== 'legacy' && message.version !== 0) {
    throw new Error(`transaction version ${message.version} is not supported`);
  }
  return message as SupportedMessage;
}

/** Lists a transaction's accounts, reading lookup tables through `getAccount`; what a table lacks is left out. */
export function resolveKeys(
  message: SupportedMessage,
  getAccount: (address: Address) => AccountState | null,
): TransactionKeys {
  const statics = message.staticAccounts;
  const writable = statics.map((_, index) => isWritableStatic(message, index));
  const loadedWritable: Address[] = [];
  const loadedReadonly: Address[] = [];
  for (const lookup of lookupsOf(message)) {
    const table = getAccount(lookup.lookupTableAddress)?.data;
    if (table === undefined) continue;
    loadedWritable.push(...tableEntries(table, lookup.writableIndexes));
    loadedReadonly.push(...tableEntries(table, lookup.readonlyIndexes));
  }
  return {
    keys: [...statics, ...loadedWritable, ...loadedReadonly],
    writable: [...writable, ...loadedWritable.map(() => true), ...loadedReadonly.map(() => false)],
    loadedWritable,
    loadedReadonly,
  };
}

/** Whether one of the accounts that a message itself lists may be written. */
export function isWritableStatic({ header, staticAccounts }: SupportedMessage, index: number): boolean {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  if (index < numSignerAccounts) return index < numSignerAccounts - numReadonlySignerAccounts;
  return index < staticAccounts.length - numReadonlyNonSignerAccounts;
}

/** The message's lookups; a legacy message has none. */
export function lookupsOf(message: SupportedMessage) {
  return message.version === 'legacy' ? [] : (message.addressTableLookups ?? []);
}

function tableEntries(table: Uint8Array, indexes: readonly number[]): Address[] {
  return indexes.flatMap((index) => {
    const start = LOOKUP_TABLE_META_BYTES + index * 32;
    return start + 32 <= table.length ? [toAddress(table.subarray(start, start + 32))] : [];
  });
}
