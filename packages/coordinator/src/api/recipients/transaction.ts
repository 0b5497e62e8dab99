import {
  addressToBytes,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getRedirectWithdrawalInstructionDataDecoder,
  getRequestWithdrawalInstructionDataDecoder,
  getSetStandingOrderInstructionDataDecoder,
  REDIRECT_WITHDRAWAL_DISCRIMINATOR,
  REQUEST_WITHDRAWAL_DISCRIMINATOR,
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
/** Bytes of the compute budget's instructions that a recipient may add, by their number: a limit and a price. */
const BUDGET_BYTES: Readonly<Record<number, number>> = { 2: 5, 3: 9 };

/**
 * What a recipient may have executed: how long each instruction's data is and how many accounts it has. The first account is the
 * recipient, the second their balance, and a withdrawal's others its token's counter and pool.
 */
const OWN: Readonly<Record<number, { readonly bytes: number; readonly accounts: number }>> = {
  [REQUEST_WITHDRAWAL_DISCRIMINATOR]: { bytes: getRequestWithdrawalInstructionDataDecoder().fixedSize, accounts: 4 },
  [REDIRECT_WITHDRAWAL_DISCRIMINATOR]: { bytes: getRedirectWithdrawalInstructionDataDecoder().fixedSize, accounts: 2 },
  [SET_STANDING_ORDER_DISCRIMINATOR]: { bytes: getSetStandingOrderInstructionDataDecoder().fixedSize, accounts: 2 },
};

/** A transaction that holds nothing but a recipient's own instructions, signed by them. */
export type OwnTransaction = {
  readonly wire: Base64EncodedWireTransaction;
  readonly signature: Signature;
  readonly signer: Address;
  /** The balances that it is about; a withdrawal's with the counter and the pool that it names. */
  readonly uses: readonly { readonly balance: Address; readonly token?: { counter: Address; pool: Address } }[];
};

/**
 * Reads a transaction in base 64 and checks everything that its bytes say: one signer, who pays, signs and is the recipient of every
 * instruction; instructions of these kinds of this program alone; written in the one form. Whose the balances are is for the layer to say.
 *
 * Throws `invalid-transaction`; its sentence repeats nothing of what was sent.
 */
export function readOwnTransaction(text: string, program: Address): OwnTransaction {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_BYTES) throw invalid('It is longer than a transaction may be');
  if (bytes.toString('base64') !== text) throw invalid('It is not base 64');
  const { signer, signature, instructions } = decoded(bytes);
  const own = instructions.filter((instruction) => !isBudget(instruction));
  if (own.length === 0) throw invalid('It has no instruction of the payout program');
  const uses = own.map((instruction) => useOf(instruction, signer, program));
  return { wire: text as Base64EncodedWireTransaction, signature, signer, uses };
}

type Decoded = {
  readonly signer: Address;
  readonly signature: Signature;
  readonly instructions: readonly Instruction[];
};

function decoded(bytes: Uint8Array): Decoded {
  const { messageBytes, signatures, instructions } = parsed(bytes);
  const [only, ...others] = Object.entries(signatures);
  if (only === undefined || others.length > 0) throw invalid('It must have one signer: the recipient');
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

function useOf(
  { programAddress, accounts = [], data = new Uint8Array(0) }: Instruction,
  signer: Address,
  program: Address,
): OwnTransaction['uses'][number] {
  const shape = OWN[data[0] ?? -1];
  if (programAddress !== program || shape === undefined) {
    throw invalid('It has an instruction that is none of requestWithdrawal, redirectWithdrawal and setStandingOrder');
  }
  if (data.length !== shape.bytes || accounts.length !== shape.accounts) {
    throw invalid('An instruction of it has too much or too little in it');
  }
  const [recipient, balance, counter, pool] = accounts as [AccountMeta, AccountMeta, AccountMeta?, AccountMeta?];
  if (recipient.address !== signer) throw invalid('The recipient of an instruction is not the signer');
  if (!isWritableRole(balance.role) || (counter !== undefined && !isWritableRole(counter.role))) {
    throw invalid('An account that an instruction writes is not marked as written');
  }
  if (counter === undefined || pool === undefined) return { balance: balance.address };
  return { balance: balance.address, token: { counter: counter.address, pool: pool.address } };
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** `invalid-transaction` with a sentence that repeats nothing of what was sent. */
const invalid = (what: string): Problem => new Problem('invalid-transaction', `${what}.`);
