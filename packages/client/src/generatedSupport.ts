import {
  type Account,
  type Address,
  createDecoder,
  createEncoder,
  type Decoder,
  decodeAccount as decodeAsKit,
  type EncodedAccount,
  type FixedSizeDecoder,
  type FixedSizeEncoder,
  getEnumDecoder as getEnumDecoderOfKit,
  getUtf8Encoder as getUtf8EncoderOfKit,
  type MaybeAccount,
  type MaybeEncodedAccount,
  type ProgramDerivedAddress,
  type ProgramDerivedAddressBump,
  type ReadonlyUint8Array,
  type VariableSizeEncoder,
} from '@solana/kit';
import { addressFromBytes, addressToBytes } from './accounts/base58.ts';
import { deriveProgramAddress } from './accounts/programAddress.ts';
import { concatenate, latin1 } from './bytes.ts';
import { remembering } from './remembering.ts';

// What generated code would take from kit, under the same names and with the same types. Kit copies bytes for every number it reads,
// takes twenty times as long for an address, and a hundred times as long to derive one; and every look at a ledger reads accounts.

const ADDRESS_BYTES = 32;
/** Derived addresses that are remembered: those of a thousand schedules and their tokens, some 2 MB. */
const REMEMBERED = 8_192;
const REMEMBERED_WORDS = 64;

const encoder: FixedSizeEncoder<Address, 32> = createEncoder({
  fixedSize: ADDRESS_BYTES,
  write(value: Address, bytes, offset) {
    bytes.set(addressToBytes(value), offset);
    return offset + ADDRESS_BYTES;
  },
});

const decoder: FixedSizeDecoder<Address, 32> = createDecoder({
  fixedSize: ADDRESS_BYTES,
  read(bytes, offset): [Address, number] {
    const end = offset + ADDRESS_BYTES;
    return [addressFromBytes(bytes.slice(offset, end) as Uint8Array), end];
  },
});

/** Writes an address as 32 bytes. Throws `INVALID_ADDRESS`. */
export const getAddressEncoder = (): FixedSizeEncoder<Address, 32> => encoder;

/** Reads an address from 32 bytes. */
export const getAddressDecoder = (): FixedSizeDecoder<Address, 32> => decoder;

let viewed: ReadonlyUint8Array = new Uint8Array(0);
let view = new DataView(viewed.buffer);

/** The last bytes' view is kept: an account has fifty numbers, and to make a view takes longer than to read by it. */
function viewOf(bytes: ReadonlyUint8Array): DataView {
  if (bytes !== viewed) {
    viewed = bytes;
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  return view;
}

function numberDecoder<T, Size extends number>(
  fixedSize: Size,
  read: (view: DataView, offset: number) => T,
): () => FixedSizeDecoder<T, Size> {
  const numbers: FixedSizeDecoder<T, Size> = createDecoder({
    fixedSize,
    // Throws a RangeError where the bytes end before the number does.
    read: (bytes, offset): [T, number] => [read(viewOf(bytes), offset), offset + fixedSize],
  });
  return () => numbers;
}

export const getU8Decoder: () => FixedSizeDecoder<number, 1> = numberDecoder(1, (bytes, at) => bytes.getUint8(at));
export const getU16Decoder: () => FixedSizeDecoder<number, 2> = numberDecoder(2, (bytes, at) =>
  bytes.getUint16(at, true),
);
export const getU32Decoder: () => FixedSizeDecoder<number, 4> = numberDecoder(4, (bytes, at) =>
  bytes.getUint32(at, true),
);
export const getU64Decoder: () => FixedSizeDecoder<bigint, 8> = numberDecoder(8, (bytes, at) =>
  bytes.getBigUint64(at, true),
);
export const getI64Decoder: () => FixedSizeDecoder<bigint, 8> = numberDecoder(8, (bytes, at) =>
  bytes.getBigInt64(at, true),
);

/** Reads an enum, as kit does; but its byte is not copied first. */
export const getEnumDecoder = ((members: Record<string, number | string>, config: object = {}) =>
  getEnumDecoderOfKit(members, { size: getU8Decoder(), ...config })) as typeof getEnumDecoderOfKit;

const utf8 = getUtf8EncoderOfKit();
const words = remembering<ReadonlyUint8Array<ArrayBuffer>>(REMEMBERED_WORDS);
const wordEncoder: VariableSizeEncoder<string> = { ...utf8, encode: (text) => words(text, () => utf8.encode(text)) };

/** Writes the words that seeds begin with, which are few: their bytes are remembered. */
export const getUtf8Encoder = (): VariableSizeEncoder<string> => wordEncoder;

const derived = remembering<ProgramDerivedAddress>(REMEMBERED);

/** Derives a program address from seeds of at most 32 bytes each, or remembers it. Throws `NO_ADDRESS`. */
export async function getProgramDerivedAddress(input: {
  readonly programAddress: Address;
  readonly seeds: readonly ArrayLike<number>[];
}): Promise<ProgramDerivedAddress> {
  const { programAddress } = input;
  const seeds = concatenate(input.seeds);
  // Where one seed ends and the next begins makes no difference to the address either.
  const name = `${programAddress} ${latin1(seeds)}`;
  return derived(name, () => {
    const { bytes, bump } = deriveProgramAddress(seeds, addressToBytes(programAddress));
    return [addressFromBytes(bytes) as ProgramDerivedAddress[0], bump as ProgramDerivedAddressBump];
  });
}

/** Reads an account, as kit does; but one without data is none: somebody has left lamports at its address before it was made. */
export function decodeAccount<TData extends object, TAddress extends string = string>(
  account: EncodedAccount<TAddress>,
  decoder: Decoder<TData>,
): Account<TData, TAddress>;
export function decodeAccount<TData extends object, TAddress extends string = string>(
  account: MaybeEncodedAccount<TAddress>,
  decoder: Decoder<TData>,
): MaybeAccount<TData, TAddress>;
export function decodeAccount<TData extends object, TAddress extends string = string>(
  account: EncodedAccount<TAddress> | MaybeEncodedAccount<TAddress>,
  decoder: Decoder<TData>,
): Account<TData, TAddress> | MaybeAccount<TData, TAddress> {
  if ('exists' in account && account.exists && account.data.length === 0) {
    return { address: account.address, exists: false };
  }
  return decodeAsKit(account as MaybeEncodedAccount<TAddress>, decoder);
}
