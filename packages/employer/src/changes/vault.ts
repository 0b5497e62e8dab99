import {
  createVaultInstructions,
  fetchMaybeWhitelistEntry,
  findTokenAddress,
  findWhitelistEntryAddress,
  getBookSurplusInstruction,
  getCloseVaultInstructionAsync,
  getDepositInstruction,
  getWithdrawApprovedInstructionAsync,
  getWithdrawInstructionAsync,
  tokenPowers,
  tokensIn,
} from '@payouts/client';
import { type Address, fetchEncodedAccount, type Instruction, type TransactionSigner } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';
import { sol, withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { hasPool, poolSteps, SPONSOR_LAMPORTS } from '../pool.ts';
import type { EmployerSession, OwnVault } from '../session.ts';
import type { TokenInfo } from '../token.ts';
import { surplusOf } from '../vault.ts';
import { atOnce, type PlannedChange, type Steps } from './change.ts';

/** What opens an employer's vault, and the token's pool when it is the first. */
export async function openVaultSteps(
  { ledgers, employer }: Pick<EmployerSession, 'ledgers' | 'employer'>,
  { mint, program: tokenProgram }: Pick<TokenInfo, 'mint' | 'program'>,
): Promise<Steps> {
  const [first = [], second = [], third = []] = await poolSteps(ledgers, employer, mint, tokenProgram);
  const existing = { pool: true, counter: true };
  const [account, vault] = await createVaultInstructions({ employer, mint, tokenProgram, existing });
  const [opensAccount, opensVault] = [account, vault].map((each) => (each === undefined ? [] : [each]));
  // A vault takes its token's pool; its token account takes nothing.
  const steps =
    second.length === 0
      ? [[...first, opensAccount], [opensVault]]
      : [[...first, opensAccount], second, [...third, opensVault]];
  return steps as Steps;
}

/** Throws `Failure` token-not-listed: somebody has a power over the token, and governance has not listed it. */
async function checkListed({ base }: EmployerSession['ledgers'], { mint, name }: TokenInfo): Promise<void> {
  const [account, entry] = await Promise.all([
    fetchEncodedAccount(base, mint),
    findWhitelistEntryAddress(mint).then((address) => fetchMaybeWhitelistEntry(base, address)),
  ]);
  const powers = account.exists ? tokenPowers(account.data as Uint8Array) : [];
  if (powers.length === 0 || (entry.exists && entry.data.allowed === 1)) return;
  throw new Failure(
    'token-not-listed',
    `${name} is not listed here, and it must be: its issuer can ${powers.join(', ')}. Ask whoever governs this deployment to list ${mint}.`,
  );
}

/** Opens an employer's vault of a token. Throws `Failure` token-not-listed. */
export async function openVaultChange(session: EmployerSession, token: TokenInfo): Promise<PlannedChange> {
  await checkListed(session.ledgers, token);
  const isServed = await hasPool(session.ledgers, token.mint);
  const effects = [`Opens your vault of ${token.name}`, token.mint];
  if (!isServed) {
    const first = 'You are the first with this token: its pool is opened, too';
    effects.push(`${first}, with ${sol(SPONSOR_LAMPORTS)} SOL for recipients' token accounts.`);
  }
  return {
    effects,
    plan: { mint: token.mint, opensPool: !isServed },
    steps: await openVaultSteps(session, token),
    done: 'Opened.',
    result: { mint: token.mint },
  };
}

/** Moves tokens (base units) from the employer's wallet into their vault. Throws `Failure` tokens-short. */
export async function depositTokens(own: OwnVault, amount: bigint): Promise<PlannedChange> {
  const { employer, ledgers, token, vault } = own;
  const source = await findTokenAddress(employer.address, token.mint, token.program);
  const owned = await tokensIn(ledgers.base, source);
  if (owned < amount) {
    throw new Failure(
      'tokens-short',
      `Your wallet has ${withName(owned, token)}, which is less than ${withName(amount, token)}.`,
    );
  }
  const instruction = getDepositInstruction({
    depositor: employer,
    sourceToken: source,
    vault: vault.address,
    vaultToken: vault.vault.tokenAccount,
    mint: token.mint,
    tokenProgram: token.program,
    amount,
  });
  return {
    effects: [
      `Moves ${withName(amount, token)} from your wallet into your vault.`,
      `Available to promise then: ${withName(vault.available + amount, token)}.`,
    ],
    plan: { vault: vault.address, amount },
    steps: atOnce(instruction),
    done: 'Deposited.',
    result: { vault: vault.address },
  };
}

/** Books what was sent to a vault without a deposit. Throws `Failure` no-surplus. */
export function bookSurplus({ token, vault }: OwnVault): PlannedChange {
  const surplus = surplusOf(vault);
  if (surplus === 0n) {
    throw new Failure('no-surplus', `The vault's token account holds what its books say: nothing was sent to it.`);
  }
  const { address, vault: account, available } = vault;
  return {
    effects: [
      `Books ${withName(surplus, token)}, which somebody sent to your vault's token account, as a deposit.`,
      `Available to promise then: ${withName(available + surplus, token)}.`,
    ],
    plan: { vault: address, surplus },
    steps: atOnce(getBookSurplusInstruction({ vault: address, vaultToken: account.tokenAccount, mint: token.mint })),
    done: 'Booked.',
    result: { vault: address },
  };
}

/** A withdrawal, before its approver's key is at hand. */
export type WithdrawalPlan = Omit<PlannedChange, 'steps'> & {
  /** Whose key must sign, too; undefined: nobody's. */
  readonly approver: Address | undefined;
  stepsFor(approver: TransactionSigner | undefined): Promise<Steps>;
};

/** Takes available tokens (base units) out of a vault. Throws `Failure` available-short. */
export async function withdrawTokens(own: OwnVault, amount: bigint): Promise<WithdrawalPlan> {
  const { employer, ledgers, token, vault } = own;
  const { address, available } = vault;
  const { reserved, tokenAccount: vaultToken } = vault.vault;
  if (amount === 0n || amount > available) {
    throw new Failure(
      'available-short',
      `Available are ${withName(available, token)}; ${withName(reserved, token)} are reserved for your schedules. Cancel one to free its reserve.`,
    );
  }
  const [opensAccount, destinationToken] = await ownAccount(employer, token);
  const { mint, program: tokenProgram } = token;
  const withdrawal = { employer, vaultToken, destinationToken, mint, tokenProgram, amount };
  return {
    effects: [
      `Takes ${withName(amount, token)} out of your vault to your own wallet, ${employer.address}.`,
      `Available to promise then: ${withName(available - amount, token)}.`,
    ],
    plan: { vault: address, amount },
    done: 'Withdrawn.',
    result: { vault: address },
    approver: await approverFor(ledgers, vault, { amount, sum: amount }, { time: ledgers.time }),
    stepsFor: async (approver) =>
      atOnce(
        opensAccount,
        approver === undefined
          ? await getWithdrawInstructionAsync(withdrawal)
          : await getWithdrawApprovedInstructionAsync({ ...withdrawal, approver }),
      ),
  };
}

/** Closes a vault without schedules. Throws `Failure` approver-stands or schedules-left. */
export async function closeVault({ employer, token, vault }: OwnVault): Promise<PlannedChange> {
  const { address, held } = vault;
  const { approval, schedules, tokenAccount: vaultToken } = vault.vault;
  if (approval !== 0) throw new Failure('approver-stands', 'The vault has an approver, who must be removed first.');
  if (schedules !== 0) {
    const left = schedules === 1 ? '1 schedule. Close it' : `${schedules} schedules. Close them`;
    throw new Failure('schedules-left', `The vault has ${left} first.`);
  }
  const [opensAccount, destinationToken] = await ownAccount(employer, token);
  const { mint, program: tokenProgram } = token;
  return {
    effects: [
      `Closes your vault of ${token.name}. ${withName(held, token)} go to your own wallet, ${employer.address}; the rent of its token account comes back. You may open it again.`,
    ],
    plan: { vault: address, returned: held },
    steps: atOnce(
      opensAccount,
      await getCloseVaultInstructionAsync({
        employer,
        vault: address,
        vaultToken,
        destinationToken,
        mint,
        tokenProgram,
      }),
    ),
    done: 'Closed.',
    result: { vault: address, returned: held },
  };
}

/** The employer's own account of a token, and what opens it where it is missing. */
async function ownAccount(
  payer: TransactionSigner,
  { mint, program: tokenProgram }: TokenInfo,
): Promise<[Instruction, Address]> {
  const owner = payer.address;
  const opens = await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner, mint, tokenProgram });
  return [opens, await findTokenAddress(owner, mint, tokenProgram)];
}
