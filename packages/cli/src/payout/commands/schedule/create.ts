import {
  createScheduleInstructions,
  describeCalendar,
  findScheduleAddress,
  millisOf,
  scheduleFees,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import { sol, withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { durationOf } from '../../duration.ts';
import { folderText, keepList, keptList } from '../../employer/book.ts';
import { listOf } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { approverFor } from '../../employer/policy.ts';
import { FEE_LAMPORTS, feeLines, previewLines, previewOf } from '../../employer/preview.ts';
import { writeProposal } from '../../employer/proposals.ts';
import { type TermsOptions, termsOf, withTerms } from '../../employer/terms.ts';
import { readVault } from '../../employer/vault.ts';
import { Failure } from '../../failure.ts';
import { openLedger } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import type { DoneBefore } from '../../outbox.ts';
import { bold, print, printJson, printResult, tell, wrapped } from '../../output.ts';
import { timeText } from '../../timeText.ts';
import { readToken } from '../../token.ts';
import { readConfig } from '../governance/parts.ts';
import {
  changing,
  ownSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  waitsText,
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
    .requiredOption('--executions <count>', 'windows to promise and to reserve the money for')
    .addOption(new Option('--missed <how>', 'windows whose time passed unopened').choices(MISSED).default('catch-up'))
    .action(createOrResume);
}

/** A new schedule; or what is left to do of one that a former command has created, and not learned of. */
async function createOrResume(file: string, options: CreateOptions): Promise<void> {
  const before = options.doneBefore;
  if (before?.about === undefined) return create(file, options);
  const address = before.about as Address;
  const { schedule, ledgers } = await ownSchedule(address, options);
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
  const { signer: employer, ledgers } = await openLedger(options);
  const token = await readToken(ledgers, options.token);
  const { calendar, firstExecution } = termsOf(options, Math.floor(options.time.now() / 1_000));
  const vault = await readVault(ledgers, employer.address, token);
  const payroll = await payrollOf(file, token, options, new Map([[vault.address, 'your vault']]));
  const promised = payroll.total * BigInt(executions);
  const found = await previewOf(ledgers, payroll, { vault });
  const { nextId: id } = vault.vault;
  const address = await findScheduleAddress(vault.address, id);
  if (promised > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(promised - vault.available, token)}. Deposit them, or promise fewer windows: it covers ${found.covered}.`,
    );
  }
  const config = await readConfig(ledgers);
  const fees = scheduleFees(config, executions, payroll.lines.length);
  const needed = found.rent + FEE_LAMPORTS + fees;
  const { value: owned } = await ledgers.base.getBalance(employer.address).send();
  if (owned < needed) {
    throw new Failure('sol-short', `Your wallet has ${sol(owned)} SOL; rent and fees take ${sol(needed)} SOL.`);
  }
  const approver = await approverFor(ledgers, vault, { amount: payroll.total, sum: promised }, options);
  const what = [
    bold(`A new schedule from ${file}`),
    '',
    ...previewLines(found, token),
    '',
    ...wrapped(
      `Paid ${describeCalendar(calendar, firstExecution)}, ${executions} times, first on ${timeText(millisOf(firstExecution))}.`,
    ),
    ...wrapped(`Reserves ${withName(promised, token)} of the ${withName(vault.available, token)} available.`),
    ...feeLines(config, fees),
    ...(approver === undefined ? [] : wrapped(waitsText(approver))),
  ];
  const plan = { schedule: address, recipients: payroll.lines.length, total: payroll.total, reserves: promised, fees };
  if (!(await isWanted(what, options, plan))) return;

  const list = await listOf(payroll.lines, token.mint, employer);
  const kept = await keepList(options, address, list);
  if (options.proposal !== undefined) {
    await writeProposal(options.proposal, address, { list, present: undefined, names: payroll.names });
  }
  const instructions = await createScheduleInstructions({
    employer,
    mint: token.mint,
    id,
    list,
    calendar,
    firstExecution,
    executions,
    batchTimeout,
    missed: options.missed === 'skip' ? 'skip' : 'catchUp',
    // What was shown, whatever governance changes meanwhile.
    maxFees: fees,
  });
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
