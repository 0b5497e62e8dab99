import {
  AccountRole,
  type Address,
  type Instruction,
  type ReadonlyUint8Array,
  type TransactionSigner,
} from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';
import {
  type Deployment,
  findBatchAddress,
  findPageAddress,
  findPoolAddress,
  findRedeemedPageAddress,
  findScheduleAddress,
  findSponsorAddress,
  findTokenAddress,
  findVaultAddress,
  findWhitelistEntryAddress,
  type PersonalName,
} from '../accounts/addresses.ts';
import { addressToBytes } from '../accounts/base58.ts';
import { TOKEN_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import {
  getCreateScheduleInstructionAsync,
  getDelegateScheduleInstructionAsync,
  getInitCounterInstructionAsync,
  getInitPoolInstructionAsync,
  getInitVaultInstructionAsync,
  getOpenPersonalInstructionAsync,
  getRecordLiabilitiesInstructionAsync,
  getRedeemInstructionAsync,
  getRequestPartsInstructionAsync,
  getRequestTransferInstruction,
  getRequestWithdrawalInstructionAsync,
  getSettleInstructionAsync,
  getSettleInstructionDataDecoder,
  type Liabilities,
  MissedWindows,
  SETTLE_DISCRIMINATOR,
} from '../generated/index.ts';
import type { LiabilityBalanceLeaf } from '../merkle/liabilities.ts';
import { MAX_U64 } from '../merkle/limits.ts';
import type { RecipientList } from '../merkle/list.ts';
import { type BalanceOwner, deliveryCode, openingOf, type PayoutDelivery } from '../merkle/owner.ts';
import { ownerOfPaymentCode } from '../recipients/paymentCode.ts';
import { type Calendar, calendarToLedger } from '../rules/calendar.ts';
import type { BalancePlace } from './claimTransaction.ts';
import { derivePermissionAddress } from './permissions.ts';

/** Accounts of `settle` that its windows have in common, and each window's. */
const SETTLE_ACCOUNTS = 6;
const SETTLE_ACCOUNTS_EACH = 4;

/** Withdrawals of one balance that may be under way at a time. */
export const MOST_WITHDRAWALS = 16;

/** The token that an instruction set moves; SPL Token by default. */
type Token = { readonly mint: Address; readonly tokenProgram?: Address };

/** What employers prepay, lamports each: a config's and a pool's terms, or those that a schedule was created under. */
export type ScheduleFees = {
  readonly windowFee: number;
  readonly recipientFee: number;
  /** For each token account that a window's money can have the sponsor open. */
  readonly openingFee: number;
  /** Base units of the least withdrawal for which it opens one; 0: any, the u64 maximum: none. Both ask for no fee. */
  readonly leastOpening: bigint;
};

/** Token accounts that so many base units can have the sponsor open, as far as they are prepaid. */
export const prepaidOpenings = ({ leastOpening }: Pick<ScheduleFees, 'leastOpening'>, amount: bigint): bigint =>
  leastOpening === 0n || leastOpening === MAX_U64 ? 0n : (amount + leastOpening - 1n) / leastOpening;

/**
 * Lamports that an employer prepays for so many windows of `amount` base units, and for so many recipients of a list; `opened` of the windows
 * have paid for their openings. What no window uses comes back when the schedule is closed.
 */
export function scheduleFees(
  fees: ScheduleFees,
  promised: {
    readonly windows: number;
    readonly recipients: number;
    readonly amount: bigint;
    readonly opened?: number;
  },
): bigint {
  const openings = BigInt(fees.openingFee) * prepaidOpenings(fees, promised.amount);
  const { windows, recipients, opened = 0 } = promised;
  const perWindow = BigInt(fees.windowFee) * BigInt(windows) + openings * BigInt(windows - opened);
  return perWindow + BigInt(fees.recipientFee) * BigInt(recipients);
}

/** Options of `createPoolInstructions`. */
export type CreatePoolOptions = Token &
  Deployment & {
    /** Pays rent. */
    readonly payer: TransactionSigner;
    /** What the token has on the ledger already; what it has not is created. */
    readonly existing?: { readonly pool?: boolean; readonly counter?: boolean };
  };

/** Creates a token's pool with its token account, and its withdrawal counter, where they are missing. */
export async function createPoolInstructions(input: CreatePoolOptions): Promise<Instruction[]> {
  const { payer, mint, existing = {} } = input;
  const tokenProgram = input.tokenProgram ?? TOKEN_PROGRAM_ADDRESS;
  const deployment = deploymentOf(input);
  const pool = await findPoolAddress(mint, deployment);
  const instructions: Instruction[] = [];
  if (!existing.pool) {
    instructions.push(
      await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: pool, mint, tokenProgram }),
      await getInitPoolInstructionAsync({ payer, pool, mint, tokenProgram }, deployment),
    );
  }
  if (!existing.counter) instructions.push(await getInitCounterInstructionAsync({ payer, pool, mint }, deployment));
  return instructions;
}

