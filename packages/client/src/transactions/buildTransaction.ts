import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type InstructionWithSigners,
  isSignerRole,
  isTransactionModifyingSigner,
  isTransactionPartialSigner,
  isWritableRole,
  type Signature,
  signTransactionWithSigners,
  type Transaction,
  type TransactionMessageBytes,
  type TransactionSigner,
  type TransactionWithinSizeLimit,
  type TransactionWithLifetime,
} from '@solana/kit';
import { computeUnitLimitInstruction, computeUnitPriceInstruction } from './computeBudget.ts';
import { compileLegacyMessage, type RawInstruction } from './legacyMessage.ts';

/** The blockhash that a transaction names and the last block height at which it is still accepted. */
export type Lifetime = { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint };

/** A signed transaction, ready for `sendTransaction`. */
export type SignedTransaction = {
  /** The transaction's bytes in base 64. */
  readonly wire: Base64EncodedWireTransaction;
  /** The fee payer's signature, by which the ledger knows the transaction. */
  readonly signature: Signature;
};

/** Input of `buildTransaction`; limit in compute units, price in micro-lamports for each. */
export type TransactionInput = {
  readonly feePayer: TransactionSigner;
  readonly instructions: readonly Instruction[];
  readonly lifetime: Lifetime;
  readonly computeUnitLimit?: number;
  readonly computeUnitPrice?: bigint;
};

/** What instructions need of an account, all together. */
type Need = { signs: boolean; isWritten: boolean };

function needsOf(feePayer: Address, instructions: readonly Instruction[]): Map<Address, Need> {
  const needs = new Map<Address, Need>([[feePayer, { signs: true, isWritten: true }]]);
  for (const { address, role } of instructions.flatMap(({ accounts }) => accounts ?? [])) {
    const known = needs.get(address) ?? { signs: false, isWritten: false };
    const [signs, isWritten] = [known.signs || isSignerRole(role), known.isWritten || isWritableRole(role)];
    needs.set(address, { signs, isWritten });
  }
  return needs;
}

/** How many bytes a transaction may have differs between the ledgers, which see to it. */
type Unsigned = Transaction & TransactionWithinSizeLimit & TransactionWithLifetime;

/** A message as its signers are given it. */
export const unsignedOf = (message: Uint8Array, signers: readonly Address[], lifetime: Lifetime): Unsigned =>
  ({
    messageBytes: message as unknown as TransactionMessageBytes,
    signatures: Object.fromEntries(signers.map((address) => [address, null])),
    lifetimeConstraint: lifetime,
  }) as unknown as Unsigned;

/** An ordinary transaction's message, and who signs it, in order; the fee payer first. */
export function compileMessage(
  input: Omit<TransactionInput, 'feePayer'> & { readonly feePayer: { address: Address } },
) {
  const { feePayer, instructions, lifetime, computeUnitLimit, computeUnitPrice } = input;
  const needs = [...needsOf(feePayer.address, instructions)];
  const addresses = (signs: boolean, isWritten: boolean) =>
    needs.flatMap(([address, need]) => (need.signs === signs && need.isWritten === isWritten ? [address] : []));
  const raw: RawInstruction[] = instructions.map(({ programAddress, accounts = [], data = new Uint8Array(0) }) => ({
    program: programAddress,
    accounts: accounts.map(({ address }) => address),
    data: data as Uint8Array,
  }));
  if (computeUnitPrice !== undefined) raw.unshift(computeUnitPriceInstruction(computeUnitPrice));
  if (computeUnitLimit !== undefined) raw.unshift(computeUnitLimitInstruction(computeUnitLimit));
  const [signers, readonlySigners] = [addresses(true, true), addresses(true, false)];
  const message = compileLegacyMessage({
    signers,
    readonlySigners,
    writable: addresses(false, true),
    readonly: [...addresses(false, false), ...raw.map(({ program }) => program)],
    blockhash: lifetime.blockhash,
    instructions: raw,
  }) as Uint8Array;
  return { message, signers: [...signers, ...readonlySigners] };
}

/**
 * Compiles and signs an ordinary transaction for either ledger with every signer that its instructions carry. Throws kit's
 * `SolanaError` if a signature is missing.
 */
export async function buildTransaction(input: TransactionInput): Promise<SignedTransaction> {
  const { feePayer, instructions, lifetime } = input;
  const { message, signers } = compileMessage(input);
  const carried = (instructions as readonly InstructionWithSigners[]).flatMap(({ accounts }) =>
    (accounts ?? []).flatMap((account) => ('signer' in account ? [account.signer] : [])),
  );
  const able = [feePayer, ...carried].filter(
    (signer) => isTransactionModifyingSigner(signer) || isTransactionPartialSigner(signer),
  );
  const transaction = await signTransactionWithSigners(able, unsignedOf(message, signers, lifetime));
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction) };
}
