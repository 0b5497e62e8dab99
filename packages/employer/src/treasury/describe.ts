import {
  type BaseConnection,
  ClientError,
  calendarFromLedger,
  describeCalendar,
  fetchMaybeVault,
  findTokenAddress,
  findVaultAddress,
  levelOf,
  millisOf,
  NO_APPROVER,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PayoutLedgerInstruction,
  parsePayoutLedgerInstruction,
} from '@payouts/client';
import { type Address, type Instruction, isInstructionWithAccounts, isInstructionWithData } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { sol, withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { hexOf } from '../hex.ts';
import { givenRole, roleMeaning } from '../roles/roles.ts';
import { readToken, type TokenInfo } from '../token.ts';
import type { Treasury, TreasuryProposal } from './treasury.ts';

/** What is read to say what a proposal does. */
type Context = { readonly ledgers: BaseConnection; readonly treasury: Treasury };
type Parsed = ReturnType<typeof parsePayoutLedgerInstruction>;
type Of<Type extends PayoutLedgerInstruction> = Extract<Parsed, { readonly instructionType: Type }>;
type Describe<Type extends PayoutLedgerInstruction> = (
  instruction: Of<Type>,
  context: Context,
) => string | Promise<string>;

const I = PayoutLedgerInstruction;

async function tokenOfVault({ ledgers }: Context, vault: Address): Promise<TokenInfo> {
  const found = await fetchMaybeVault(ledgers.base, vault, levelOf(ledgers));
  if (!found.exists) throw new Failure('vault-missing', `The vault ${vault} is not on this ledger.`);
  return readToken(ledgers, found.data.mint);
}

/** Where tokens go: a warning where it is not the treasury's own account. */
async function destination({ treasury }: Context, to: Address, { mint, program }: TokenInfo): Promise<string> {
  const own = await findTokenAddress(treasury.employer, mint, program);
  return to === own ? "the treasury's own token account" : `the token account ${to}, which is NOT the treasury's own`;
}

const payText = (amount: bigint, recipients: number, token: TokenInfo, root: ArrayLike<number>): string =>
  `${withName(amount, token)} to ${recipients} recipients, by the list ${hexOf(Uint8Array.from(root))}`;

/** When a payroll is paid; `first` in unix seconds. Throws `INVALID_CALENDAR`. */
function whenText(
  { dates, ...terms }: Omit<Parameters<typeof calendarFromLedger>[0], 'dateCount'>,
  first: bigint,
): string {
  const calendar = calendarFromLedger({ ...terms, ...(dates && { dates, dateCount: dates.length }) });
  return `${describeCalendar(calendar, first)}, first on ${new Date(millisOf(first)).toISOString().slice(0, 10)}`;
}

const endText = (kept: number): string =>
  kept === 0 ? '' : ` It has no end: ${kept} windows are kept reserved, as far as the vault covers them.`;

const ofSchedule =
  (says: (schedule: Address) => string) =>
  ({ accounts }: { readonly accounts: { readonly schedule: { readonly address: Address } } }): string =>
    says(accounts.schedule.address);

/** In plain words, what each of an employer's instructions does. */
const SENTENCES: { readonly [Type in PayoutLedgerInstruction]?: Describe<Type> } = {
  [I.InitPool]: ({ accounts }) => `Opens the pool of the token ${accounts.mint.address}, as the first who pays in it.`,
  [I.InitCounter]: ({ accounts }) => `Opens the counter of the pool ${accounts.pool.address}.`,
  [I.InitVault]: async ({ accounts }, { ledgers }) =>
    `Opens the treasury's vault of ${(await readToken(ledgers, accounts.mint.address)).name}, ${accounts.vault.address}.`,
  [I.Deposit]: async ({ accounts, data }, { ledgers, treasury }) => {
    const { mint, vault } = accounts;
    const isOwn = vault.address === (await findVaultAddress(treasury.employer, mint.address));
    const into = isOwn ? `the vault ${vault.address}` : `the vault ${vault.address}, which is NOT the treasury's own`;
    return `Deposits ${withName(data.amount, await readToken(ledgers, mint.address))} in ${into}.`;
  },
  [I.BookSurplus]: ({ accounts }) => `Books what was sent to the vault ${accounts.vault.address} as a deposit.`,
  [I.Withdraw]: async ({ accounts, data }, context) => {
    const token = await readToken(context.ledgers, accounts.mint.address);
    const to = await destination(context, accounts.destinationToken.address, token);
    return `Takes ${withName(data.amount, token)} out of the vault ${accounts.vault.address}, to ${to}.`;
  },
  [I.CloseVault]: async ({ accounts }, context) => {
    const token = await readToken(context.ledgers, accounts.mint.address);
    const to = await destination(context, accounts.destinationToken.address, token);
    return `Closes the vault ${accounts.vault.address}; what it holds goes to ${to}.`;
  },
  [I.CreateSchedule]: async ({ accounts, data }, context) => {
    const token = await tokenOfVault(context, accounts.vault.address);
    const each = payText(data.amount, data.recipients, token, data.root);
    const all = withName(data.amount * BigInt(data.executions), token);
    const when = whenText(data, data.firstExecution);
    return `Promises a payroll, ${accounts.schedule.address}: ${each}; ${when}, ${data.executions} windows, ${all} in all.${endText(data.kept)}`;
  },
  [I.FundSchedule]: ({ accounts, data }) => `Adds ${data.executions} windows to ${accounts.schedule.address}.`,
  [I.UpdateRecipients]: async ({ accounts, data }, context) => {
    const token = await tokenOfVault(context, accounts.vault.address);
    const each = payText(data.amount, data.recipients, token, data.root);
    return `Gives ${accounts.schedule.address} another list: each window then pays ${each}.`;
  },
  [I.PauseSchedule]: ofSchedule((schedule) => `Pauses ${schedule}: it opens no further windows for now.`),
  [I.ResumeSchedule]: ofSchedule((schedule) => `Lets ${schedule} go on.`),
  [I.CancelSchedule]: ofSchedule((schedule) => `Ends ${schedule} for good, and frees what it reserves.`),
  [I.CloseSchedule]: ofSchedule((schedule) => `Removes ${schedule}, which has ended, from the ledger.`),
  [I.HoldRecipient]: ({ accounts, data }) => `Holds recipient ${data.index} of ${accounts.schedule.address} back.`,
  [I.ReleaseRecipient]: ({ accounts, data }) =>
    `Lets recipient ${data.index} of ${accounts.schedule.address} be paid again.`,
  [I.RejectSchedule]: ofSchedule((schedule) => `Drops what waits for approval of ${schedule}.`),
  [I.ApproveSchedule]: async ({ accounts, data }, context) => {
    const token = await tokenOfVault(context, accounts.vault.address);
    const each = payText(data.amount, data.recipients, token, data.root);
    return `Approves, as its approver, that ${accounts.schedule.address} pays ${each}; ${whenText(data, data.nextExecution)}, ${data.windows} windows, those before included.${endText(data.kept)}`;
  },
  [I.SetApproval]: async ({ accounts, data }, context) => {
    const vault = accounts.vault.address;
    if (data.approver === NO_APPROVER) return `Proposes that nobody approves what the vault ${vault} does.`;
    const token = await tokenOfVault(context, vault);
    const limits = `${withName(data.limit, token)} at a time or ${withName(data.dailyLimit, token)} a day`;
    return `Names ${data.approver} as the approver of the vault ${vault}, above ${limits}.`;
  },
  [I.ConfirmApproval]: ({ accounts }) => `Makes the change of the approver of the vault ${accounts.vault.address}.`,
  [I.SetRole]: ({ data: { holder, kind } }) => {
    const role = givenRole(kind);
    if (role === undefined) return `Takes the role of ${holder} back: it reads nothing for the treasury any more.`;
    return `Makes ${holder} a ${role} of the treasury: ${roleMeaning(role)}.`;
  },
};

/** The system program's transfer, by the first bytes of its data. */
const TRANSFER = 2;

function systemSentence({ accounts = [], data = new Uint8Array(0) }: Instruction, { treasury }: Context): string {
  const view = new DataView(Uint8Array.from(data).buffer);
  if (data.length !== 12 || view.getUint32(0, true) !== TRANSFER || accounts[0]?.address !== treasury.employer) {
    return unknown(SYSTEM_PROGRAM_ADDRESS);
  }
  return `Sends ${sol(view.getBigUint64(4, true))} SOL of the treasury's to ${accounts[1]?.address}.`;
}

const unknown = (program: Address): string =>
  `Calls ${program}, of which this command knows nothing. Don't approve what you can't read.`;

async function sentence(instruction: Instruction, context: Context): Promise<string> {
  const { programAddress, accounts } = instruction;
  if (programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) {
    return `Opens the token account ${accounts?.[1]?.address} where it is missing, for ${sol(RENT)} SOL.`;
  }
  if (programAddress === SYSTEM_PROGRAM_ADDRESS) return systemSentence(instruction, context);
  const isWhole = isInstructionWithAccounts(instruction) && isInstructionWithData(instruction);
  if (programAddress !== PAYOUT_LEDGER_PROGRAM_ADDRESS || !isWhole) return unknown(programAddress);
  const parsed = parsedOf(instruction as Parameters<typeof parsePayoutLedgerInstruction>[0]);
  const describe = parsed && (SENTENCES[parsed.instructionType] as Describe<PayoutLedgerInstruction> | undefined);
  if (parsed === undefined || describe === undefined) {
    return 'Gives the ledger program an instruction that no employer needs. Reject it.';
  }
  try {
    return await describe(parsed, context);
  } catch (error) {
    // One member must not hide from the others what else waits, by naming what is not there.
    if (!(error instanceof Failure || error instanceof ClientError)) throw error;
    return `Can't be carried out: ${error.message} Reject it.`;
  }
}

/** Lamports of a token account. */
const RENT = 2_039_280n;

/** What an instruction says; undefined where the ledger program would not read it. */
function parsedOf(instruction: Parameters<typeof parsePayoutLedgerInstruction>[0]): Parsed | undefined {
  try {
    return parsePayoutLedgerInstruction(instruction);
  } catch {
    return undefined;
  }
}

/** What a proposal does, sentence by sentence: read from what the treasury would sign, and not from what its proposer says of it. */
export const proposalEffects = (
  context: Context,
  { instructions }: Pick<TreasuryProposal, 'instructions'>,
): Promise<string[]> => Promise.all(instructions.map((each) => sentence(each, context)));
