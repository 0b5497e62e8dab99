import { createHash } from 'node:crypto';
import {
  addressFromBytes,
  type BitmapSeed,
  getOpenBitmapInstructionDataDecoder,
  getOpenPagesInstructionDataDecoder,
  getOpenPersonalInstructionDataDecoder,
  OPEN_BITMAP_DISCRIMINATOR,
  OPEN_PAGES_DISCRIMINATOR,
  OPEN_PERSONAL_DISCRIMINATOR,
  type OpenBitmapInstructionData,
  PAGE_HEAD_BYTES,
  type PageSeed,
  PERMISSION_PROGRAM_ADDRESS,
  personalKey,
  personalNamed,
  SET_PERMISSIONS_DISCRIMINATOR,
  SLOT_BYTES,
} from '@payouts/client';
import { type AccountMeta, type Address, type Decoder, type Instruction, isWritableRole } from '@solana/kit';
import { bytesOf, derive, u32 } from './addresses.ts';
import { LEDGER_PROGRAM } from './programs.ts';

const bitmapDecoder = getOpenBitmapInstructionDataDecoder();
const pagesDecoder = getOpenPagesInstructionDataDecoder();
const personalDecoder = getOpenPersonalInstructionDataDecoder();
const BATCH = 2;
const FIRST_PAGE = 5;
const FIRST_PAIR = 6;
/** Accounts of `open_personal`. */
const [PAGE, PERSONAL, PERMISSION] = [2, 3, 6];
const SCHEDULE_IN_BATCH = 8;
const MINT_IN_BATCH = 40;
const WINDOW_IN_BATCH = 104;
const BITMAP_PAGES_IN_BATCH = 184;
const BITMAP_NONCE_IN_BATCH = 188;
const MINT_IN_PAGE = 8;
const NONCE_IN_PAGE = 40;

/** The bytes of an account, if it exists. */
type DataOf = (address: Address) => Uint8Array | undefined;

/**
 * Accounts that an instruction can sign for to have them created: pages whose address follows from seeds and bump, a personal account, and
 * permissions. The real Magic program sees by the signature what the double must be told.
 */
export function creatable(instruction: Instruction, dataOf: DataOf): Address[] {
  const { programAddress, data = new Uint8Array() } = instruction;
  if (programAddress !== LEDGER_PROGRAM) return [];
  const accounts = (instruction.accounts ?? []) as readonly AccountMeta[];
  switch (data[0]) {
    case OPEN_BITMAP_DISCRIMINATOR:
      return bitmapIn(accounts, decoded(bitmapDecoder, data), dataOf);
    case OPEN_PAGES_DISCRIMINATOR:
      return pagesIn(accounts, decoded(pagesDecoder, data)?.seeds ?? [], dataOf);
    case OPEN_PERSONAL_DISCRIMINATOR:
      return personalIn(accounts, data, dataOf);
    case SET_PERMISSIONS_DISCRIMINATOR:
      return permissionsIn(accounts.slice(FIRST_PAIR));
    default:
      return [];
  }
}

function pagesIn(accounts: readonly AccountMeta[], seeds: readonly PageSeed[], dataOf: DataOf): Address[] {
  const mint = bytesIn(accounts[BATCH], MINT_IN_BATCH, 32, dataOf);
  if (mint === undefined) return [];
  return signedIn(
    accounts,
    seeds.map((seed) => pageAddress(mint, seed)),
  );
}

function bitmapIn(
  accounts: readonly AccountMeta[],
  data: OpenBitmapInstructionData | undefined,
  dataOf: DataOf,
): Address[] {
  const batch = bytesIn(accounts[BATCH], 0, BITMAP_NONCE_IN_BATCH + 4, dataOf);
  if (data === undefined || batch === undefined) return [];
  const [schedule, window] = [at(batch, SCHEDULE_IN_BATCH, 32), at(batch, WINDOW_IN_BATCH, 8)];
  const [made, kept] = [at(batch, BITMAP_PAGES_IN_BATCH, 4), at(batch, BITMAP_NONCE_IN_BATCH, 4)];
  // The batch keeps the one that its first page was made with.
  const nonce = made.some((byte) => byte !== 0) ? kept : u32(data.nonce);
  return signedIn(
    accounts,
    data.seeds.map((seed) => bitmapAddress({ schedule, window, nonce }, seed)),
  );
}