/** Options of `createVaultInstructions`. */
export type CreateVaultOptions = Omit<CreatePoolOptions, 'payer'> & {
  readonly employer: TransactionSigner;
  /** Pays rent; the employer by default. */
  readonly payer?: TransactionSigner;
};

/**
 * Creates an employer's vault with its token account, or opens a closed one again, and before it creates the token's pool and
 * withdrawal counter where they are missing.
 */
export async function createVaultInstructions(input: CreateVaultOptions): Promise<Instruction[]> {
  const { employer, mint } = input;
  const payer = input.payer ?? employer;
  const tokenProgram = input.tokenProgram ?? TOKEN_PROGRAM_ADDRESS;
  const deployment = deploymentOf(input);
  const [pool, vault] = await Promise.all([
    findPoolAddress(mint, deployment),
    findVaultAddress(employer.address, mint, deployment),
  ]);
  const vaultToken = await findTokenAddress(vault, mint, tokenProgram);
  return [
    ...(await createPoolInstructions({ ...input, payer })),
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: vault, mint, tokenProgram }),
    await getInitVaultInstructionAsync({ employer, payer, pool, vault, mint, vaultToken }, deployment),
  ];
}

/** What the ledger is told of a list. */
export type PromisedList = Pick<RecipientList, 'root' | 'total'> & {
  readonly recipients: { readonly length: number };
};

/** Options of `createScheduleInstructions`; `batchTimeout` in seconds, `firstExecution` in unix seconds. */
export type CreateScheduleOptions = Deployment & {
  readonly employer: TransactionSigner;
  /** Pays rent; the employer by default. */
  readonly payer?: TransactionSigner;
  readonly mint: Address;
  /** The employer's own number for the schedule, at least the vault's `nextId`. */
  readonly id: bigint;
  readonly list: PromisedList;
  readonly calendar: Calendar;
  readonly firstExecution: bigint;
  readonly executions: number;
  readonly batchTimeout: number;
  /** What happens to windows whose time has passed unopened; caught up in order by default. */
  readonly missed?: 'catchUp' | 'skip';
  /** Windows that a schedule without an end keeps reserved, 1 to 255: then `executions` are those whose fees are prepaid. Without it, the schedule ends after its executions. */
  readonly keep?: number;
  /** Lamports of fees to prepay at most, else the ledger refuses: `FeesTooHigh`. By default whatever the config asks for. See `scheduleFees`. */
  readonly maxFees?: bigint;
};

