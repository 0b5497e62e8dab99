import {
  addressToBytes,
  authorisationMessage,
  CANCEL_WITHDRAWAL_DISCRIMINATOR,
  COMPLETE_RECOVERY_DISCRIMINATOR,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  expiryOf,
  getCancelWithdrawalInstructionDataDecoder,
  getCompleteRecoveryInstructionDataDecoder,
  getNameRecoveryInstructionDataDecoder,
  getRedirectWithdrawalInstructionDataDecoder,
  getRefuseRecoveryInstructionDataDecoder,
  getRequestRecoveryInstructionDataDecoder,
  getRequestWithdrawalInstructionDataDecoder,
  getSetStandingOrderInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  NAME_RECOVERY_DISCRIMINATOR,
  REDIRECT_WITHDRAWAL_DISCRIMINATOR,
  REFUSE_RECOVERY_DISCRIMINATOR,
  REQUEST_RECOVERY_DISCRIMINATOR,
  REQUEST_WITHDRAWAL_DISCRIMINATOR,
  readAuthorisation,
  SET_STANDING_ORDER_DISCRIMINATOR,
} from '@payouts/client';
import {
  type AccountMeta,
  type Address,
  type Base64EncodedWireTransaction,
  decompileTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  isWritableRole,
  type Signature,
} from '@solana/kit';
import { Problem } from '../../domain/problems.ts';
import { verifyEd25519 } from '../signatures/ed25519.ts';

/** Bytes of the largest transaction that a ledger takes. */
const MAX_BYTES = 1_232;
/** Accounts that each of these instructions has: the key, the balance, the sysvar. */
const FIXED_ACCOUNTS = 3;
/** Bytes of the compute budget's instructions that a recipient may add, by their number: a limit and a price. */
const BUDGET_BYTES: Readonly<Record<number, number>> = { 2: 5, 3: 9 };

/** An account of an instruction between the balance and the sysvar. */
type Named = 'counter' | 'pool' | 'recovery' | 'magicProgram' | 'ephemeralVault';

/** What an instruction of a recipient's looks like. */
type Shape = {
  readonly bytes: number;
  readonly accounts: readonly Named[];
  /** Who authorises it, if it is not the recipient. */
  readonly by?: 'recoveryWallet';
  readonly readsBalance?: true;
};

const sizeOf = ({ fixedSize }: { readonly fixedSize: number }): number => fixedSize;

/**
 * What a recipient may have executed, or a recovery wallet: how long each instruction's data is and which accounts it has. The first is
 * the key that acts for them, the second the balance, and the last the sysvar by which the ledger finds their authorisation.
 */
const OWN: Readonly<Record<number, Shape>> = {
  [REQUEST_WITHDRAWAL_DISCRIMINATOR]: {
    bytes: sizeOf(getRequestWithdrawalInstructionDataDecoder()),
    accounts: ['counter', 'pool'],
  },
  [REDIRECT_WITHDRAWAL_DISCRIMINATOR]: { bytes: sizeOf(getRedirectWithdrawalInstructionDataDecoder()), accounts: [] },
  [CANCEL_WITHDRAWAL_DISCRIMINATOR]: { bytes: sizeOf(getCancelWithdrawalInstructionDataDecoder()), accounts: [] },
  [SET_STANDING_ORDER_DISCRIMINATOR]: { bytes: sizeOf(getSetStandingOrderInstructionDataDecoder()), accounts: [] },
  [NAME_RECOVERY_DISCRIMINATOR]: {
    bytes: sizeOf(getNameRecoveryInstructionDataDecoder()),
    accounts: ['recovery', 'counter', 'magicProgram', 'ephemeralVault'],
    readsBalance: true,
  },
  [REFUSE_RECOVERY_DISCRIMINATOR]: {
    bytes: sizeOf(getRefuseRecoveryInstructionDataDecoder()),
    accounts: ['recovery'],
    readsBalance: true,
  },
  [REQUEST_RECOVERY_DISCRIMINATOR]: {
    bytes: sizeOf(getRequestRecoveryInstructionDataDecoder()),
    accounts: ['recovery'],
    by: 'recoveryWallet',
    readsBalance: true,
  },
  [COMPLETE_RECOVERY_DISCRIMINATOR]: {
    bytes: sizeOf(getCompleteRecoveryInstructionDataDecoder()),
    accounts: ['recovery'],
    by: 'recoveryWallet',
  },
};

/** Those that an instruction writes, beside the balance. */
const WRITTEN: ReadonlySet<Named> = new Set(['counter', 'recovery', 'ephemeralVault']);

/** What a transaction does with one balance, and the other accounts that it names for it. */
export type BalanceUse = {
  /** Whose signature authorises it: the recipient's, or the recovery wallet's. */
  readonly owner: Address;
  readonly by: 'recipient' | 'recoveryWallet';
  readonly balance: Address;
  readonly accounts: Readonly<Partial<Record<Named, Address>>>;
};

/** A transaction that holds nothing but recipients' own instructions, each with their authorisation. */
export type OwnTransaction = {
  readonly wire: Base64EncodedWireTransaction;
  readonly signature: Signature;
  readonly uses: readonly BalanceUse[];
};

