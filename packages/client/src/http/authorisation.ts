import {
  type Address,
  generateKeyPairSigner,
  type Instruction,
  type MessagePartialSigner,
  type TransactionSigner,
} from '@solana/kit';
import type { Deployment } from '../accounts/addresses.ts';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { ED25519_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate } from '../bytes.ts';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import type { Time } from '../time.ts';
import { ClientError } from './clientError.ts';

/** Stands in no UTF-8 text and begins no ledger's transaction: nothing else that a recipient signs can be taken for an authorisation. */
const MARK = 0xff;
const domain = (words: string) => Uint8Array.of(MARK, ...new TextEncoder().encode(words));
const ACTS = domain('payouts: this key acts for me: ');
const READS = domain('payouts: show me this balance: ');
const PUBLIC_KEY_AT = 16;
const SIGNATURE_AT = 48;
const MESSAGE_AT = 112;
const EXPIRY_AT = 128;
const MESSAGE_BYTES = 136;
/** In the place of a key, where nobody acts. */
const NO_KEY = new Uint8Array(32);
/** How long an authorisation holds that is made here: longer than its transaction's blockhash, and clocks that differ. */
const VALID_SECONDS = 300;
/** An instruction's place that means: this instruction itself. */
const HERE = 0xffff;
/** One signature, a byte of padding, then where signature, public key and message stand. */
const HEADER = new Uint8Array([
  1,
  0,
  ...new Uint8Array(Uint16Array.of(SIGNATURE_AT, HERE, PUBLIC_KEY_AT, HERE, MESSAGE_AT, MESSAGE_BYTES, HERE).buffer),
]);

/** What an authorisation is about. */
export type AuthorisationTerms = {
  readonly program: Address;
  /** The balance's personal account. */
  readonly personal: Address;
  /** The key that acts for the recipient. */
  readonly signer: Address;
  /** Unix seconds until which it holds. */
  readonly expiresAt: bigint;
};

/** What an instruction of the Ed25519 program says: who signed what, in 64 and 136 bytes. */
export type Authorisation = {
  readonly recipient: Address;
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
};

/** The bytes that a recipient signs so that a key may act for them on one balance for some time. */
export function authorisationMessage({ program, personal, signer, expiresAt }: AuthorisationTerms): Uint8Array {
  const expiry = new Uint8Array(BigInt64Array.of(expiresAt).buffer);
  return concatenate([ACTS, ...[program, personal, signer].map(addressToBytes), expiry]);
}

/** The bytes that a recipient signs so that the ledger shows the balance of an owner, 32 bytes, until a time in unix seconds. */
export function readingMessage(program: Address, owner: Uint8Array, expiresAt: bigint): Uint8Array {
  const expiry = new Uint8Array(BigInt64Array.of(expiresAt).buffer);
  return concatenate([READS, addressToBytes(program), owner, NO_KEY, expiry]);
}

/** The instruction by which the ledger verifies an authorisation; it must stand right before the one that needs it. */
export function authorisationInstruction({ recipient, signature, message }: Authorisation): Instruction {
  const data = concatenate([HEADER, addressToBytes(recipient), signature, message]);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data };
}

/** Reads an authorisation's instruction, and verifies nothing; undefined when it is not in the one form. */
export function readAuthorisation({ programAddress, accounts = [], data }: Instruction): Authorisation | undefined {
  if (programAddress !== ED25519_PROGRAM_ADDRESS || accounts.length > 0) return undefined;
  if (data?.length !== MESSAGE_AT + MESSAGE_BYTES || HEADER.some((byte, place) => data[place] !== byte))
    return undefined;
  return {
    recipient: addressFromBytes(data.slice(PUBLIC_KEY_AT, SIGNATURE_AT)),
    signature: data.slice(SIGNATURE_AT, MESSAGE_AT),
    message: data.slice(MESSAGE_AT),
  };
}

/** Until when an authorisation's message says that it holds, unix seconds. */
export const expiryOf = ({ message }: Authorisation): bigint =>
  new DataView(message.buffer, message.byteOffset).getBigInt64(EXPIRY_AT, true);

/** Instructions, and the key, made for them alone, that signs and pays for their transaction. */
export type OwnInstructions = { readonly instructions: readonly Instruction[]; readonly feePayer: TransactionSigner };

/**
 * Has a key that is made for one transaction of the execution layer act for a recipient on their balance. The layer asks the base ledger
 * for every account that a transaction names, and the recipient is none of them; fees, which the key couldn't pay, there are none. The
 * authorisation holds for five minutes.
 *
 * Throws `SIGNATURE_MISSING` when the recipient does not sign.
 */
export async function actFor(
  recipient: MessagePartialSigner,
  {
    personal,
    programAddress: program = PAYOUT_LEDGER_PROGRAM_ADDRESS,
    time,
  }: Deployment & { readonly personal: Address; readonly time: Time },
  build: (signer: TransactionSigner) => readonly Instruction[] | Promise<readonly Instruction[]>,
): Promise<OwnInstructions> {
  const feePayer = await generateKeyPairSigner();
  const message = authorisationMessage({ program, personal, signer: feePayer.address, expiresAt: expiryFrom(time) });
  const authorisation = await signedInstruction(recipient, message);
  return { feePayer, instructions: [authorisation, ...(await build(feePayer))] };
}

/** When an authorisation ends that is made now, unix seconds. */
export const expiryFrom = (time: Pick<Time, 'now'>): bigint => BigInt(Math.floor(time.now() / 1_000) + VALID_SECONDS);

/** Has a recipient sign an authorisation's message. Throws `SIGNATURE_MISSING`. */
export async function signedInstruction(recipient: MessagePartialSigner, message: Uint8Array): Promise<Instruction> {
  const [signatures] = await recipient.signMessages([{ content: message, signatures: {} }]);
  const signature = signatures?.[recipient.address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The signer did not authorise the key.');
  return authorisationInstruction({ recipient: recipient.address, signature, message });
}