/** Registers a schedule over a recipients' list and reserves its executions in the employer's vault; of one without an end, the windows that it keeps. */
export async function createScheduleInstructions(input: CreateScheduleOptions): Promise<Instruction[]> {
  const { employer, mint, id, list } = input;
  const deployment = deploymentOf(input);
  const vault = await findVaultAddress(employer.address, mint, deployment);
  const schedule = await findScheduleAddress(vault, id, deployment);
  const instruction = await getCreateScheduleInstructionAsync(
    {
      employer,
      payer: input.payer ?? employer,
      mintEntry: await findWhitelistEntryAddress(mint, deployment),
      mint,
      vault,
      schedule,
      id,
      root: list.root,
      amount: list.total,
      recipients: list.recipients.length,
      ...calendarToLedger(input.calendar),
      firstExecution: input.firstExecution,
      executions: input.executions,
      batchTimeout: input.batchTimeout,
      missed: input.missed === 'skip' ? MissedWindows.Skip : MissedWindows.CatchUp,
      kept: input.keep ?? 0,
      ...(input.maxFees !== undefined && { maxFees: input.maxFees }),
    },
    deployment,
  );
  return [instruction];
}

/** Options of `delegateScheduleInstructions`. */
export type DelegateScheduleOptions = Token &
  Deployment & {
    /** The execution authority; signs and pays. */
    readonly authority: TransactionSigner;
    readonly schedule: Address;
    readonly vault: Address;
    /** Number of the window to open. */
    readonly window: bigint;
    /** `rootVersion` of the list to open; if another one is in force by then, the ledger refuses it: `WrongRootVersion`. */
    readonly rootVersion: number;
    /** Lamports lent to the batch for the balances that it will create: `balanceRent`. What is left of them returns at the settlement. */
    readonly lendLamports?: bigint;
  };

/** Opens a window of a schedule and hands its batch to the execution layer. */
export async function delegateScheduleInstructions(input: DelegateScheduleOptions): Promise<Instruction[]> {
  const { authority, schedule, vault, mint, window, rootVersion, lendLamports = 0n } = input;
  const deployment = deploymentOf(input);
  const batch = await findBatchAddress(schedule, deployment);
  const instruction = await getDelegateScheduleInstructionAsync(
    {
      authority,
      schedule,
      batch,
      vault,
      mint,
      tokenProgram: input.tokenProgram ?? TOKEN_PROGRAM_ADDRESS,
      window,
      rootVersion,
      lend: lendLamports,
      sponsor: await findSponsorAddress(mint, deployment),
    },
    deployment,
  );
  return [instruction];
}

/** Options of `settleInstructions`. */
export type SettleOptions = Token &
  Deployment & {
    /** The execution authority. */
    readonly authority: TransactionSigner;
    readonly windows: readonly {
      readonly schedule: Address;
      readonly vault: Address;
      readonly window: bigint;
      /** Base units: what the liabilities tree says that it has paid. The ledger refuses where its batch says otherwise. */
      readonly paid: bigint;
    }[];
    /** A liabilities tree that knows the windows, to be recorded before; undefined: it is recorded already. */
    readonly liabilities?: Liabilities | undefined;
  };

/** Settles windows of one token whose batches have come back, after a recording that knows them. */
export async function settleInstructions(input: SettleOptions): Promise<Instruction[]> {
  const { authority, mint, liabilities } = input;
  const tokenProgram = input.tokenProgram ?? TOKEN_PROGRAM_ADDRESS;
  const deployment = deploymentOf(input);
  const windowAccounts: Address[] = [];
  for (const { schedule, vault } of input.windows) {
    const batch = await findBatchAddress(schedule, deployment);
    windowAccounts.push(schedule, batch, vault, await findTokenAddress(vault, mint, tokenProgram));
  }
  const paid = input.windows.reduce((sum, window) => sum + window.paid, 0n);
  const windows = input.windows.map(({ window }) => window);
  const settle = await getSettleInstructionAsync(
    { authority, mint, tokenProgram, paid, windows, windowAccounts },
    deployment,
  );
  if (liabilities === undefined) return [settle];
  return [await getRecordLiabilitiesInstructionAsync({ authority, mint, liabilities }, deployment), settle];
}

/** What an instruction settles. */
export type SettledTogether = {
  readonly authority: Address;
  readonly mint: Address;
  /** Base units: what the windows have paid together. */
  readonly paid: bigint;
  readonly windows: readonly {
    readonly schedule: Address;
    readonly batch: Address;
    readonly vault: Address;
    readonly vaultToken: Address;
    readonly window: bigint;
  }[];
};

