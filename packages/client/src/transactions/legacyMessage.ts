import { type Address, type Instruction, isSignerRole, isWritableRole } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { concatenate } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';

/** A message's account keys are numbered by one byte. */
export const MAX_KEYS = 256;
/** The runtime numbers an instruction's accounts by one byte, of which one value means "not a duplicate". */
export const MAX_INSTRUCTION_ACCOUNTS = 255;

/** An instruction whose accounts all stand in the message's keys. */
export type RawInstruction = {
  readonly program: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

/** An instruction, and the keys that its message needs for it beside the signer's. */
export type KeyedInstruction = RawInstruction & {
  readonly writable: readonly Address[];
  readonly readonly: readonly Address[];
};

/** An instruction whose only signer is the message's. */
export function keyed({ programAddress, accounts = [], data = new Uint8Array() }: Instruction): KeyedInstruction {
  const unsigned = accounts.filter(({ role }) => !isSignerRole(role));
  const addresses = (isWritable: boolean) =>
    unsigned.filter(({ role }) => isWritableRole(role) === isWritable).map(({ address }) => address);
  return {
    program: programAddress,
    accounts: accounts.map(({ address }) => address),
    data: data as Uint8Array,
    writable: addresses(true),
    readonly: addresses(false),
  };
}

/** A message's keys in the order in which they are numbered; addresses may be repeated, and the first place counts. */
export type LegacyMessage = {
  /** Writable; the first one pays. */
  readonly signers: readonly Address[];
  readonly readonlySigners?: readonly Address[];
  readonly writable: readonly Address[];
  readonly readonly: readonly Address[];
  readonly blockhash: string;
  readonly instructions: readonly RawInstruction[];
};

/** A length in the ledger's compact form: seven bits a byte, least significant first. */
function compactLength(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...compactLength(value >> 7)];
}

/**
 * Compiles a legacy message by hand: kit's compiler stops at 64 accounts, puts programs last, and takes half a millisecond. Throws
 * `TRANSACTION_TOO_LARGE`.
 *
 * Layout: https://solana.com/docs/core/transactions#message-header
 */
export function compileLegacyMessage(message: LegacyMessage): Uint8Array {
  const keys = new Map<Address, number>();
  const add = (addresses: readonly Address[]): number => {
    const before = keys.size;
    for (const address of addresses) if (!keys.has(address)) keys.set(address, keys.size);
    return keys.size - before;
  };
  const signers = add(message.signers);
  const readonlySigners = add(message.readonlySigners ?? []);
  add(message.writable);
  const readonlyKeys = add(message.readonly);
  if (keys.size > MAX_KEYS) {
    throw new ClientError('TRANSACTION_TOO_LARGE', `The message has ${keys.size} keys; ${MAX_KEYS} is the limit.`);
  }
  const keyOf = (address: Address): number => {
    const key = keys.get(address);
    if (key === undefined) throw new ClientError('INVALID_ADDRESS', 'An instruction names an account without a key.');
    return key;
  };
  const parts: (Uint8Array | number[])[] = [
    [signers + readonlySigners, readonlySigners, readonlyKeys],
    compactLength(keys.size),
    ...Array.from(keys.keys(), addressToBytes),
    addressToBytes(message.blockhash),
    compactLength(message.instructions.length),
  ];
  for (const { program, accounts, data } of message.instructions) {
    if (accounts.length > MAX_INSTRUCTION_ACCOUNTS) {
      throw new ClientError(
        'TRANSACTION_TOO_LARGE',
        `An instruction has ${accounts.length} accounts; 255 is the limit.`,
      );
    }
    parts.push([keyOf(program)], compactLength(accounts.length), accounts.map(keyOf), compactLength(data.length), data);
  }
  return concatenate(parts);
}
