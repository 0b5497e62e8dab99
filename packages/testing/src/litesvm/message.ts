import { type AccountMeta, type Address, type Instruction, isSignerRole, isWritableRole } from '@solana/kit';
import { bytesOf } from './addresses.ts';

const SIGNATURE_BYTES = 64;

/** A legacy transaction without real signatures, and the accounts it names in order. */
export interface Wire {
  readonly bytes: Uint8Array;
  readonly keys: readonly Address[];
  /** Accounts that the transaction may write, the fee payer included. */
  readonly writable: readonly Address[];
}

interface Key {
  signer: boolean;
  writable: boolean;
}

/**
 * Compiles instructions by hand: kit's compiler is slow, sorts addresses by their text and stops at 64 accounts. The order is that of
 * first use within signers, writable and read-only accounts.
 */
export function compile(instructions: readonly Instruction[], feePayer: Address): Wire {
  const found = new Map<Address, Key>([[feePayer, { signer: true, writable: true }]]);
  const add = (address: Address, signer: boolean, writable: boolean) => {
    const known = found.get(address);
    if (known === undefined) found.set(address, { signer, writable });
    else {
      known.signer ||= signer;
      known.writable ||= writable;
    }
  };
  for (const { accounts = [] } of instructions) {
    for (const { address, role } of accounts as AccountMeta[]) add(address, isSignerRole(role), isWritableRole(role));
  }
  for (const { programAddress } of instructions) add(programAddress, false, false);

  const groups: [Address[], Address[], Address[], Address[]] = [[], [], [], []];
  for (const [address, { signer, writable }] of found) groups[(signer ? 0 : 2) + (writable ? 0 : 1)]?.push(address);
  const keys = groups.flat();
  const place = new Map(keys.map((address, index) => [address, index]));
  const signers = groups[0].length + groups[1].length;

  let size = 3 + signers * SIGNATURE_BYTES + 3 + 3 + keys.length * 32 + 32 + 3;
  for (const { accounts = [], data = [] } of instructions) size += 7 + accounts.length + data.length;
  const bytes = new Uint8Array(size);
  let at = length(bytes, 0, signers) + signers * SIGNATURE_BYTES;
  bytes[at] = signers;
  bytes[at + 1] = groups[1].length;
  bytes[at + 2] = groups[3].length;
  at = length(bytes, at + 3, keys.length);
  for (const address of keys) {
    bytes.set(bytesOf(address), at);
    at += 32;
  }
  at = length(bytes, at + 32, instructions.length);
  for (const { programAddress, accounts = [], data = new Uint8Array() } of instructions) {
    bytes[at] = place.get(programAddress) ?? 0;
    at = length(bytes, at + 1, accounts.length);
    for (const { address } of accounts) {
      bytes[at] = place.get(address) ?? 0;
      at += 1;
    }
    at = length(bytes, at, data.length);
    bytes.set(data, at);
    at += data.length;
  }
  return { bytes: bytes.subarray(0, at), keys, writable: [...groups[0], ...groups[2]] };
}

/** Writes a length in the ledger's compact form and returns the place behind it. */
function length(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    bytes[at] = (rest & 127) | 128;
    at += 1;
    rest >>= 7;
  }
  bytes[at] = rest;
  return at + 1;
}
