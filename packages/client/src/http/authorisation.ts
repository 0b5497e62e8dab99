import {
  type Address,
  generateKeyPairSigner,
  getPublicKeyFromAddress,
  type Instruction,
  type MessagePartialSigner,
  type SignatureBytes,
  type TransactionSigner,
  verifySignature,
} from '@solana/kit';
import type { Deployment } from '../accounts/addresses.ts';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import { ED25519_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { concatenate, isSameBytes } from '../bytes.ts';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import type { Time } from '../time.ts';
import { ClientError } from './clientError.ts';

/**
 * What a recipient signs is a text that their wallet shows. The ledger program has the same words, and compares every letter. No other
 * text that this package has anybody sign begins like one of them.
 */
type Words = { readonly heading: string; readonly warning: string };
const ACTS: Words = {
  heading: 'Payouts: let a key act for me on a private balance',
  warning:
    'Until the time below, the key can send that money to any wallet. Sign this only for what you have just asked for.',
};
const READS: Words = {
  heading: 'Payouts: show a private balance',
  warning:
    'Until the time below, whoever has this signature sees that balance. Sign this only for what you have just asked for.',
};
/** Letters of 32 bytes in base 58, at most: shorter ones have spaces behind them, so that every such text has one length. */
const WORD_LETTERS = 44;
/** Letters of a time, such as `2026-11-26 16:45:00 UTC`. */
const TIME_LETTERS = 23;
/** How long an authorisation holds that is made here: longer than its transaction's blockhash, and clocks that differ. */
const VALID_SECONDS = 300;

const PUBLIC_KEY_AT = 16;
const SIGNATURE_AT = 48;
const MESSAGE_AT = 112;
/** An instruction's place that means: this instruction itself. */
const HERE = 0xffff;
/** One signature, a byte of padding, then where signature, public key and message are, and how long the message is. */
function headerOf(messageBytes: number): Uint8Array {
  const places = [SIGNATURE_AT, HERE, PUBLIC_KEY_AT, HERE, MESSAGE_AT, messageBytes, HERE];
  return Uint8Array.of(1, 0, ...new Uint8Array(Uint16Array.from(places).buffer));
}

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

/** What an instruction of the Ed25519 program says: who signed what. */
export type Authorisation = {
  readonly recipient: Address;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
};

/** The text that a recipient signs so that a key may act for them on one balance for some time. Throws `INVALID_ADDRESS`. */
export function authorisationMessage({ program, personal, signer, expiresAt }: AuthorisationTerms): Uint8Array {
  const [key, account, of] = [signer, personal, program].map(addressToBytes) as [Uint8Array, Uint8Array, Uint8Array];
  return textOf(ACTS, { Key: key, Account: account, Program: of }, expiresAt);
}

/** The text that a recipient signs so that the ledger shows the balance of an owner, 32 bytes, until a time in unix seconds. */
export function readingMessage(program: Address, owner: Uint8Array, expiresAt: bigint): Uint8Array {
  return textOf(READS, { Owner: owner, Program: addressToBytes(program) }, expiresAt);
}

function textOf({ heading, warning }: Words, named: Readonly<Record<string, Uint8Array>>, expiresAt: bigint) {
  const lines = Object.entries(named).map(
    ([name, bytes]) => `${name}: ${addressFromBytes(bytes).padEnd(WORD_LETTERS)}`,
  );
  return new TextEncoder().encode([heading, '', warning, '', ...lines, `Until: ${timeText(expiresAt)}`].join('\n'));
}

const timeText = (seconds: bigint): string =>
  new Date(Number(seconds) * 1_000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');

/** The instruction by which the ledger verifies an authorisation; it must stand right before the one that needs it. */
export function authorisationInstruction({ recipient, signature, message }: Authorisation): Instruction {
  const data = concatenate([headerOf(message.length), addressToBytes(recipient), signature, message]);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data };
}

/** Reads an authorisation's instruction, and verifies nothing; undefined when it is not in the one form. */
export function readAuthorisation({ programAddress, accounts = [], data }: Instruction): Authorisation | undefined {
  if (programAddress !== ED25519_PROGRAM_ADDRESS || accounts.length > 0) return undefined;
  if (data === undefined || data.length < MESSAGE_AT) return undefined;
  if (headerOf(data.length - MESSAGE_AT).some((byte, place) => data[place] !== byte)) return undefined;
  return {
    recipient: addressFromBytes(data.slice(PUBLIC_KEY_AT, SIGNATURE_AT)),
    signature: data.slice(SIGNATURE_AT, MESSAGE_AT),
    message: data.slice(MESSAGE_AT),
  };
}

/** Until when an authorisation's message says that it holds, unix seconds; undefined where it ends with no time. */
export function expiryOf({ message }: Pick<Authorisation, 'message'>): bigint | undefined {
  const text = new TextDecoder().decode(message.subarray(-TIME_LETTERS));
  const time = Date.parse(text.replace(' UTC', 'Z').replace(' ', 'T'));
  if (Number.isNaN(time)) return undefined;
  const seconds = BigInt(Math.floor(time / 1_000));
  return timeText(seconds) === text ? seconds : undefined;
}

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

/** Has a recipient sign an authorisation's message. Throws `SIGNATURE_MISSING`, also where they have signed something else. */
export async function signedInstruction(recipient: MessagePartialSigner, message: Uint8Array): Promise<Instruction> {
  const signature = await signatureOver(recipient, message);
  return authorisationInstruction({ recipient: recipient.address, signature, message });
}

/** Somebody's signature over a text, verified. Throws `SIGNATURE_MISSING`, also where they have signed something else. */
export async function signatureOver(signer: MessagePartialSigner, message: Uint8Array): Promise<SignatureBytes> {
  const [signatures] = await signer.signMessages([{ content: message, signatures: {} }]);
  const signature = signatures?.[signer.address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The signer did not sign the text.');
  if (!(await verifySignature(await getPublicKeyFromAddress(signer.address), signature, message))) {
    throw new ClientError(
      'SIGNATURE_MISSING',
      'The wallet signed something else than the text that it was given. Some hardware wallets put texts into an envelope, which the ledger does not take: use another wallet.',
    );
  }
  return signature;
}

/**
 * Somebody's signature over a text from which something is derived that has to be found again. They sign twice: `otherwise` says what would come of
 * signatures that are others each time. Throws `SIGNATURE_MISSING` or `SIGNATURES_DIFFER`.
 */
export async function repeatedSignature(
  signer: MessagePartialSigner,
  message: Uint8Array,
  otherwise: string,
): Promise<SignatureBytes> {
  const [first, second] = [await signatureOver(signer, message), await signatureOver(signer, message)];
  if (isSameBytes(first, second)) return first;
  throw new ClientError(
    'SIGNATURES_DIFFER',
    `The wallet signs the same text differently each time, ${otherwise} a key whose signatures are always the same, as those of key files are.`,
  );
}
