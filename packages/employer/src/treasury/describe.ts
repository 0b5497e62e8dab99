import {
  type BaseConnection,
  ClientError,
  calendarFromLedger,
  describeCalendar,
  fetchMaybeVault,
  findSponsorAddress,
  findTokenAddress,
  findVaultAddress,
  levelOf,
  millisOf,
  NO_APPROVER,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PayoutLedgerInstruction,
  parsePayoutLedgerInstruction,
  timeOfDate,
} from '@payouts/client';
import { type Address, type Instruction, isInstructionWithAccounts, isInstructionWithData } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { sol, withName } from '../amounts.ts';
import { recipientsText, windowsText } from '../changes/promise.ts';
import { Failure } from '../failure.ts';
import { hexOf } from '../hex.ts';
import { givenRole, roleMeaning } from '../roles/roles.ts';
import { readSchedule } from '../session.ts';
import { readToken, type TokenInfo } from '../token.ts';
import type { Treasury, TreasuryProposal } from './treasury.ts';

/** What a call of a proposal does; `isWarning`: it is no employer's, can't be read, or moves money to somebody else. */
export type ProposalEffect = { readonly sentence: string; readonly isWarning: boolean };
const warning = (sentence: string): ProposalEffect => ({ sentence, isWarning: true });

/** What is read to say what a proposal does. */
type Context = {
  readonly ledgers: BaseConnection;
  readonly treasury: Treasury;
  /** Every account that the proposal names. */
  readonly named: readonly Address[];
};
type Parsed = ReturnType<typeof parsePayoutLedgerInstruction>;
type Of<Type extends PayoutLedgerInstruction> = Extract<Parsed, { readonly instructionType: Type }>;
type Describe<Type extends PayoutLedgerInstruction> = (
  instruction: Of<Type>,
  context: Context,
) => string | ProposalEffect | Promise<string | ProposalEffect>;

const I = PayoutLedgerInstruction;

/** The token of a vault. Throws `Failure` vault-missing. */
export async function tokenOfVault({ ledgers }: Pick<Context, 'ledgers'>, vault: Address): Promise<TokenInfo> {
  const found = await fetchMaybeVault(ledgers.base, vault, levelOf(ledgers));
  if (!found.exists) throw new Failure('vault-missing', `The vault ${vault} is not on this ledger.`);
  return readToken(ledgers, found.data.mint);
}

/** Says where tokens go: a warning where it is not the treasury's own account. */
async function toAccount(
  { treasury }: Context,
  { to, token, what }: { readonly to: Address; readonly token: TokenInfo; readonly what: string },
): Promise<ProposalEffect> {
  const isOwn = to === (await findTokenAddress(treasury.employer, token.mint, token.program));
  if (isOwn) return { sentence: `${what} the treasury's own token account.`, isWarning: false };
  return warning(`${what} the token account ${to}, which is NOT the treasury's own.`);
}

const payText = (amount: bigint, recipients: number, token: TokenInfo, root: ArrayLike<number>): string =>
  `${withName(amount, token)} to ${recipientsText(recipients)}, by the list ${hexOf(Uint8Array.from(root))}`;

/** When a payroll is paid; `first` in unix seconds. Throws `INVALID_CALENDAR`. */
function whenText(
  { dates, ...terms }: Omit<Parameters<typeof calendarFromLedger>[0], 'dateCount'>,
  first: bigint,
): string {
  if (dates !== undefined && dates.length > 0) return datesText(dates);
  return `${describeCalendar(calendarFromLedger(terms), first)}, first on ${new Date(millisOf(first)).toISOString().slice(0, 10)}`;
}

/** Every date, for members agree to these and to no others; minutes since 1970, as the ledger has them. */
function datesText(dates: readonly number[]): string {
  const all = dates.map((date) => new Date(millisOf(timeOfDate(date))).toISOString().slice(0, 16).replace('T', ' '));
  return `on ${all.length === 1 ? '1 date' : `${all.length} dates`}: ${all.join(', ')} UTC`;
}

const endText = (kept: number): string =>
  kept === 0 ? '' : ` It has no end: it keeps ${windowsText(kept)} reserved, as far as the vault covers them.`;

