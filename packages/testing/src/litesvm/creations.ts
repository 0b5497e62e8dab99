import { createHash } from 'node:crypto';
import {
  addressFromBytes,
  getOpenPagesInstructionDataDecoder,
  getOpenPersonalInstructionDataDecoder,
  OPEN_PAGES_DISCRIMINATOR,
  OPEN_PERSONAL_DISCRIMINATOR,
  type PageSeed,
  PERMISSION_PROGRAM_ADDRESS,
  SET_PERMISSIONS_DISCRIMINATOR,
} from '@payouts/client';
import { type AccountMeta, type Address, type Decoder, type Instruction, isWritableRole } from '@solana/kit';
import { bytesOf, derive } from './addresses.ts';
import { LEDGER_PROGRAM } from './programs.ts';

const pagesDecoder = getOpenPagesInstructionDataDecoder();
const personalDecoder = getOpenPersonalInstructionDataDecoder();
const BATCH = 2;
const FIRST_PAGE = 5;
const FIRST_PAIR = 6;
/** Accounts of `open_personal`. */
const [PAGE, PERSONAL, PERMISSION] = [2, 3, 6];
const MINT_IN_BATCH = 40;
const MINT_IN_PAGE = 8;

/** The bytes of an account, if it exists. */
type DataOf = (address: Address) => Uint8Array | undefined;

/**
 * Accounts that an instruction can sign for to have them created: pages whose address follows from nonce and bump, a personal account, and
 * permissions. The real Magic program sees by the signature what the double must be told.
 */
export function creatable(instruction: Instruction, dataOf: DataOf): Address[] {
  const { programAddress, data = new Uint8Array() } = instruction;
  if (programAddress !== LEDGER_PROGRAM) return [];
  const accounts = (instruction.accounts ?? []) as readonly AccountMeta[];
  switch (data[0]) {
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
  const mint = mintIn(accounts[BATCH], MINT_IN_BATCH, dataOf);
  if (mint === undefined) return [];
  const found = new Map<Address, boolean>();
  for (const [place, { address, role }] of accounts.slice(FIRST_PAGE).entries()) {
    const seed = seeds[place];
    const isSigned = seed !== undefined && isWritableRole(role) && pageAddress(mint, seed) === address;
    // One that is signed for in one place and passed in another as well would count as signed for there too.
    found.set(address, isSigned && found.get(address) !== false);
  }
  return [...found].filter(([, isSigned]) => isSigned).map(([address]) => address);
}

/** The personal account, and its permission where it is to be private. */
function personalIn(accounts: readonly AccountMeta[], data: ArrayLike<number>, dataOf: DataOf): Address[] {
  const terms = decoded(personalDecoder, data);
  const mint = mintIn(accounts[PAGE], MINT_IN_PAGE, dataOf);
  const [personal, permission] = [accounts[PERSONAL], accounts[PERMISSION]];
  if (terms === undefined || mint === undefined || personal === undefined || !isWritableRole(personal.role)) return [];
  const { nonce, isPrivate } = terms;
  const { address } = derive(LEDGER_PROGRAM, 'personal', mint, Uint8Array.from(nonce));
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

function mintIn(account: AccountMeta | undefined, at: number, dataOf: DataOf): Uint8Array | undefined {
  const data = account && dataOf(account.address);
  return data === undefined || data.length < at + 32 ? undefined : data.slice(at, at + 32);
}

/** The address that a making of pages signs for with a page's bump, on the curve or not. */
export function pageAddress(mint: Uint8Array, { nonce, bump }: Pick<PageSeed, 'nonce' | 'bump'>): Address {
  const program = bytesOf(LEDGER_PROGRAM);
  return addressFromBytes(
    sha256(Buffer.from('balances'), mint, nonce, Uint8Array.of(bump), program, Buffer.from('ProgramDerivedAddress')),
  );
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
