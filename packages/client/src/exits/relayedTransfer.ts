import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type TransactionSigner,
} from '@solana/kit';
import {
  CLOSE_ACCOUNT_DISCRIMINATOR,
  getCloseAccountInstruction,
  getTransferCheckedInstruction,
  parseCloseAccountInstruction,
  parseTransferCheckedInstruction,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import { type Deployment, findSponsorAddress, findTokenAddress } from '../accounts/addresses.ts';
import { TOKEN_2022_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import type { TokenInfo } from '../accounts/tokenInfo.ts';
import { computeUnitLimitInstruction, computeUnitPriceInstruction } from '../transactions/computeBudget.ts';
import type { RawInstruction } from '../transactions/legacyMessage.ts';

const TOKEN_PROGRAMS: readonly Address[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];
/** Bytes of an instruction's data: its number; amount u64 and decimals u8. Of it and its accounts nothing is left open. */
const TRANSFER = { number: TRANSFER_CHECKED_DISCRIMINATOR, bytes: 10, accounts: 4 };
const CLOSE = { number: CLOSE_ACCOUNT_DISCRIMINATOR, bytes: 1, accounts: 3 };

/** Transfers that a coordinator pays the fee of, for each payout that a wallet got. */
export const RELAYED_TRANSFERS = 3;

/** What a coordinator pays the fees of a wallet's first transfers by; the same for everybody. */
export type RelayTerms = {
  /** Who pays. */
  readonly payer: Address;
  /** Micro-lamports a compute unit. */
  readonly computeUnitPrice: bigint;
  readonly computeUnitLimit: number;
};

/** What is sent from a wallet; `amount` and `holds`, what the wallet has, in base units. */
export type RelayedTransfer = {
  readonly wallet: TransactionSigner;
  readonly token: Pick<TokenInfo, 'mint' | 'decimals' | 'program'>;
  readonly amount: bigint;
  readonly holds: bigint;
  /** The token account that gets it. It must be there. */
  readonly destination: Address;
  readonly terms: RelayTerms;
  readonly blockhash: Blockhash;
};

/**
 * A transfer from a wallet that has no SOL, in base 64 and signed by the wallet alone: the fee's payer signs it last. What empties the
 * token account closes it, and its rent goes back to the token's sponsor, which has lent it.
 */
export async function buildRelayedTransfer(
  { wallet, token, amount, holds, destination, terms, blockhash }: RelayedTransfer,
  deployment: Deployment = {},
): Promise<string> {
  const { mint, decimals, program } = token;
  const source = await findTokenAddress(wallet.address, mint, program);
  const how = { programAddress: program };
  const instructions: Instruction[] = [
    instructionOf(computeUnitLimitInstruction(terms.computeUnitLimit)),
    instructionOf(computeUnitPriceInstruction(terms.computeUnitPrice)),
    getTransferCheckedInstruction({ source, mint, destination, authority: wallet, amount, decimals }, how),
  ];
  if (amount === holds) {
    const sponsor = await findSponsorAddress(mint, deployment);
    instructions.push(getCloseAccountInstruction({ account: source, destination: sponsor, owner: wallet }, how));
  }
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (started) => setTransactionMessageFeePayerSigner(createNoopSigner(terms.payer), started),
    // The height is the coordinator's to know, which follows the transaction.
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  return getBase64EncodedWireTransaction(await partiallySignTransactionMessageWithSigners(message));
}

const instructionOf = ({ program, data }: RawInstruction): Instruction => ({ programAddress: program, data });

/** What such a transaction says; nobody has checked yet whether any of it is so. Amount in base units. */
export type WrittenTransfer = {
  readonly wallet: Address;
  readonly mint: Address;
  readonly program: Address;
  readonly source: Address;
  readonly destination: Address;
  readonly amount: bigint;
  readonly decimals: number;
  /** Who gets the rent of the token account, which it closes; undefined: it stays open. */
  readonly closesTo: Address | undefined;
  readonly computeUnitLimit: number;
  readonly computeUnitPrice: bigint;
};

/** Reads instructions that `buildRelayedTransfer` writes; undefined: they are others, or there are more. */
export function readRelayedTransfer(instructions: readonly Instruction[]): WrittenTransfer | undefined {
  const [limit, price, transfer, close, ...more] = instructions;
  if (limit === undefined || price === undefined || transfer === undefined || more.length > 0) return undefined;
  const computeUnitLimit = budgetOf(limit, computeUnitLimitInstruction(0), (view) => view.getUint32(1, true));
  const computeUnitPrice = budgetOf(price, computeUnitPriceInstruction(0n), (view) => view.getBigUint64(1, true));
  const moved = parsed(transfer, TRANSFER, parseTransferCheckedInstruction);
  if (computeUnitLimit === undefined || computeUnitPrice === undefined || moved === undefined) return undefined;
  const { source, mint, destination, authority } = moved.accounts;
  const { amount, decimals } = moved.data;
  const written = { wallet: authority.address, mint: mint.address, program: transfer.programAddress, decimals, amount };
  const all = {
    ...written,
    source: source.address,
    destination: destination.address,
    computeUnitLimit,
    computeUnitPrice,
  };
  if (close === undefined) return { ...all, closesTo: undefined };
  const closed = parsed(close, CLOSE, parseCloseAccountInstruction)?.accounts;
  const isSame =
    close.programAddress === all.program &&
    closed?.account.address === all.source &&
    closed.owner.address === all.wallet;
  return isSame ? { ...all, closesTo: closed.destination.address } : undefined;
}

/** The number that an instruction of the compute budget's carries; undefined: it is another instruction. */
function budgetOf<T>(
  { programAddress, accounts = [], data }: Instruction,
  like: RawInstruction,
  read: (view: DataView) => T,
): T | undefined {
  if (programAddress !== like.program || accounts.length > 0 || data?.length !== like.data.length) return undefined;
  return data[0] === like.data[0] ? read(new DataView(data.buffer, data.byteOffset)) : undefined;
}

/** A token program's instruction of this kind and nothing more; undefined: it is another. */
function parsed<T>(
  instruction: Instruction,
  { number, bytes, accounts }: typeof TRANSFER,
  parse: (instruction: never) => T,
): T | undefined {
  const { programAddress, data } = instruction;
  const isLike =
    TOKEN_PROGRAMS.includes(programAddress) &&
    data?.length === bytes &&
    data[0] === number &&
    instruction.accounts?.length === accounts;
  return isLike ? parse(instruction as never) : undefined;
}
