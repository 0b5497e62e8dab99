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
  getOpenPersonalInstructionDataDecoder,
  getRedirectWithdrawalInstructionDataDecoder,
  getRefuseRecoveryInstructionDataDecoder,
  getRequestRecoveryInstructionDataDecoder,
  getRequestTransferInstructionDataDecoder,
  getRequestWithdrawalInstructionDataDecoder,
  getSetStandingOrderInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  NAME_RECOVERY_DISCRIMINATOR,
  OPEN_PERSONAL_DISCRIMINATOR,
  REDIRECT_WITHDRAWAL_DISCRIMINATOR,
  REFUSE_RECOVERY_DISCRIMINATOR,
  REQUEST_PARTS_DISCRIMINATOR,
  REQUEST_RECOVERY_DISCRIMINATOR,
  REQUEST_TRANSFER_DISCRIMINATOR,
  REQUEST_WITHDRAWAL_DISCRIMINATOR,
  readAuthorisation,
  SET_STANDING_ORDER_DISCRIMINATOR,
} from '@payouts/client';
import {
  type AccountMeta,
  type Address,
  type Base64EncodedWireTransaction,
  getBase58Decoder,
  type Instruction,
  isWritableRole,
  type Signature,
} from '@solana/kit';
import type { RecipientNotice } from '../../domain/notice.ts';
import {
  type CanonicalTransaction,
  invalidTransaction as invalid,
  readCanonical,
  sameBytes,
} from '../canonicalTransaction.ts';
import { verifyEd25519 } from '../signatures/ed25519.ts';

/** Bytes of the compute budget's instructions that a recipient may add, by their number: a limit and a price. */
const BUDGET_BYTES: Readonly<Record<number, number>> = { 2: 5, 3: 9 };

/** What a recipient may have executed: how long an instruction's data is, how many accounts it has, and which of them are which. */
type Shape = {
  readonly bytes: number;
  /** Bytes of each part, of which at least one follows. */
  readonly part?: number;
  readonly accounts: number;
  /** The account that holds what the recipient asks; the first one is the key that acts for them, the last the instructions sysvar. */
  readonly personal: number;
  readonly page?: number;
  /** The instruction reads the page, and doesn't write it. */
  readonly isPageRead?: boolean;
  readonly counter?: number;
  readonly pool?: number;
  /** Who authorises it, if it is not the recipient. */
  readonly by?: 'recoveryWallet';
  /** What the recipient is told of it, if they want to be. */
  readonly notice?: RecipientNotice;
  /** By its data, whether it is told of; not given: always. */
  readonly isTold?: (data: Instruction['data']) => boolean;
};

/** Of an instruction that names the personal account alone between the key and the sysvar. */
const alone = ({ fixedSize }: { readonly fixedSize: number }) => ({ bytes: fixedSize, accounts: 3, personal: 1 });

const MOVED = { notice: 'address.changed' } as const;
const RECOVERY = { notice: 'recovery.changed' } as const;

const OWN: Readonly<Record<number, Shape>> = {
  [OPEN_PERSONAL_DISCRIMINATOR]: {
    bytes: getOpenPersonalInstructionDataDecoder().fixedSize,
    ...{ accounts: 11, page: 2, personal: 3, counter: 4 },
  },
  [REQUEST_WITHDRAWAL_DISCRIMINATOR]: {
    bytes: getRequestWithdrawalInstructionDataDecoder().fixedSize,
    ...{ accounts: 6, personal: 1, page: 2, counter: 3, pool: 4 },
  },
  // What it takes, how many there are, whether they stand ready, and their wallets.
  [REQUEST_PARTS_DISCRIMINATOR]: {
    ...{ bytes: 1 + 8 + 2 + 1, part: 32 },
    ...{ accounts: 6, personal: 1, page: 2, counter: 3, pool: 4 },
    // Parts that stand ready are a standing order.
    ...{ ...MOVED, isTold: (data) => data?.at(-1) === 1 },
  },
  [REQUEST_TRANSFER_DISCRIMINATOR]: {
    bytes: getRequestTransferInstructionDataDecoder().fixedSize,
    ...{ accounts: 4, personal: 1, page: 2, isPageRead: true },
  },
  [REDIRECT_WITHDRAWAL_DISCRIMINATOR]: { ...alone(getRedirectWithdrawalInstructionDataDecoder()), ...MOVED },
  [CANCEL_WITHDRAWAL_DISCRIMINATOR]: alone(getCancelWithdrawalInstructionDataDecoder()),
  [SET_STANDING_ORDER_DISCRIMINATOR]: { ...alone(getSetStandingOrderInstructionDataDecoder()), ...MOVED },
  [NAME_RECOVERY_DISCRIMINATOR]: { ...alone(getNameRecoveryInstructionDataDecoder()), ...RECOVERY },
  [REFUSE_RECOVERY_DISCRIMINATOR]: { ...alone(getRefuseRecoveryInstructionDataDecoder()), ...RECOVERY },
  // Seen in the layer, whoever passes it on.
  [REQUEST_RECOVERY_DISCRIMINATOR]: { ...alone(getRequestRecoveryInstructionDataDecoder()), by: 'recoveryWallet' },
  [COMPLETE_RECOVERY_DISCRIMINATOR]: {
    ...alone(getCompleteRecoveryInstructionDataDecoder()),
    ...{ ...RECOVERY, by: 'recoveryWallet' },
  },
};

/** What a transaction does with one balance, and the accounts that it names. */
export type BalanceUse = {
  /** Whose signature authorises it: the recipient's, or the recovery wallet's. */
  readonly recipient: Address;
  readonly by: 'recipient' | 'recoveryWallet';
  /** What whose balance it is is told, if they want to be. */
  readonly notice?: RecipientNotice;
  readonly personal: Address;
  /** It makes the personal account. */
  readonly opens: boolean;
  readonly page?: Address;
  readonly counter?: Address;
  readonly pool?: Address;
};

