import type { Address, TransactionPartialSigner } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { deriveProgramAddress } from '../accounts/programAddress.ts';
import { EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate } from '../bytes.ts';
import { getSetPermissionsInstructionDataEncoder } from '../generated/index.ts';
import { HASH_BYTES } from '../merkle/hash.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { buildLayerTransaction } from './layerTransaction.ts';
import type { KeyedInstruction } from './legacyMessage.ts';

/** Permissions that one transaction can set: the layer's trace holds 64 instructions, and each takes two. */
export const MAX_PERMISSIONS_PER_TRANSACTION = 30;

const PREFIX = new TextEncoder().encode('permission:');
const PROGRAM = addressToBytes(PERMISSION_PROGRAM_ADDRESS);
/** Where a permission has its account; EphemeralPermission of ephemeral-rollups-pinocchio 0.17. */
const ACCOUNT_AT = 2;
/** Where a permission's members begin, and bytes of each: flags u8, address 32. */
const MEMBERS_AT = 35;
const MEMBER_BYTES = 33;
/** What the ledger program lets the execution authority see: logs, balances, message and signatures, and no change of who reads. */
const READER_FLAGS = 0b11110;
/** Members of a permission: the permission program's own first one, and the execution authority. */
const MEMBERS = 2;
const ACCOUNT_OVERHEAD_BYTES = 60;
const LAYER_LAMPORTS_PER_BYTE = 32;

/** The account that says who may read another one, at once. */
export function derivePermissionAddress(permissioned: Address): Address {
  const seeds = concatenate([PREFIX, addressToBytes(permissioned)]);
  return addressFromBytes(deriveProgramAddress(seeds, PROGRAM).bytes);
}

/** Lamports that a batch must hold so that it can pay for its own read permission and those of so many pages. */
export function permissionRent(pages: number): bigint {
  const each = LAYER_LAMPORTS_PER_BYTE * (MEMBERS_AT + MEMBERS * MEMBER_BYTES + ACCOUNT_OVERHEAD_BYTES);
  return BigInt(pages + 1) * BigInt(each);
}

/** What the bytes of a read permission say. */
export type ReadPermission = {
  /** Whose permission it is. */
  readonly account: Address;
  /** Who may read that beside whoever is its own member. */
  readonly readers: Address[];
  /** It has one reader with what the ledger program lets an execution authority see, as every one that the program sets. Others may look so, too. */
  readonly isOfPayouts: boolean;
};

/** Reads a read permission's bytes. */
export function readPermission(permission: Uint8Array): ReadPermission {
  const readers: Address[] = [];
  for (let at = MEMBERS_AT + MEMBER_BYTES; at + MEMBER_BYTES <= permission.length; at += MEMBER_BYTES) {
    readers.push(addressFromBytes(permission.subarray(at + 1, at + MEMBER_BYTES)));
  }
  const account = addressFromBytes(permission.subarray(ACCOUNT_AT, ACCOUNT_AT + HASH_BYTES));
  const isOfPayouts = readers.length === 1 && permission[MEMBERS_AT + MEMBER_BYTES] === READER_FLAGS;
  return { account, readers, isOfPayouts };
}

/** Whether the bytes of a read permission name somebody as a reader. */
export const namesReader = (permission: Uint8Array, reader: Address): boolean =>
  readPermission(permission).readers.includes(reader);

/**
 * The setting of read permissions of a batch, of pages or of personal accounts, paid by an open window's batch, and the keys that its message
 * needs.
 */
export function permissionsInstruction(input: {
  readonly authority: Address;
  readonly config: Address;
  readonly batch: Address;
  readonly subjects: readonly Address[];
  readonly program: Address;
}): KeyedInstruction {
  const { authority, config, batch, subjects, program } = input;
  const permissions = subjects.map(derivePermissionAddress);
  return {
    program,
    accounts: [
      ...[authority, config, batch, PERMISSION_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS],
      ...subjects.flatMap((subject, place) => [subject, permissions[place] as Address]),
    ],
    data: getSetPermissionsInstructionDataEncoder().encode({}) as Uint8Array,
    writable: [batch, EPHEMERAL_VAULT_ADDRESS, ...permissions],
    readonly: [config, PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, ...subjects],
  };
}

/** Input of `buildPermissionTransaction`: at most 30 permissions. */
export type PermissionTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  /** Of an open window; pays the rent. */
  readonly batch: Address;
  /** The batch itself, pages and personal accounts of its token. */
  readonly subjects: readonly Address[];
  readonly lifetime: Lifetime;
  readonly programAddress: Address;
  /** Compute units. */
  readonly computeUnitLimit: number;
};

/**
 * Builds and signs the setting of read permissions, for an execution layer that has them. What is set already stays. Throws
 * `TRANSACTION_TOO_LARGE` or `SIGNATURE_MISSING`.
 */
export function buildPermissionTransaction(input: PermissionTransactionInput): Promise<SignedTransaction> {
  const { authority, config, batch, subjects, lifetime, computeUnitLimit, programAddress: program } = input;
  const setting = permissionsInstruction({ authority: authority.address, config, batch, subjects, program });
  return buildLayerTransaction(authority, { instructions: [setting], lifetime, computeUnitLimit });
}