/**
 * Reads a transaction in base 64 and checks everything that its bytes say: one signer, a key that is none of the recipients and pays;
 * instructions of these kinds of this program alone, each right behind its recipient's authorisation of that key; written in the one form.
 * Whose the balances are is for the layer to say.
 *
 * Throws `invalid-transaction`; its sentence repeats nothing of what was sent.
 */
export function readOwnTransaction(text: string, program: Address): OwnTransaction {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_BYTES) throw invalid('It is longer than a transaction may be');
  if (bytes.toString('base64') !== text) throw invalid('It is not base 64');
  const { signer, signature, instructions } = decoded(bytes);
  const uses: BalanceUse[] = [];
  for (let place = 0; place < instructions.length; place += 1) {
    const instruction = instructions[place] as Instruction;
    if (isBudget(instruction)) continue;
    place += 1;
    uses.push(useOf(instruction, instructions[place], { signer, program }));
  }
  if (uses.length === 0) throw invalid('It has no instruction of the payout program');
  return { wire: text as Base64EncodedWireTransaction, signature, uses };
}

type Decoded = {
  readonly signer: Address;
  readonly signature: Signature;
  readonly instructions: readonly Instruction[];
};

function decoded(bytes: Uint8Array): Decoded {
  const { messageBytes, signatures, instructions } = parsed(bytes);
  const [only, ...others] = Object.entries(signatures);
  if (only === undefined || others.length > 0) throw invalid('It must have one signer: a key made for it');
  const [signer, signature] = only as [Address, Uint8Array | null];
  if (signature === null || !verifyEd25519(addressToBytes(signer), messageBytes as unknown as Uint8Array, signature)) {
    throw invalid('Its signature does not verify');
  }
  return { signer, signature: getBase58Decoder().decode(signature) as Signature, instructions };
}

function parsed(bytes: Uint8Array) {
  try {
    const transaction = getTransactionDecoder().decode(bytes);
    const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const isCanonical =
      sameBytes(getTransactionEncoder().encode(transaction) as Uint8Array, bytes) &&
      sameBytes(
        getCompiledTransactionMessageEncoder().encode(compiled) as Uint8Array,
        transaction.messageBytes as unknown as Uint8Array,
      );
    if (isCanonical) {
      const { instructions } = decompileTransactionMessage(compiled);
      return { ...transaction, instructions: instructions as readonly Instruction[] };
    }
  } catch {
    // Said below: the decoder's own words repeat what was sent.
  }
  throw invalid('It is not a transaction in the form in which one is written, without lookup tables');
}

function isBudget({ programAddress, accounts = [], data = new Uint8Array(0) }: Instruction): boolean {
  if (programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS) return false;
  return accounts.length === 0 && BUDGET_BYTES[data[0] ?? -1] === data.length;
}

/** Reads an authorisation and the instruction behind it, which it must fit. */
function useOf(
  before: Instruction,
  instruction: Instruction | undefined,
  { signer, program }: { readonly signer: Address; readonly program: Address },
): BalanceUse {
  const authorisation = readAuthorisation(before);
  if (authorisation === undefined || instruction === undefined) {
    throw invalid("An instruction of it does not stand right behind a recipient's authorisation of the key that signs");
  }
  const { recipient: owner, signature, message } = authorisation;
  const use = { owner, ...actionOf(instruction, signer, program) };
  // Whoever signs is asked for on the base ledger.
  if (owner === signer) throw invalid('Its signer must not be the recipient, but a key made for it');
  const terms = { program, balance: use.balance, signer, expiresAt: expiryOf(authorisation) };
  if (!sameBytes(message, authorisationMessage(terms))) {
    throw invalid('An authorisation of it is for another key, balance or program');
  }
  if (!verifyEd25519(addressToBytes(owner), message, signature)) {
    throw invalid("An authorisation's signature does not verify");
  }
  return use;
}

function actionOf(
  { programAddress, accounts = [], data = new Uint8Array(0) }: Instruction,
  signer: Address,
  program: Address,
): Omit<BalanceUse, 'owner'> {
  const shape = OWN[data[0] ?? -1];
  if (programAddress !== program || shape === undefined) {
    throw invalid('It has an instruction that is none of a recipient’s own');
  }
  if (data.length !== shape.bytes || accounts.length !== shape.accounts.length + FIXED_ACCOUNTS) {
    throw invalid('An instruction of it has too much or too little in it');
  }
  const [actor, balance, ...others] = accounts as [AccountMeta, AccountMeta, ...AccountMeta[]];
  if (actor.address !== signer) throw invalid('An instruction is signed by another key than the transaction');
  if (others.pop()?.address !== INSTRUCTIONS_SYSVAR_ADDRESS) {
    throw invalid('The last account of an instruction is not the instructions sysvar');
  }
  const named = shape.accounts.map((name, place) => [name, others[place] as AccountMeta] as const);
  const written = named.flatMap(([name, account]) => (WRITTEN.has(name) ? [account] : []));
  if (![...(shape.readsBalance ? [] : [balance]), ...written].every(({ role }) => isWritableRole(role))) {
    throw invalid('An account that an instruction writes is not marked as written');
  }
  return {
    by: shape.by ?? 'recipient',
    balance: balance.address,
    accounts: Object.fromEntries(named.map(([name, { address }]) => [name, address])),
  };
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** `invalid-transaction` with a sentence that repeats nothing of what was sent. */
const invalid = (what: string): Problem => new Problem('invalid-transaction', `${what}.`);
