import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  type AuthorisationTerms,
  addressFromBytes,
  authorisationInstruction,
  authorisationMessage,
  type OwnInstructions,
  readingMessage,
} from '@payouts/client';
import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address, Instruction } from '@solana/kit';

/** Before the 32 bytes of a private ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const keys = new Map<Address, KeyObject>();

/** An address that a name stands for, and whose key can sign messages. */
export function keyed(name: string): Address {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytesOf(named(name))]), format: 'der', type: 'pkcs8' });
  const address = addressFromBytes(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
  keys.set(address, key);
  return address;
}

/** What somebody with a key has signed, of any length, as the instruction that verifies it. */
export function signedBy(recipient: Address, message: Uint8Array): Instruction {
  const key = keys.get(recipient);
  if (key === undefined) throw new Error(`${recipient} has no key`);
  return authorisationInstruction({ recipient, signature: sign(null, message, key), message });
}

/** The last second that an authorisation can name: 9999-12-31 23:59:59 UTC. */
export const NEVER = 253_402_300_799n;

/** Somebody with a key authorises another key; for ever, unless it is said until when. */
export function authorised(
  recipient: Address,
  terms: Omit<AuthorisationTerms, 'program' | 'expiresAt'> & Partial<AuthorisationTerms>,
): OwnInstructions['instructions'][number] {
  return signedBy(recipient, authorisationMessage({ program: LEDGER_PROGRAM, expiresAt: NEVER, ...terms }));
}

/** A recipient has their balance shown, as long as they have said; by default for ever. */
export const showing = ({ recipient, owner }: Pick<Holder, 'recipient' | 'owner'>, expiresAt = NEVER): Instruction =>
  signedBy(recipient, readingMessage(LEDGER_PROGRAM, owner, expiresAt));