/** What an instruction of the ledger program settles; undefined if it is no settlement, or one whose accounts are not all there. */
export function readSettlement(
  data: ReadonlyUint8Array,
  accounts: readonly (Address | undefined)[],
): SettledTogether | undefined {
  if (data[0] !== SETTLE_DISCRIMINATOR) return undefined;
  const { paid, windows: numbers } = getSettleInstructionDataDecoder().decode(data);
  const [authority, , , , mint] = accounts;
  const windows = numbers.flatMap((window, place) => {
    const [schedule, batch, vault, vaultToken] = accounts.slice(
      SETTLE_ACCOUNTS + place * SETTLE_ACCOUNTS_EACH,
      SETTLE_ACCOUNTS + (place + 1) * SETTLE_ACCOUNTS_EACH,
    );
    if (schedule === undefined || batch === undefined || vault === undefined || vaultToken === undefined) return [];
    return [{ schedule, batch, vault, vaultToken, window }];
  });
  if (authority === undefined || mint === undefined || windows.length < numbers.length) return undefined;
  return { authority, mint, paid, windows };
}

/** A private balance that somebody can ask for: whose it is, and where. */
export type PrivateBalance = BalanceOwner & BalancePlace & { readonly mint: Address };

/** Options of `openPersonalInstruction`. */
export type OpenPersonalOptions = Deployment & {
  /** The recipient, a key that acts for them (see `actFor`), or the execution authority. */
  readonly signer: TransactionSigner;
  readonly balance: PrivateBalance;
  readonly executionAuthority: Address;
  /** Whether the layer has read permissions: then the execution authority alone may read the account. */
  readonly isPrivate: boolean;
  /** Of `personalNamed`. */
  readonly personal: PersonalName;
  /** Withdrawals that may be under way at a time, 16 at most and by default. */
  readonly withdrawals?: number;
};

/** Makes the account that holds what a recipient asks of their balance; for the execution layer. */
export async function openPersonalInstruction(input: OpenPersonalOptions): Promise<Instruction> {
  const { signer, balance, executionAuthority, isPrivate, withdrawals = MOST_WITHDRAWALS } = input;
  const { number, address: personal } = input.personal;
  const { mint, page, slot, recipient, salt, delivery } = balance;
  const deployment = deploymentOf(input);
  const permission = derivePermissionAddress(personal);
  const instruction = await getOpenPersonalInstructionAsync(
    {
      ...{ signer, page, personal, executionAuthority, recipient, slot, number, withdrawals },
      mint,
      permission,
      opening: openingOf(salt),
      delivery: deliveryCode(delivery),
      isPrivate: isPrivate ? 1 : 0,
    },
    deployment,
  );
  if (!isPrivate) return instruction;
  const accounts = instruction.accounts.map((account) =>
    account.address === permission ? { ...account, role: AccountRole.WRITABLE } : account,
  );
  return { ...instruction, accounts };
}

/** Options of `requestWithdrawalInstructions`. */
export type RequestWithdrawalOptions = Deployment & {
  /** The recipient, or a key that acts for them: see `actFor`. */
  readonly signer: TransactionSigner;
  /** The account that `openPersonalInstruction` made, and the page where the balance is. */
  readonly personal: Address;
  readonly page: Address;
  readonly mint: Address;
  /** Base units, or everything that is available. */
  readonly amount: bigint | 'all';
  /** The wallet that receives the tokens; its token account is created when missing. */
  readonly wallet: Address;
  /** Unix seconds at which it is released, 90 days ahead at most; by default, and if past, at once. See `drawReleaseTime`. */
  readonly dueAt?: bigint;
};