/** Pages that are where their seeds say. */
function signedIn(accounts: readonly AccountMeta[], addresses: readonly Address[]): Address[] {
  const found = new Map<Address, boolean>();
  for (const [place, { address, role }] of accounts.slice(FIRST_PAGE).entries()) {
    const isSigned = isWritableRole(role) && addresses[place] === address;
    // One that is signed for in one place and passed in another as well would count as signed for there too.
    found.set(address, isSigned && found.get(address) !== false);
  }
  return [...found].filter(([, isSigned]) => isSigned).map(([address]) => address);
}

/** The personal account, and its permission where it is to be private. */
function personalIn(accounts: readonly AccountMeta[], data: ArrayLike<number>, dataOf: DataOf): Address[] {
  const terms = decoded(personalDecoder, data);
  const mint = bytesIn(accounts[PAGE], MINT_IN_PAGE, 32, dataOf);
  const [personal, permission] = [accounts[PERSONAL], accounts[PERMISSION]];
  if (terms === undefined || mint === undefined || personal === undefined || !isWritableRole(personal.role)) return [];
  const { number, slot, isPrivate } = terms;
  const nonce = bytesIn(accounts[PAGE], NONCE_IN_PAGE, 16, dataOf);
  // If it is another's, the program refuses.
  const owner = bytesIn(accounts[PAGE], PAGE_HEAD_BYTES + slot * SLOT_BYTES, 32, dataOf);
  if (nonce === undefined || owner === undefined) return [];
  const { address } = personalNamed(addressFromBytes(mint), personalKey(nonce, owner), number);
  if (address !== personal.address) return [];
  const isIts = permission !== undefined && isPrivate === 1 && permission.address === permissionOf(address);
  return isIts && isWritableRole(permission.role) ? [address, permission.address] : [address];
}

/** Those that stand where the permission program signs for them: behind the account whose they are. */
function permissionsIn(pairs: readonly AccountMeta[]): Address[] {
  return pairs.flatMap(({ address, role }, place) => {
    const subject = place % 2 === 1 ? pairs[place - 1] : undefined;
    const isIts = subject !== undefined && permissionOf(subject.address) === address;
    return isIts && isWritableRole(role) ? [address] : [];
  });
}

/** The account that says who may read another one. */
export function permissionOf(subject: Address): Address {
  return derive(PERMISSION_PROGRAM_ADDRESS, 'permission:', bytesOf(subject)).address;
}

const at = (bytes: Uint8Array, start: number, count: number) => bytes.subarray(start, start + count);

function bytesIn(account: AccountMeta | undefined, at: number, count: number, dataOf: DataOf): Uint8Array | undefined {
  const data = account && dataOf(account.address);
  return data === undefined || data.length < at + count ? undefined : data.slice(at, at + count);
}

/** The address that a making of pages signs for with a page's bump, on the curve or not. */
export function pageAddress(mint: Uint8Array, { nonce, bump }: Pick<PageSeed, 'nonce' | 'bump'>): Address {
  return addressAt(bump, Buffer.from('balances'), mint, nonce);
}

/** The same of a making of a bitmap. */
export function bitmapAddress(
  { schedule, window, nonce }: Readonly<Record<'schedule' | 'window' | 'nonce', Uint8Array>>,
  { number, bump }: Pick<BitmapSeed, 'number' | 'bump'>,
): Address {
  return addressAt(bump, Buffer.from('bitmap'), schedule, window, nonce, number);
}

function addressAt(bump: number, ...seeds: readonly ArrayLike<number>[]): Address {
  const end = Buffer.from('ProgramDerivedAddress');
  return addressFromBytes(sha256(...seeds, Uint8Array.of(bump), bytesOf(LEDGER_PROGRAM), end));
}

function decoded<T>(decoder: Decoder<T>, data: ArrayLike<number>): T | undefined {
  try {
    return decoder.decode(Uint8Array.from(data));
  } catch {
    return undefined;
  }
}

function sha256(...parts: readonly ArrayLike<number>[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(Uint8Array.from(part));
  return hash.digest();
}
