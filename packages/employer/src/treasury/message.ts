import {
  AccountRole,
  type Address,
  addDecoderSizePrefix,
  getAddressDecoder,
  getAddressEncoder,
  getArrayDecoder,
  getBytesDecoder,
  getStructDecoder,
  getU8Decoder,
  getU16Encoder,
  getU32Decoder,
  type Instruction,
  isSignerRole,
  isWritableRole,
  mergeBytes,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { Failure } from '../failure.ts';

/** What a vault is to sign, as a multisig keeps it: its accounts, the signers first, the written ones first of each, and its calls by their places. */
export type StoredMessage = {
  readonly signers: number;
  readonly writtenSigners: number;
  readonly writtenOthers: number;
  readonly keys: readonly Address[];
  readonly calls: readonly {
    readonly program: number;
    readonly accounts: readonly number[];
    readonly data: ReadonlyUint8Array;
  }[];
  readonly tables: number;
};

const bytes = addDecoderSizePrefix(getBytesDecoder(), getU32Decoder());

export const storedMessageDecoder = getStructDecoder([
  ['signers', getU8Decoder()],
  ['writtenSigners', getU8Decoder()],
  ['writtenOthers', getU8Decoder()],
  ['keys', getArrayDecoder(getAddressDecoder(), { size: getU32Decoder() })],
  [
    'calls',
    getArrayDecoder(
      getStructDecoder([
        ['program', getU8Decoder()],
        ['accounts', getArrayDecoder(getU8Decoder(), { size: getU32Decoder() })],
        ['data', bytes],
      ]),
      { size: getU32Decoder() },
    ),
  ],
  ['tables', getU32Decoder()],
]);

type Need = { signs: boolean; isWritten: boolean };

/** What all calls together need of each account, in the order in which they are first named; the vault pays, so it comes first. */
function needsOf(vault: Address, instructions: readonly Instruction[]): Map<Address, Need> {
  const needs = new Map<Address, Need>([[vault, { signs: true, isWritten: true }]]);
  const need = (address: Address): Need => {
    const known = needs.get(address) ?? { signs: false, isWritten: false };
    needs.set(address, known);
    return known;
  };
  for (const { programAddress, accounts = [] } of instructions) {
    need(programAddress);
    for (const { address, role } of accounts) {
      const known = need(address);
      known.signs ||= isSignerRole(role);
      known.isWritten ||= isWritableRole(role);
    }
  }
  return needs;
}

/** Bytes of data, and accounts, of a call at most: its lengths have two bytes and one. */
const MOST_BYTES = 65_535;
const MOST_ACCOUNTS = 255;

/**
 * Writes calls that a vault signs as `vault_transaction_create` takes them: lengths of one byte, of two for data, and no lookup table. Throws
 * `Failure` signed-by-others where somebody else than the vault must sign, too: whoever executes it has only their own key.
 */
export function messageBytes(vault: Address, instructions: readonly Instruction[]): Uint8Array {
  const needs = [...needsOf(vault, instructions)];
  const other = needs.find(([address, { signs }]) => signs && address !== vault);
  if (other !== undefined) {
    throw new Failure(
      'signed-by-others',
      `This takes a signature of ${other[0]}, too, and a treasury signs alone. Do it from a wallet of your own.`,
    );
  }
  const of = (signs: boolean, isWritten: boolean) =>
    needs.flatMap(([address, need]) => (need.signs === signs && need.isWritten === isWritten ? [address] : []));
  const written = of(false, true);
  const keys = [vault, ...written, ...of(false, false)];
  const places = new Map(keys.map((address, place) => [address, place]));
  const place = (address: Address): number => places.get(address) as number;
  const calls = instructions.map(({ programAddress, accounts = [], data = new Uint8Array(0) }) => {
    if (data.length > MOST_BYTES || accounts.length > MOST_ACCOUNTS) throw new RangeError('the call is too large');
    return joined(
      [place(programAddress), accounts.length],
      accounts.map(({ address }) => place(address)),
      getU16Encoder().encode(data.length),
      data,
    );
  });
  return joined(
    [1, 1, written.length, keys.length],
    ...keys.map((address) => getAddressEncoder().encode(address)),
    [calls.length],
    ...calls,
    [0],
  );
}

const joined = (...parts: readonly (ReadonlyUint8Array | readonly number[])[]): Uint8Array =>
  mergeBytes(parts.map((part) => Uint8Array.from(part)));

/** What a message needs of the account at a place. */
export function roleAt({ signers, writtenSigners, writtenOthers }: StoredMessage, place: number): AccountRole {
  if (place < signers) return place < writtenSigners ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return place - signers < writtenOthers ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** The calls of a message. Throws `Failure` proposal-unreadable where they name accounts that are not in it. */
export function instructionsOf(message: StoredMessage): Instruction[] {
  const at = (place: number): Address => {
    const address = message.keys[place];
    if (address === undefined || message.tables > 0) {
      throw new Failure(
        'proposal-unreadable',
        "Its accounts are not all in it, so it can't be shown. Don't approve what you can't read.",
      );
    }
    return address;
  };
  return message.calls.map(({ program, accounts, data }) => ({
    programAddress: at(program),
    accounts: accounts.map((place) => ({ address: at(place), role: roleAt(message, place) })),
    data,
  }));
}
