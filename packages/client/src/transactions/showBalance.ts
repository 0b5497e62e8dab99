import { type Address, generateKeyPairSigner, type Instruction, type MessagePartialSigner } from '@solana/kit';
import type { Deployment } from '../accounts/addresses.ts';
import { getShowBalanceInstruction, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { expiryFrom, readingMessage, signedInstruction } from '../http/authorisation.ts';
import { deliveryCode, openingOf, ownerRecord } from '../merkle/owner.ts';
import { buildTransaction } from './buildTransaction.ts';
import type { Ledgers } from './connection.ts';
import type { PrivateBalance } from './instructions.ts';
import { refusal } from './transactionFailed.ts';

const AMOUNT_BYTES = 8;

/** Whose balance is to be shown, and where it is. */
export type ShownBalance = Omit<PrivateBalance, 'mint'>;

/** The instruction that returns a balance, in base units as u64; a reading's authorisation must stand right before it. */
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
  return new Uint8Array(Buffer.from(value.returnData?.data[0] ?? '', 'base64'));
}

/**
 * What a private balance holds, base units, withdrawals that wait for their release with it: asked of the execution layer by the recipient's
 * signature alone, which nobody else needs to see.
 *
 * @throws TransactionFailed when the layer refuses it: NotOwner when another owner has the place
 */
export async function showBalance(
  ledgers: Pick<Ledgers, 'layer' | 'time'>,
  recipient: MessagePartialSigner,
  balance: Omit<ShownBalance, 'recipient'>,
  deployment: Deployment = {},
): Promise<bigint> {
  const owned = { ...balance, recipient: recipient.address as Address };
  const program = deployment.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const message = readingMessage(program, ownerRecord(owned).owner, expiryFrom(ledgers.time));
  const authorisation = await signedInstruction(recipient, message);
  const returned = await askLayer(ledgers, [authorisation, showBalanceInstruction(owned, deployment)]);
  if (returned.length !== AMOUNT_BYTES) throw refusal([], 'nothing returned');
  return new DataView(returned.buffer).getBigUint64(0, true);
}
