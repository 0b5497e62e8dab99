import { createHash } from 'node:crypto';
import {
  addressFromBytes,
  CLAIM_PAYMENT_DISCRIMINATOR,
  type ClaimEntry,
  getClaimPaymentInstructionDataDecoder,
  NAME_RECOVERY_DISCRIMINATOR,
  PERMISSION_PROGRAM_ADDRESS,
  SET_PERMISSIONS_DISCRIMINATOR,
} from '@payouts/client';
import { type AccountMeta, type Address, type Instruction, isWritableRole } from '@solana/kit';
import { bytesOf, derive } from './addresses.ts';
import { LEDGER_PROGRAM } from './programs.ts';

const claimDecoder = getClaimPaymentInstructionDataDecoder();
const BATCH = 2;
const FIRST_BALANCE = 5;
const FIRST_PAIR = 6;
const MINT_IN_BATCH = 40;

/**
 * Accounts that an instruction can sign for to have them created: a claim's balances whose address follows from the entry and its
 * bump, a recovery account, and permissions. The real Magic program sees by the signature what the double must be told.
 */
export function creatable(instruction: Instruction, dataOf: (address: Address) => Uint8Array | undefined): Address[] {
  const { programAddress, accounts = [], data = new Uint8Array() } = instruction;
  if (programAddress !== LEDGER_PROGRAM) return [];
  if (data[0] === SET_PERMISSIONS_DISCRIMINATOR)
    return permissionsIn((accounts as readonly AccountMeta[]).slice(FIRST_PAIR));
  if (data[0] === NAME_RECOVERY_DISCRIMINATOR) return recoveryIn(accounts as readonly AccountMeta[]);
  if (data[0] !== CLAIM_PAYMENT_DISCRIMINATOR) return [];
  const batch = dataOf((accounts[BATCH] as AccountMeta | undefined)?.address ?? LEDGER_PROGRAM);
  const entries = entriesIn(data);
  if (batch === undefined || entries === undefined) return [];
  const mint = batch.subarray(MINT_IN_BATCH, MINT_IN_BATCH + 32);
  const found = new Map<Address, boolean>();
  for (const [place, { address, role }] of (accounts as readonly AccountMeta[]).slice(FIRST_BALANCE).entries()) {
    const entry = entries[place];
    const isSigned = entry !== undefined && isWritableRole(role) && balanceAddress(mint, entry) === address;
    // One that is signed for in one place and passed in another as well would count as signed for there too.
    found.set(address, isSigned && found.get(address) !== false);
  }
  return [...found].filter(([, isSigned]) => isSigned).map(([address]) => address);
}

/** The recovery account of the balance before it. */
function recoveryIn([, balance, recovery]: readonly AccountMeta[]): Address[] {
  if (balance === undefined || recovery === undefined || !isWritableRole(recovery.role)) return [];
  const isIts = derive(LEDGER_PROGRAM, 'recovery', bytesOf(balance.address)).address === recovery.address;
  return isIts ? [recovery.address] : [];
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

/** The address that a claim signs for with an entry's bump, on the curve or not. */
function balanceAddress(mint: Uint8Array, { recipient, salt, bump }: ClaimEntry): Address {
  const seed = sha256(Uint8Array.of(2), mint, bytesOf(recipient), salt);
  const program = bytesOf(LEDGER_PROGRAM);
  return addressFromBytes(
    sha256(Buffer.from('balance'), seed, Uint8Array.of(bump), program, Buffer.from('ProgramDerivedAddress')),
  );
}

function entriesIn(data: ArrayLike<number>) {
  try {
    return claimDecoder.decode(Uint8Array.from(data)).entries;
  } catch {
    return undefined;
  }
}

function sha256(...parts: readonly ArrayLike<number>[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(Uint8Array.from(part));
  return hash.digest();
}
