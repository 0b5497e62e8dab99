import { createHash } from 'node:crypto';
import { addressFromBytes, addressToBytes, isOnCurve } from '@payouts/client';
import { type Address, createNoopSigner, type TransactionSigner } from '@solana/kit';

const bytes = new Map<Address, Uint8Array>();
const derived = new Map<string, Derived>();
const signers = new Map<Address, TransactionSigner>();
const text = new TextEncoder();
const marker = text.encode('ProgramDerivedAddress');

/** A program address and the bump that took it off the curve. */
export interface Derived {
  readonly address: Address;
  readonly bump: number;
}

/** The 32 bytes of an address; each address is decoded once. */
export function bytesOf(address: Address): Uint8Array {
  let known = bytes.get(address);
  if (known === undefined) {
    known = addressToBytes(address);
    bytes.set(address, known);
  }
  return known;
}

/** An address that a name stands for: the same in every run. */
export function named(name: string): Address {
  return addressFromBytes(createHash('sha256').update(name).digest());
}

/** A signer of whom only the address matters: the ledgers check no signatures, only who is said to have signed. */
export function signer(address: Address): TransactionSigner {
  let known = signers.get(address);
  if (known === undefined) {
    known = createNoopSigner(address);
    signers.set(address, known);
  }
  return known;
}

/** A program address, derived without promises and once for the same seeds. */
export function derive(program: Address, ...seeds: readonly (string | Uint8Array)[]): Derived {
  const parts = seeds.map((seed) => (typeof seed === 'string' ? text.encode(seed) : seed));
  const joined = Buffer.concat(parts);
  const key = `${program}${joined.toString('latin1')}`;
  let known = derived.get(key);
  if (known === undefined) {
    known = search(joined, bytesOf(program));
    derived.set(key, known);
  }
  return known;
}

function search(seeds: Uint8Array, program: Uint8Array): Derived {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256').update(seeds).update(Uint8Array.of(bump)).update(program).update(marker).digest();
    if (!isOnCurve(hash)) return { address: addressFromBytes(hash), bump };
  }
  throw new Error('no bump takes these seeds off the curve');
}

/** A number as the ledger program's seeds hold it. */
export function u32(value: number): Uint8Array {
  const at = new Uint8Array(4);
  new DataView(at.buffer).setUint32(0, value, true);
  return at;
}

/** A number as the ledger program's seeds hold it. */
export function u64(value: bigint): Uint8Array {
  const at = new Uint8Array(8);
  new DataView(at.buffer).setBigUint64(0, value, true);
  return at;
}