/** Takes money out of a private balance, to be paid to a wallet; for the execution layer. */
export async function requestWithdrawalInstructions(input: RequestWithdrawalOptions): Promise<Instruction[]> {
  const { signer, personal, page, mint, wallet, dueAt = 0n } = input;
  const amount = input.amount === 'all' ? MAX_U64 : input.amount;
  const asked = { signer, personal, page, mint, amount, wallet, dueAt };
  return [await getRequestWithdrawalInstructionAsync(asked, deploymentOf(input))];
}

/** Options of `requestPartsInstructions`. */
export type RequestPartsOptions = Pick<RequestWithdrawalOptions, 'signer' | 'personal' | 'page' | 'mint'> &
  Deployment & {
    /** Base units of each part. */
    readonly size: bigint;
    /** One for each part; their token accounts are created when missing. */
    readonly wallets: readonly Address[];
    /** They stand ready until the balance has as much, each by itself. */
    readonly stands?: boolean;
  };

/** Takes equal parts out of a private balance, which leave in a round with others'; for the execution layer. */
export async function requestPartsInstructions(input: RequestPartsOptions): Promise<Instruction[]> {
  const { signer, personal, page, mint, size } = input;
  const wallets = input.wallets.map(addressToBytes);
  const asked = { signer, personal, page, mint, size, wallets, stands: input.stands ? 1 : 0 };
  return [await getRequestPartsInstructionAsync(asked, deploymentOf(input))];
}

/** Options of `requestTransferInstruction`. */
export type RequestTransferOptions = Pick<RequestWithdrawalOptions, 'signer' | 'personal' | 'page'> &
  Deployment & {
    /** Base units. */
    readonly amount: bigint;
    readonly paymentCode: string;
  };

/**
 * Pays from a private balance to a payment code, as the execution authority then does; for the execution layer. Throws
 * `INVALID_PAYMENT_CODE`.
 */
export function requestTransferInstruction(input: RequestTransferOptions): Instruction {
  const { signer, personal, page, amount, paymentCode } = input;
  const code = ownerOfPaymentCode(paymentCode);
  return getRequestTransferInstruction({ signer, personal, page, amount, code }, deploymentOf(input));
}

/** Options of `redeemInstructions`. */
export type RedeemOptions = Token &
  Deployment & {
    readonly recipient: TransactionSigner;
    /** Pays rent; the recipient by default. */
    readonly payer?: TransactionSigner;
    /** The recipient's leaf of the liabilities tree that was recorded last, and its proof. */
    readonly leaf: LiabilityBalanceLeaf;
    /** The recipient's secret, which opens the leaf's owner, and where the balance's money goes. */
    readonly salt: Uint8Array;
    readonly delivery: PayoutDelivery;
    readonly proof: readonly Uint8Array[];
    /** Receives the tokens, the recipient by default; its token account is created when missing. */
    readonly wallet?: Address;
  };

/** Takes what the recorded liabilities tree says of a balance out of the pool, when the execution layer is lost. */
export async function redeemInstructions(input: RedeemOptions): Promise<Instruction[]> {
  const { recipient, mint, leaf, salt, delivery, proof } = input;
  const payer = input.payer ?? recipient;
  const owner = input.wallet ?? recipient.address;
  const tokenProgram = input.tokenProgram ?? TOKEN_PROGRAM_ADDRESS;
  const deployment = deploymentOf(input);
  const { index, amount, number, blind } = leaf;
  const [destinationToken, redeemed, page] = await Promise.all([
    findTokenAddress(owner, mint, tokenProgram),
    findRedeemedPageAddress(mint, index, deployment),
    findPageAddress(mint, number, deployment),
  ]);
  return [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner, mint, tokenProgram }),
    await getRedeemInstructionAsync(
      {
        recipient,
        payer,
        mint,
        tokenProgram,
        destinationToken,
        redeemed,
        page,
        index,
        opening: openingOf(salt),
        delivery: deliveryCode(delivery),
        amount,
        number,
        blind,
        proof: [...proof],
      },
      deployment,
    ),
  ];
}

function deploymentOf({ programAddress }: Deployment): Deployment {
  return programAddress === undefined ? {} : { programAddress };
}