/** A transaction that holds nothing but one of a recipient's own instructions, with their authorisation. */
export type OwnTransaction = {
  readonly wire: Base64EncodedWireTransaction;
  readonly signature: Signature;
  readonly use: BalanceUse;
};

/**
 * Reads a transaction in base 64 and checks everything that its bytes say: one signer, a key that is not the recipient and pays; one
 * instruction of these kinds of this program alone, right behind its recipient's authorisation of that key; written in the one form.
 * Whose the balance is is for the layer to say.
 *
 * Throws `invalid-transaction`; its sentence repeats nothing of what was sent.
 */
export function readOwnTransaction(text: string, program: Address): OwnTransaction {
  const { signer, signature, instructions } = signedByOne(readCanonical(text));
  const first = instructions.findIndex((instruction) => !isBudget(instruction));
  if (first < 0) throw invalid('It has no instruction of the payout program');
  const use = useOf(instructions.slice(first, first + 2), { signer, program });
  if (!instructions.slice(first + 2).every(isBudget)) throw invalid('It has more than one instruction of a recipient');
  return { wire: text as Base64EncodedWireTransaction, signature, use };
}

type SignedByOne = {
  readonly signer: Address;
  readonly signature: Signature;
  readonly instructions: readonly Instruction[];
};

function signedByOne({ messageBytes, signatures, instructions }: CanonicalTransaction): SignedByOne {
  const [only, ...others] = Object.entries(signatures);
  if (only === undefined || others.length > 0) throw invalid('It must have one signer: a key made for it');
  const [signer, signature] = only as [Address, Uint8Array | null];
  if (signature === null || !verifyEd25519(addressToBytes(signer), messageBytes as unknown as Uint8Array, signature)) {
    throw invalid('Its signature does not verify');
  }
  return { signer, signature: getBase58Decoder().decode(signature) as Signature, instructions };
}

function isBudget({ programAddress, accounts = [], data = new Uint8Array(0) }: Instruction): boolean {
  if (programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS) return false;
  return accounts.length === 0 && BUDGET_BYTES[data[0] ?? -1] === data.length;
}

/** Reads an authorisation and the instruction behind it, which it must fit. */
function useOf(
  [before, instruction]: readonly Instruction[],
  { signer, program }: { readonly signer: Address; readonly program: Address },
): BalanceUse {
  const authorisation = before && readAuthorisation(before);
  if (authorisation === undefined || instruction === undefined) {
    throw invalid("An instruction of it does not stand right behind a recipient's authorisation of the key that signs");
  }
  const { recipient, signature, message } = authorisation;
  const use = { recipient, ...actionOf(instruction, signer, program) };
  const { data = new Uint8Array(0) } = instruction;
  if (use.opens && getOpenPersonalInstructionDataDecoder().decode(data).recipient !== recipient) {
    throw invalid('An account is to be made for somebody else than whoever authorises it');
  }
  // Whoever signs is asked for on the base ledger.
  if (recipient === signer) throw invalid('Its signer must not be the recipient, but a key made for it');
  const expiresAt = expiryOf(authorisation);
  const terms = { program, personal: use.personal, signer };
  if (expiresAt === undefined || !sameBytes(message, authorisationMessage({ ...terms, expiresAt }))) {
    throw invalid('An authorisation of it is for another key, balance or program');
  }
  if (!verifyEd25519(addressToBytes(recipient), message, signature)) {
    throw invalid("An authorisation's signature does not verify");
  }
  return use;
}

function actionOf(
  { programAddress, accounts = [], data = new Uint8Array(0) }: Instruction,
  signer: Address,
  program: Address,
): Omit<BalanceUse, 'recipient'> {
  const shape = OWN[data[0] ?? -1];
  if (programAddress !== program || shape === undefined) {
    throw invalid(
      'It has an instruction that is none of openPersonal, requestWithdrawal, requestParts, requestTransfer, redirectWithdrawal, cancelWithdrawal, setStandingOrder and ' +
        'those of a recovery',
    );
  }
  if (!isOfLength(data.length, shape) || accounts.length !== shape.accounts) {
    throw invalid('An instruction of it has too much or too little in it');
  }
  if (accounts[0]?.address !== signer) throw invalid('An instruction is signed by another key than the transaction');
  if (accounts.at(-1)?.address !== INSTRUCTIONS_SYSVAR_ADDRESS) {
    throw invalid('The last account of an instruction is not the instructions sysvar');
  }
  const written = (at: number): Address => {
    const { address, role } = accounts[at] as AccountMeta;
    if (!isWritableRole(role)) throw invalid('An account that an instruction writes is not marked as written');
    return address;
  };
  return {
    personal: written(shape.personal),
    by: shape.by ?? 'recipient',
    ...(shape.notice !== undefined && (shape.isTold?.(data) ?? true) && { notice: shape.notice }),
    opens: data[0] === OPEN_PERSONAL_DISCRIMINATOR,
    ...(shape.page !== undefined && {
      page: shape.isPageRead ? (accounts[shape.page] as AccountMeta).address : written(shape.page),
    }),
    ...(shape.counter !== undefined && { counter: written(shape.counter) }),
    ...(shape.pool !== undefined && { pool: (accounts[shape.pool] as AccountMeta).address }),
  };
}

/** Whether an instruction's data is as long as its kind is. */
function isOfLength(length: number, { bytes, part }: Shape): boolean {
  if (part === undefined) return length === bytes;
  return length > bytes && (length - bytes) % part === 0;
}
