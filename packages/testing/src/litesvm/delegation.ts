import { addressFromBytes, DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import { type AccountMeta, AccountRole, type Address, type Instruction } from '@solana/kit';
import { bytesOf, derive, u64 } from './addresses.ts';
import { LEDGER_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';

/**
 * The delegation program's part that the validator plays, byte for byte as the ephemeral validator 0.14.10 sends it (compared with
 * its base transactions; layouts in the crate magicblock-delegation-program-api 0.1.1).
 */
const COMMIT_FINALIZE = 21n;
const UNDELEGATE = 3n;
const CALL_HANDLER_V2 = 20n;

const ofAccount = (tag: string, account: Address) => derive(DELEGATION_PROGRAM_ADDRESS, tag, bytesOf(account));
const recordOf = (account: Address) => ofAccount('delegation', account);
const metadataOf = (account: Address) => ofAccount('delegation-metadata', account);

/** What `delegate` needs beside the account: addresses that belong to it. */
export function delegationAccounts(account: Address) {
  return {
    buffer: derive(LEDGER_PROGRAM, 'buffer', bytesOf(account)).address,
    delegationRecord: recordOf(account).address,
    delegationMetadata: metadataOf(account).address,
  };
}

/** Every address that belongs to an account's delegation: what is created for it on its way out and back. */
export function addressesOfDelegation(account: Address): Address[] {
  const ofReturn = ['undelegate-buffer', 'state-diff', 'commit-state-record', 'undelegation-request'];
  return [...Object.values(delegationAccounts(account)), ...ofReturn.map((tag) => ofAccount(tag, account).address)];
}

/** Accounts that the delegation program must have before a validator may act: they are created when it registers. */
export function registrationOf(validator: Address): Address[] {
  return [validatorFees(validator).address, protocolFees.address];
}

const validatorFees = (validator: Address) => ofAccount('v-fees-vault', validator);
const protocolFees = derive(DELEGATION_PROGRAM_ADDRESS, 'fees-vault');

/** The escrow that pays for an authority's base actions. */
export function escrowOf(authority: Address, index = 0): Address {
  return derive(DELEGATION_PROGRAM_ADDRESS, 'balance', bytesOf(authority), Uint8Array.of(index)).address;
}

/** The buffer that signs the ledger program's undelegation callback. */
export function undelegationBufferOf(account: Address): Address {
  return ofAccount('undelegate-buffer', account).address;
}

const meta = (address: Address, role: AccountRole): AccountMeta => ({ address, role });
const { READONLY, WRITABLE, WRITABLE_SIGNER } = AccountRole;

const instruction = (accounts: AccountMeta[], ...data: Uint8Array[]): Instruction => ({
  programAddress: DELEGATION_PROGRAM_ADDRESS,
  accounts,
  data: new Uint8Array(Buffer.concat(data)),
});

/** An account that goes back from the execution layer. */
export interface Return {
  readonly validator: Address;
  readonly account: Address;
  /** The delegation metadata's bytes: they name the last commit and who paid the rent. */
  readonly metadata: Uint8Array;
  readonly data: Uint8Array;
  readonly lamports: bigint;
}

/** Writes an account's new bytes and gives it back to its program, whose callback is called. */
export function returnAccount({ validator, account, metadata, data, lamports }: Return): Instruction[] {
  const view = Buffer.from(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  const rentPayer = rentPayerIn(view);
  const record = recordOf(account);
  const stored = metadataOf(account);
  const fees = validatorFees(validator);
  return [
    instruction(
      [
        meta(validator, WRITABLE_SIGNER),
        meta(account, WRITABLE),
        meta(record.address, WRITABLE),
        meta(stored.address, WRITABLE),
        meta(fees.address, WRITABLE),
        meta(SYSTEM_PROGRAM, READONLY),
      ],
      u64(COMMIT_FINALIZE),
      u64(view.readBigUInt64LE(8) + 1n),
      u64(lamports),
      Uint8Array.of(1, 0, record.bump, stored.bump, fees.bump, 0, 0, 0), // may be undelegated, full bytes, bumps
      data,
    ),
    instruction(
      [
        meta(validator, WRITABLE_SIGNER),
        meta(account, WRITABLE),
        meta(LEDGER_PROGRAM, READONLY),
        meta(undelegationBufferOf(account), WRITABLE),
        meta(ofAccount('state-diff', account).address, READONLY),
        meta(ofAccount('commit-state-record', account).address, READONLY),
        meta(record.address, WRITABLE),
        meta(stored.address, WRITABLE),
        meta(rentPayer, WRITABLE),
        meta(protocolFees.address, WRITABLE),
        meta(fees.address, WRITABLE),
        meta(SYSTEM_PROGRAM, READONLY),
      ],
      u64(UNDELEGATE),
    ),
  ];
}

/** The last field of the delegation metadata, behind the account's seeds. */
function rentPayerIn(metadata: Buffer): Address {
  let at = 8 + 8 + 1;
  const seeds = metadata.readUInt32LE(at);
  at += 4;
  for (let seed = 0; seed < seeds; seed += 1) at += 4 + metadata.readUInt32LE(at);
  return addressAt(metadata, at);
}

/** The program to which a delegated account belongs. */
export function ownerInRecord(record: Uint8Array): Address {
  return addressAt(record, 8 + 32);
}

/** A base action: a call that the delegation program makes with the signature of an escrow. */
export interface BaseAction {
  readonly escrowIndex: number;
  readonly escrowAuthority: Address;
  readonly destination: Address;
  readonly source: Address;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
  /** The account passed as the escrow, if it is not the right one. */
  readonly escrow?: Address;
}

/** What the validator sends to the base for an action. */
export function callHandler(validator: Address, action: BaseAction): Instruction {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(action.data.length);
  return instruction(
    [
      meta(validator, WRITABLE_SIGNER),
      meta(validatorFees(validator).address, WRITABLE),
      meta(action.destination, READONLY),
      meta(action.source, READONLY),
      meta(action.escrowAuthority, WRITABLE),
      meta(action.escrow ?? escrowOf(action.escrowAuthority, action.escrowIndex), WRITABLE),
      ...action.accounts,
    ],
    u64(CALL_HANDLER_V2),
    Uint8Array.of(action.escrowIndex),
    length,
    action.data,
  );
}

function addressAt(bytes: Uint8Array, at: number): Address {
  return addressFromBytes(bytes.slice(at, at + 32));
}