/** How many of a list's recipients are held back in it. */
const heldText = ({ held: { length } }: { readonly held: readonly number[] }): string =>
  length === 0 ? '' : ` Of them, ${length} ${length === 1 ? 'stays' : 'stay'} held back.`;

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
    const what = `Deposits ${withName(data.amount, await readToken(ledgers, mint.address))} in the vault ${vault.address}`;
    return isOwn ? `${what}.` : warning(`${what}, which is NOT the treasury's own.`);
  },
  [I.BookSurplus]: ({ accounts }) => `Books what was sent to the vault ${accounts.vault.address} as a deposit.`,
  [I.Withdraw]: async ({ accounts, data }, context) => {
    const token = await readToken(context.ledgers, accounts.mint.address);
    const what = `Takes ${withName(data.amount, token)} out of the vault ${accounts.vault.address}, to`;
    return toAccount(context, { to: accounts.destinationToken.address, token, what });
  },
  [I.CloseVault]: async ({ accounts }, context) => {
    const token = await readToken(context.ledgers, accounts.mint.address);
    const what = `Closes the vault ${accounts.vault.address}; what it holds goes to`;
    return toAccount(context, { to: accounts.destinationToken.address, token, what });
  },
  [I.CreateSchedule]: async ({ accounts, data }, context) => {
    const token = await tokenOfVault(context, accounts.vault.address);
    const each = payText(data.amount, data.recipients, token, data.root);
    const all = withName(data.amount * BigInt(data.executions), token);
    const when = whenText(data, data.firstExecution);
    return `Promises a payroll, ${accounts.schedule.address}: ${each}; ${when}, ${windowsText(data.executions)}, ${all} in all.${endText(data.kept)}`;
  },
  [I.FundSchedule]: ({ accounts, data: { executions, dates } }) => {
    const when = dates.length === 0 ? '' : `, ${datesText(dates)}`;
    return `Adds ${windowsText(executions)} to ${accounts.schedule.address}${when}.`;
  },
  [I.UpdateRecipients]: async ({ accounts, data }, context) => {
    const token = await tokenOfVault(context, accounts.vault.address);
    const each = payText(data.amount, data.recipients, token, data.root);
    const what = `Gives ${accounts.schedule.address} another list: each window then pays ${each}.`;
    if (data.held.length > 0) return `${what}${heldText(data)}`;
    const { heldCount } = await readSchedule(context.ledgers, accounts.schedule.address);
    return heldCount === 0 ? what : warning(`${what} Whoever is held back now is PAID AGAIN if they are in it.`);
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
    return `Approves, as its approver, that ${accounts.schedule.address} pays ${each}; ${whenText(data, data.nextExecution)}, ${windowsText(Number(data.windows))}, those before included.${endText(data.kept)}${heldText(data)}`;
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

async function systemEffect(
  { accounts = [], data = new Uint8Array(0) }: Instruction,
  { treasury, named }: Context,
): Promise<ProposalEffect> {
  const view = new DataView(Uint8Array.from(data).buffer);
  const to = accounts[1]?.address;
  if (data.length !== 12 || view.getUint32(0, true) !== TRANSFER || accounts[0]?.address !== treasury.employer) {
    return unknown(SYSTEM_PROGRAM_ADDRESS);
  }
  const what = `Sends ${sol(view.getBigUint64(4, true))} SOL of the treasury's to`;
  const sponsors = await Promise.all(named.map((mint) => findSponsorAddress(mint)));
  const mint = named.find((_, place) => sponsors[place] === to);
  if (mint === undefined) return warning(`${what} ${to}, which is NOT the treasury's own.`);
  return { sentence: `${what} what pays for recipients' accounts of the token ${mint}, ${to}.`, isWarning: false };
}

const unknown = (program: Address): ProposalEffect =>
  warning(`Calls ${program}, of which nothing is known here. Don't approve what you can't read.`);

async function effectOf(instruction: Instruction, context: Context): Promise<string | ProposalEffect> {
  const { programAddress, accounts } = instruction;
  if (programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) {
    return `Opens the token account ${accounts?.[1]?.address} where it is missing, for ${sol(RENT)} SOL.`;
  }
  if (programAddress === SYSTEM_PROGRAM_ADDRESS) return systemEffect(instruction, context);
  const isWhole = isInstructionWithAccounts(instruction) && isInstructionWithData(instruction);
  if (programAddress !== PAYOUT_LEDGER_PROGRAM_ADDRESS || !isWhole) return unknown(programAddress);
  const parsed = parsedOf(instruction as Parameters<typeof parsePayoutLedgerInstruction>[0]);
  const describe = parsed && (SENTENCES[parsed.instructionType] as Describe<PayoutLedgerInstruction> | undefined);
  if (parsed === undefined || describe === undefined) {
    return warning('Gives the ledger program an instruction that no employer needs. Reject it.');
  }
  try {
    return await describe(parsed, context);
  } catch (error) {
    // One member must not hide from the others what else waits, by naming what is not there.
    if (!(error instanceof Failure || error instanceof ClientError)) throw error;
    return warning(`Can't be carried out: ${error.message} Reject it.`);
  }
}

/** Lamports of a token account. */
const RENT = 2_039_280n;

/** What an instruction says; undefined where the ledger program would not read it. */
export function parsedOf(instruction: Parameters<typeof parsePayoutLedgerInstruction>[0]): Parsed | undefined {
  try {
    return parsePayoutLedgerInstruction(instruction);
  } catch {
    return undefined;
  }
}

/** What a proposal does, call by call: read from what the treasury would sign, and not from what its proposer says of it. */
export function proposalEffects(
  context: Pick<Context, 'ledgers' | 'treasury'>,
  { instructions }: Pick<TreasuryProposal, 'instructions'>,
): Promise<ProposalEffect[]> {
  const named = [...new Set(instructions.flatMap(({ accounts = [] }) => accounts.map(({ address }) => address)))];
  return Promise.all(
    instructions.map(async (each) => {
      const effect = await effectOf(each, { ...context, named });
      return typeof effect === 'string' ? { sentence: effect, isWarning: false } : effect;
    }),
  );
}
