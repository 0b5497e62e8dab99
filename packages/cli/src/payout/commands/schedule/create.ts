import { type DoneBefore, sendToBase } from '@payouts/client';
import { createSchedulePlan, ownVault, summaryOf } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { durationOf } from '../../duration.ts';
import { folderText, keepList, keptList } from '../../employer/book.ts';
import { saltedList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { previewLines } from '../../employer/preview.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { askedTerms, type TermsOptions, withTerms } from '../../employer/terms.ts';
import { Failure } from '../../failure.ts';
import { openEmployer } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { bold, print, printJson, printResult, sentenceLines, tell } from '../../output.ts';
import {
  changing,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  windowsOf,
  withProposal,
} from './parts.ts';

type CreateOptions = ScheduleChangeOptions &
  ProposalOptions &
  PayrollOptions &
  TermsOptions & {
    readonly token: Address;
    readonly executions: string;
    readonly missed: string;
    /** The same command, given before, whose transaction got through. */
    readonly doneBefore?: DoneBefore;
  };

const MISSED = ['catch-up', 'skip'];

/** payout schedule create */
export function addCreate(schedule: Command): void {
  withPayroll(withProposal(withTerms(changing(schedule.command('create <payroll>')))))
    .description('Create a recurring payroll')
    .requiredOption('--token <mint>', "the token's mint", addressOption)
    .requiredOption('--executions <count>', 'how many windows; the money for them is reserved')
    .addOption(
      new Option('--missed <how>', 'what becomes of windows whose time passed unopened')
        .choices(MISSED)
        .default('catch-up'),
    )
    .action(createOrResume);
}

/** A new schedule; or what is left to do of one that a former command has created, and not learned of. */
async function createOrResume(file: string, options: CreateOptions): Promise<void> {
  const before = options.doneBefore;
  if (before?.about === undefined) return create(file, options);
  const address = before.about as Address;
  const { schedule, ledgers } = await openSchedule(address, options);
  const list = await keptList(options, address, new Uint8Array(schedule.root));
  if (list === undefined) {
    throw new Failure(
      'list-missing',
      `The schedule ${address} is on the ledger, but your book has no copy of its list. Name one: payout schedule register ${address} --list FILE`,
    );
  }
  await registered(options, address, () => registerSchedule(options.api, address, list));
  await ledgers.sending?.outbox?.drop(before.signature);
  const result = { schedule: address, signature: before.signature, isRepeat: true };
  printResult(options, result, `Promised before, and registered: ${address}`);
}

async function create(file: string, options: CreateOptions): Promise<void> {
  const executions = windowsOf(options.executions);
  const batchTimeout = durationOf(options.timeout, '--timeout');
  const session = await openEmployer(options);
  const { employer, ledgers } = session;
  const terms = askedTerms(options, Math.floor(options.time.now() / 1_000));
  const own = await ownVault(session, options.token);
  const { token, vault } = own;
  const payroll = await payrollOf(file, token, options, new Map([[vault.address, 'your vault']]));
  const missed = options.missed === 'skip' ? 'skip' : 'catchUp';
  const planned = await createSchedulePlan(own, summaryOf(payroll), { ...terms, executions, batchTimeout, missed });
  const { address, approver } = planned;
  const what = [
    bold(`A new schedule from ${file}`),
    '',
    ...previewLines(planned.preview, payroll, token),
    '',
    ...sentenceLines(planned.effects),
  ];
  if (!(await isWanted(what, options, planned.plan))) return;

  const list = await saltedList(payroll.lines, token.mint, employer);
  const kept = await keepList(options, address, list);
  if (options.proposal !== undefined) {
    await writeProposal(options.proposal, address, { list, present: undefined, names: payroll.names });
  }
  const instructions = await planned.instructionsFor(list);
  // Until it is registered, the same command goes on with this schedule.
  const noting = { ...ledgers, sending: { ...ledgers.sending, about: address } };
  const signature = await sendToBase(noting, instructions, employer);
  tell(`On the ledger: ${address}`);
  await registered(options, address, () => registerSchedule(options.api, address, list));
  await ledgers.sending?.outbox?.drop(signature);
  if (options.json) return printJson({ schedule: address, signature, list: kept, approver });
  print(`Promised and registered. Your copy of the list is in\n  ${folderText(kept)}`);
  if (approver !== undefined) return tellApprover(approver, address, options);
  print(`Watch it: payout watch ${address}`);
}

/** Gives the coordinator a list that the ledger has already: when that fails, nothing is lost, and the way on is said. */
export async function registered(
  { api }: { readonly api: string },
  schedule: string,
  register: () => Promise<unknown>,
): Promise<void> {
  try {
    await register();
  } catch (cause) {
    throw new Failure(
      'not-registered',
      `The ledger has it, but the coordinator at ${api} did not take the list: ${(cause as Error).message} Nothing is lost. Once that is fixed: payout schedule register ${schedule}`,
      { cause },
    );
  }
}
