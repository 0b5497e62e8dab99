import type { Address } from '@solana/kit';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256 } from '../merkle/hash.ts';
import { SALT_BYTES } from '../merkle/tree.ts';
import { nextTurn } from '../nextTurn.ts';
import { addressFromBytes, addressToBytes } from './base58.ts';
import { type DerivedAddress, deriveProgramAddress } from './programAddress.ts';

/** A private balance's address and its bump, which claims carry. */
export type BalanceAddress = { readonly address: Address; readonly bump: number };

/** Whose balance: recipient and their secret salt of 16 bytes. */
export type BalanceOwner = { readonly recipient: Address; readonly salt: Uint8Array };

const SEED_INPUT_BYTES = 1 + 2 * HASH_BYTES + SALT_BYTES;
const PREFIX = new TextEncoder().encode('balance');
/** Derivations between two turns of the event loop: a few milliseconds. */
const CHUNK = 128;

function seedOf(mint: Uint8Array, recipient: Uint8Array, salt: Uint8Array): Uint8Array {
  if (salt.length !== SALT_BYTES) throw new ClientError('INVALID_LEAF', `A salt has ${SALT_BYTES} bytes.`);
  const input = new Uint8Array(SEED_INPUT_BYTES);
  input[0] = 2;
  input.set(mint, 1);
  input.set(recipient, 1 + HASH_BYTES);
  input.set(salt, 1 + 2 * HASH_BYTES);
  return sha256(input);
}

/** Whose balance of which token, and the program that keeps it: 32 bytes each, and a salt of 16. */
export type BalanceTerms = {
  readonly mint: Uint8Array;
  readonly recipient: Uint8Array;
  readonly salt: Uint8Array;
  readonly program: Uint8Array;
};

/** The address of one private balance as bytes. Throws `INVALID_LEAF`. */
export function deriveBalanceBytes({ mint, recipient, salt, program }: BalanceTerms): DerivedAddress {
  const seeds = new Uint8Array(PREFIX.length + HASH_BYTES);
  seeds.set(PREFIX);
  seeds.set(seedOf(mint, recipient, salt), PREFIX.length);
  return deriveProgramAddress(seeds, program);
}

function derive(mint: Uint8Array, { recipient, salt }: BalanceOwner, program: Uint8Array): BalanceAddress {
  const { bytes, bump } = deriveBalanceBytes({ mint, recipient: addressToBytes(recipient), salt, program });
  return { address: addressFromBytes(bytes), bump };
}

/** H(0x02 ‖ mint ‖ recipient ‖ salt): the secret seed of a balance's address. */
export function balanceSeed(mint: Address, owner: BalanceOwner): Uint8Array {
  return seedOf(addressToBytes(mint), addressToBytes(owner.recipient), owner.salt);
}

/** The address of one private balance, at once. Throws `INVALID_ADDRESS` or `INVALID_LEAF`. */
export function deriveBalanceAddress(
  mint: Address,
  owner: BalanceOwner,
  programAddress: Address = PAYOUT_LEDGER_PROGRAM_ADDRESS,
): BalanceAddress {
  return derive(addressToBytes(mint), owner, addressToBytes(programAddress));
}

/** Input of `deriveBalanceAddresses`; `signal` stops it between two chunks. */
export type BalanceAddressesInput = {
  readonly mint: Address;
  readonly recipients: readonly BalanceOwner[];
  readonly programAddress?: Address;
  readonly signal?: AbortSignal;
};

/**
 * The addresses of many private balances, in the order of `recipients`. Works in chunks of a few milliseconds, so that the event
 * loop goes on turning. Throws as `deriveBalanceAddress`, and the signal's reason.
 */
export async function deriveBalanceAddresses(input: BalanceAddressesInput): Promise<BalanceAddress[]> {
  const mint = addressToBytes(input.mint);
  const program = addressToBytes(input.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS);
  const derived: BalanceAddress[] = [];
  for (const owner of input.recipients) {
    if (derived.length > 0 && derived.length % CHUNK === 0) {
      await nextTurn();
      input.signal?.throwIfAborted();
    }
    derived.push(derive(mint, owner, program));
  }
  return derived;
}
