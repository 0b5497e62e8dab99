import { type BaseConnection, sendStepsToBase } from '@payouts/client';
import {
  type Decision,
  type DescribedProposal,
  decisionOn,
  describedProposal,
  readTreasury,
  readTreasuryProposal,
  type SeenList,
  schedulesPromised,
  seenLists,
  sol,
  standingText,
  type Treasury,
  votesNeeded,
  waitingProposals,
} from '@payouts/employer';
import { type Command, InvalidArgumentError } from 'commander';
import { isWanted } from '../confirm.ts';
import { listFileText } from '../employer/book.ts';
import { listLines, UNSEEN } from '../employer/proposals.ts';
import { WrongUsage } from '../failure.ts';
import { openLedger } from '../ledgerChange.ts';
import { type AskOptions, type KeyOptions, withAsking, withJson, withKey } from '../options.ts';
import { bold, print, printJson, printResult, sentenceLines, wrapped } from '../output.ts';
import { baseLedger, type LedgerOptions, withLedger, withSending } from '../rpc.ts';
import { type TreasuryOptions, treasuryOf, withTreasury } from '../treasury.ts';

type ReadOptions = LedgerOptions & TreasuryOptions & { readonly json?: true };
type ListOptions = { readonly list?: string };
type VoteOptions = ReadOptions & ListOptions & KeyOptions & AskOptions;

/** payout treasury list|show|approve|reject|execute */
export function addTreasury(program: Command): void {
  const treasury = program.command('treasury').description('What the members of a multisig decide together');
  const reading = (command: Command) => withTreasury(withLedger(withJson(command)));
  const changing = (command: Command) => withTreasury(withSending(withAsking(withJson(withKey(command)))));
  const ofOne = (name: string) => treasury.command(name).argument('<number>', 'of the transaction', numberOperand);
  reading(treasury.command('list')).description('Show what waits for members, and what it does').action(list);
  withList(reading(ofOne('show')))
    .description('Show what a transaction does, and who has approved it')
    .action(show);
  withList(changing(ofOne('approve')))
    .description('Approve what a transaction does')
    .action(deciding('approve'));
  changing(ofOne('reject')).description('Vote against a transaction').action(deciding('reject'));
  changing(ofOne('execute')).description('Carry out what enough members have approved').action(deciding('execute'));
}

const withList = (command: Command): Command =>
  command.option(
    '--list <file>',
    'what its proposer wrote with --proposal, or their copy of the list: shows whom it pays',
  );

function numberOperand(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('It is not the number of a transaction.');
}

/** The treasury that the options name. Throws `Failure` treasury-unknown, or `WrongUsage`. */
function named(ledgers: BaseConnection, options: TreasuryOptions): Promise<Treasury> {
  if (options.treasury === undefined) throw new WrongUsage('Name the multisig with --treasury ADDRESS.');
  return treasuryOf(ledgers, options, options.treasury);
}

/** The lists that a transaction gives, as the file of the options has them; undefined: none is named. */
async function seenOf(
  ledgers: BaseConnection,
  { proposal }: DescribedProposal,
  { list: file }: ListOptions,
): Promise<readonly SeenList[] | undefined> {
  return file === undefined ? undefined : seenLists(ledgers, proposal, { text: await listFileText(file), where: file });
}

/** What the lists of a transaction change, or that nobody has looked at them. */
function listsLines({ proposal }: DescribedProposal, seen: readonly SeenList[] | undefined): string[] {
  if (seen !== undefined) return seen.flatMap((each) => ['', bold(`The list of ${each.address}`), ...listLines(each)]);
  return schedulesPromised(proposal).length === 0 ? [] : ['', ...wrapped(`${UNSEEN} Name your copy with --list FILE.`)];
}

const listsJson = (seen: readonly SeenList[] | undefined) =>
  seen && { lists: seen.map(({ address: schedule, comparison }) => ({ schedule, changes: comparison?.changes })) };

const sentencesOf = ({ effects }: DescribedProposal): string[] => effects.map(({ sentence }) => sentence);

function lines(treasury: Treasury, found: DescribedProposal): string[] {
  const { index, creator, vote } = found.proposal;
  const title = bold(`Transaction ${index}, ${standingText(treasury, vote)}`);
  return [title, ...sentenceLines(sentencesOf(found)), `Proposed by ${creator}`];
}

function jsonOf(treasury: Treasury, found: DescribedProposal) {
  const { index, creator, vote, isStale } = found.proposal;
  return {
    index,
    creator,
    status: vote?.status ?? null,
    approved: vote?.approved ?? [],
    rejected: vote?.rejected ?? [],
    threshold: treasury.state.threshold,
    isStale,
    effects: sentencesOf(found),
  };
}

async function list(options: ReadOptions): Promise<void> {
  const ledgers = await baseLedger(options);
  const treasury = await named(ledgers, options);
  const { employer, state } = treasury;
  const waiting = await waitingProposals(ledgers, treasury);
  const found = await Promise.all(waiting.map((proposal) => describedProposal({ ledgers, treasury }, proposal)));
  const lamports = (await ledgers.base.getBalance(employer).send()).value;
  if (options.json) {
    return printJson({
      employer,
      lamports,
      threshold: state.threshold,
      waiting: found.map((each) => jsonOf(treasury, each)),
    });
  }
  print(`The treasury is the employer ${employer}.`);
  print(`It has ${sol(lamports)} SOL for rent. ${votesNeeded(treasury)}`);
  if (found.length === 0) print('Nothing waits.');
  for (const each of found) for (const line of ['', ...lines(treasury, each)]) print(line);
}

async function show(index: bigint, options: ReadOptions & ListOptions): Promise<void> {
  const ledgers = await baseLedger(options);
  const treasury = await named(ledgers, options);
  const found = await describedProposal({ ledgers, treasury }, await readTreasuryProposal(ledgers, treasury, index));
  const seen = await seenOf(ledgers, found, options);
  if (options.json) return printJson({ ...jsonOf(treasury, found), ...listsJson(seen) });
  for (const line of [...lines(treasury, found), ...listsLines(found, seen)]) print(line);
}

/** Shows what a transaction does, asks for what is to be done with it, does that, and says how it stands then. */
const deciding = (decision: Decision) => async (index: bigint, options: VoteOptions) => {
  const { signer, ledgers } = await openLedger(options);
  const treasury = await named(ledgers, options);
  const { steps, ...found } = await decisionOn({ ledgers, treasury }, index, { member: signer, decision });
  const seen = await seenOf(ledgers, found, options);
  const what = [...lines(treasury, found), ...(decision === 'approve' ? listsLines(found, seen) : [])];
  if (!(await isWanted(what, options, { ...jsonOf(treasury, found), ...listsJson(seen) }))) return;
  const [signature] = await sendStepsToBase(ledgers, steps, signer);
  const after = await readTreasury(ledgers, treasury.multisig, treasury.vaultIndex);
  const now = { ...found, proposal: await readTreasuryProposal(ledgers, after, index) };
  const [title = ''] = lines(after, now);
  printResult(options, { ...jsonOf(after, now), signature }, title);
};
