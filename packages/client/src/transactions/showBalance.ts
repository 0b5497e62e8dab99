import { type Address, generateKeyPairSigner, type Instruction, type MessagePartialSigner } from '@solana/kit';
import { type Deployment, personalNamed } from '../accounts/addresses.ts';
import { concatenate } from '../bytes.ts';
import {
  getPersonalDecoder,
  getShowBalanceInstruction,
  getShowPersonalInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Personal,
} from '../generated/index.ts';
import { expiryFrom, readingMessage, signedInstruction } from '../http/authorisation.ts';
import { fromBase64 } from '../http/base64.ts';
import { deliveryCode, openingOf, ownerRecord } from '../merkle/owner.ts';
import { readNotedPersonal } from '../merkle/personal.ts';
import { buildTransaction } from './buildTransaction.ts';
import type { Ledgers } from './connection.ts';
import type { PrivateBalance } from './instructions.ts';
import { refusal } from './transactionFailed.ts';

/** What `show_balance` returns: amount u64 ‖ what the page notes of the personal account u16 ‖ key 16. */
const NOTED_AT = 8;
const KEY_AT = 10;
const SHOWN_BYTES = 26;
/** What `show_personal` returns at most. */
const PART_BYTES = 1_024;
/** Seconds before its end from which on a signature is not used any more. */
const SPARE_SECONDS = 60n;

/** Whose balance is to be shown, and where it is. */
export type ShownBalance = Omit<PrivateBalance, 'mint'>;

/** A balance as the execution layer shows it to its recipient. */
export type BalanceShown = {
  /** Base units, withdrawals that wait for their release with it. */
  readonly amount: bigint;
  /** The account that holds what the recipient has asked; null: there is none. */
  readonly personal: Address | null;
  /** Number of the last one, 0: there was none yet. */
  readonly personalNumber: number;
  /** What their addresses follow from, 16 bytes. Secret. */
  readonly personalKey: Uint8Array;
};

/** What a recipient has asked of a balance, and the account that holds it. */
export type PersonalShown = Personal & { readonly address: Address };

/** The instruction that returns a balance; a reading's authorisation must stand right before it. */
export function showBalanceInstruction(balance: ShownBalance, { programAddress }: Deployment = {}): Instruction {
  const { page, slot, recipient, salt, delivery } = balance;
  return getShowBalanceInstruction(
    { page, recipient, opening: openingOf(salt), delivery: deliveryCode(delivery), slot },
    programAddress === undefined ? {} : { programAddress },
  );
}

/**
 * Asks an execution layer for instructions' answer, which changes nothing there: what the last of them returns.
 *
 * @throws TransactionFailed when they are refused
 */
export async function askLayer(
  { layer }: Pick<Ledgers, 'layer'>,
  instructions: readonly Instruction[],
): Promise<Uint8Array> {
  const feePayer = await generateKeyPairSigner();
  const { value: lifetime } = await layer.getLatestBlockhash().send();
  const { wire } = await buildTransaction({ feePayer, instructions, lifetime });
  const { value } = await layer.simulateTransaction(wire, { encoding: 'base64', commitment: 'confirmed' }).send();
  if (value.err !== null) throw refusal(value.logs ?? [], value.err);
  return fromBase64(value.returnData?.data[0] ?? '');
}

/**
 * Reads a recipient's balance in the execution layer by their signature alone: nobody but the execution authority may read the accounts. The
 * signature shows this balance to whoever has it, for five minutes, and is asked of the recipient once in four.
 */
export class BalanceReader {
  readonly #program: Address;
  readonly #owned: PrivateBalance;
  #signed: { readonly authorisation: Instruction; readonly until: bigint } | undefined;

  constructor(
    private readonly ledgers: Pick<Ledgers, 'layer' | 'time'>,
    private readonly recipient: MessagePartialSigner,
    balance: Omit<PrivateBalance, 'recipient'>,
    { programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS }: Deployment = {},
  ) {
    this.#program = programAddress;
    this.#owned = { ...balance, recipient: recipient.address };
  }

  /** What the balance holds, and where its personal account is. Throws TransactionFailed: NotOwner when another owner has the place. */
  async balance(): Promise<BalanceShown> {
    const returned = await this.#ask(showBalanceInstruction(this.#owned, { programAddress: this.#program }));
    if (returned.length !== SHOWN_BYTES) throw refusal([], 'nothing returned');
    const view = new DataView(returned.buffer);
    const { number, isThere } = readNotedPersonal(view.getUint16(NOTED_AT, true));
    const key = returned.slice(KEY_AT);
    const { address } = personalNamed(this.#owned.mint, key, number, { programAddress: this.#program });
    return {
      amount: view.getBigUint64(0, true),
      personal: isThere ? address : null,
      personalNumber: number,
      personalKey: key,
    };
  }

  /** What the recipient has asked of the balance; undefined: nothing that is left. Throws TransactionFailed as `balance`. */
  async personal(): Promise<PersonalShown | undefined> {
    for (let before: Address | undefined; ; ) {
      const { personal } = await this.balance();
      if (personal === null) return undefined;
      try {
        return { ...getPersonalDecoder().decode(await this.#bytesOf(personal)), address: personal };
      } catch (error) {
        // The coordinator wipes an account of which nothing is left: it may have done so just now.
        if (personal === before) throw error;
        before = personal;
      }
    }
  }

  /** An account may be longer than what one simulation returns. A withdrawal stays in its place, so none is cut in two. */
  async #bytesOf(personal: Address): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let from = 0; ; from += PART_BYTES) {
      const asked = { personal, from };
      const part = await this.#ask(getShowPersonalInstruction(asked, { programAddress: this.#program }));
      parts.push(part);
      if (part.length < PART_BYTES) return concatenate(parts);
    }
  }

  async #ask(instruction: Instruction): Promise<Uint8Array> {
    return askLayer(this.ledgers, [await this.#authorised(), instruction]);
  }

  async #authorised(): Promise<Instruction> {
    const until = expiryFrom(this.ledgers.time);
    const now = BigInt(Math.floor(this.ledgers.time.now() / 1_000));
    if (this.#signed === undefined || this.#signed.until < now + SPARE_SECONDS) {
      const message = readingMessage(this.#program, ownerRecord(this.#owned).owner, until);
      this.#signed = { authorisation: await signedInstruction(this.recipient, message), until };
    }
    return this.#signed.authorisation;
  }
}

/**
 * What a private balance holds, base units, withdrawals that wait for their release with it, and where its personal account is: asked of the
 * execution layer by the recipient's signature alone, which nobody else needs to see.
 *
 * @throws TransactionFailed when the layer refuses it: NotOwner when another owner has the place
 */
export const showBalance = (
  ledgers: Pick<Ledgers, 'layer' | 'time'>,
  recipient: MessagePartialSigner,
  balance: Omit<PrivateBalance, 'recipient'>,
  deployment: Deployment = {},
): Promise<BalanceShown> => new BalanceReader(ledgers, recipient, balance, deployment).balance();

/**
 * What a recipient has asked of a private balance, undefined: nothing that is left; by the same signature.
 *
 * @throws TransactionFailed as `showBalance`
 */
export const showPersonal = (
  ledgers: Pick<Ledgers, 'layer' | 'time'>,
  recipient: MessagePartialSigner,
  balance: Omit<PrivateBalance, 'recipient'>,
  deployment: Deployment = {},
): Promise<PersonalShown | undefined> => new BalanceReader(ledgers, recipient, balance, deployment).personal();
