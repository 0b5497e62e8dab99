import {
  availableOf,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  fetchMaybeVault,
  findTokenAddress,
  fromBase64,
  levelOf,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type ParsedWithdrawApprovedInstruction,
  parseWithdrawApprovedInstruction,
  WITHDRAW_APPROVED_DISCRIMINATOR,
} from '@payouts/client';
import {
  type AccountMeta,
  type Address,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  type Transaction,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { findPolicy } from '../policy.ts';
import type { EmployerSession } from '../session.ts';
import { readToken, type TokenInfo } from '../token.ts';

/** A withdrawal that an employer has signed, as its approver is asked for their signature. */
export type AskedWithdrawal = {
  readonly vault: Address;
  readonly employer: Address;
  readonly token: TokenInfo;
  /** Base units. */
  readonly amount: bigint;
  /** What it does, sentence by sentence. */
  readonly effects: readonly string[];
};

/**
 * Reads what a vault's approver is given to sign, and sees that it does nothing but take tokens out to the employer's own wallet, at the
 * employer's cost. Throws `Failure` not-a-withdrawal, employer-unsigned, not-approver, not-own-wallet or vault-missing.
 */
export async function askedWithdrawal(
  { employer: signer, ledgers }: EmployerSession,
  text: string,
): Promise<AskedWithdrawal> {
  const transaction = transactionIn(text);
  const { accounts, data, feePayer } = withdrawalIn(transaction);
  const [employer, vault] = [accounts.employer.address, accounts.vault.address];
  if (feePayer !== employer) throw notWithdrawal('it is paid for by somebody else than the employer');
  if (!transaction.signatures[employer]) {
    throw new Failure('employer-unsigned', 'The employer has not signed it yet: they sign first, and give it to you.');
  }
  if (accounts.approver.address !== signer.address) throw notApprover(accounts.approver.address, signer.address);
  const own = await findTokenAddress(employer, accounts.mint.address, accounts.tokenProgram.address);
  if (accounts.destinationToken.address !== own) {
    throw new Failure(
      'not-own-wallet',
      "It takes the money to another account than the employer's own. Don't sign it.",
    );
  }
  const found = await fetchMaybeVault(ledgers.base, vault, levelOf(ledgers));
  if (!found.exists || found.data.employer !== employer || found.data.mint !== accounts.mint.address) {
    throw new Failure('vault-missing', `The vault ${vault} is not the employer's on this ledger.`);
  }
  const policy = await findPolicy(ledgers, { address: vault, vault: found.data });
  if (policy?.approver !== signer.address) throw notApprover(policy?.approver, signer.address);
  const token = await readToken(ledgers, found.data.mint);
  const left = availableOf(found.data) - data.amount;
  return {
    vault,
    employer,
    token,
    amount: data.amount,
    effects: [
      `Takes ${withName(data.amount, token)} out of the vault of ${employer}, to their own wallet.`,
      `Available to promise then: ${withName(left < 0n ? 0n : left, token)}.`,
    ],
  };
}

const notApprover = (approver: Address | undefined, signer: Address): Failure =>
  new Failure('not-approver', `${approver ?? 'Nobody'} approves here, and your key is ${signer}.`);

const notWithdrawal = (why: string): Failure =>
  new Failure('not-a-withdrawal', `This is no withdrawal that an approver should sign: ${why}.`);

function transactionIn(text: string): Transaction {
  try {
    return getTransactionDecoder().decode(fromBase64(text.replaceAll(/\s/g, '')));
  } catch {
    throw notWithdrawal('it is no transaction in base 64. Paste all of what you were given');
  }
}

type Found = Pick<ParsedWithdrawApprovedInstruction, 'accounts' | 'data'> & { readonly feePayer: Address };

/** The one withdrawal of a transaction that has nothing else but its price and the employer's own token account. */
function withdrawalIn({ messageBytes }: Transaction): Found {
  const message = decompiled(messageBytes);
  const feePayer = message.feePayer.address;
  const others = message.instructions.filter((each) => !isHarmless(each, feePayer));
  const [withdrawal, ...more] = others;
  if (withdrawal === undefined || more.length > 0 || !isWithdrawal(withdrawal)) {
    throw notWithdrawal('it does something else, too');
  }
  return { ...parseWithdrawApprovedInstruction(withdrawal), feePayer };
}

function decompiled(messageBytes: Transaction['messageBytes']) {
  try {
    return decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  } catch {
    throw notWithdrawal('its accounts are not in it');
  }
}

/** The bid for a place, and the opening of an account at the employer's cost. */
const isHarmless = ({ programAddress, accounts }: Instruction, employer: Address): boolean =>
  programAddress === COMPUTE_BUDGET_PROGRAM_ADDRESS ||
  (programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS && accounts?.[0]?.address === employer);

type Whole = Instruction<typeof PAYOUT_LEDGER_PROGRAM_ADDRESS> & {
  readonly accounts: readonly AccountMeta[];
  readonly data: NonNullable<Instruction['data']>;
};

const isWithdrawal = (instruction: Instruction): instruction is Whole =>
  instruction.programAddress === PAYOUT_LEDGER_PROGRAM_ADDRESS &&
  instruction.accounts?.length === 8 &&
  instruction.data?.[0] === WITHDRAW_APPROVED_DISCRIMINATOR;
