import {
  isSameBytes,
  type RecipientList,
  type Schedule,
  ScheduleStatus,
  type SettledWindow,
  schedulesById,
  sendToBase,
} from '@payouts/client';
import {
  closeSchedule,
  createSchedulePlan,
  hasEnded,
  type OwnVault,
  ownSchedule,
  ownVault,
  readConfig,
  schedulesOf,
  summaryOf,
} from '@payouts/employer';
import type { PaidLine, Payroll } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { registerSchedule } from '../../../employer.ts';
import type { WindowRun } from '../../../executions.ts';
import { exportedPayslips } from '../../../payslips/fetch.ts';
import { WindowFailed, WindowWatcher } from '../../../windowWatcher.ts';
import { durationOf } from '../../duration.ts';
import { keptList, schedulesWith } from '../../employer/book.ts';
import { presentList, saltedList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { Failure } from '../../failure.ts';
import { type CommandSession, openEmployer } from '../../ledgerChange.ts';
import { addressOption, SCHEDULE, windowOption } from '../../options.ts';
import { bold, print, printJson, say, sentenceLines, tell } from '../../output.ts';
import {
  changing,
  type OpenSchedule,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  withProposal,
} from './parts.ts';
import { promiseLists, type Resumable, registered, resumed } from './promise.ts';

type PayOptions = ScheduleChangeOptions &
  ProposalOptions &
  Resumable & { readonly timeout: string; readonly wait: boolean; readonly again?: true };

/** Milliseconds within which the ledger shows to a command what the coordinator has seen final, and between two looks. */
const SHOWN_WITHIN_MS = 60_000;
const LOOK_MS = 1_000;

/** payout schedule pay-once|pay-unpaid */
export function addPayOnce(schedule: Command): void {
  withPayroll(paying(schedule.command('pay-once <payroll>')))
    .description('Pay a list once, at once; the rent of its schedule comes back when it is paid')
    .requiredOption('--token <mint>', "the token's mint", addressOption)
    .option('--again', 'also if a schedule is still there that pays the same list once')
    .action(payNow);
  paying(schedule.command('pay-unpaid').argument(...SCHEDULE))
    .argument('<window>', 'number of the window', windowOption)
    .description('Pay those whom a window could not pay, without those whom you held back')
    .option('--again', 'also if the same people were paid the same amounts before')
    .action(payUnpaid);
}

const paying = (command: Command): Command =>
  withProposal(changing(command))
    .option('--timeout <duration>', 'after which unpaid amounts go back to the vault: 10m, 1h', '1h')
    .option('--no-wait', "don't wait until it is paid; close the schedule yourself then");

type Owner = OwnVault & Pick<CommandSession, 'employer'>;
/** What is paid once. */
type Once = {
  readonly title: string;
  readonly payroll: Pick<Payroll, 'names' | 'doubts' | 'total' | 'columns'> & { readonly lines: readonly PaidLine[] };
  readonly check?: (list: RecipientList) => Promise<void>;
};

async function payNow(file: string, options: PayOptions & PayrollOptions & { readonly token: Address }): Promise<void> {
  const session = await openEmployer(options);
  const own = { ...(await ownVault(session, options.token)), employer: session.employer };
  await payOnce(own, options, async () => ({
    title: `One payment from ${file}`,
    payroll: await payrollOf(file, [own.token], options, new Map([[own.vault.address, 'your vault']])),
  }));
}

async function payUnpaid(schedule: Address, window: bigint, options: PayOptions): Promise<void> {
  const own = await openSchedule(schedule, options);
  await payOnce(own, options, async () => {
    const { lines, names } = await unpaidLines(own, window, options);
    const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
    const columns = { taken: [], unread: [] };
    return {
      title: `What window ${window} of ${schedule} did not pay`,
      payroll: { lines, total, columns, names, doubts: [] },
      // Lists are salted by the employer's key, so the same people and amounts are the same list.
      check: async ({ root }) => {
        if (options.again) return;
        // The book has what was to be promised, too, and never was.
        const {
          address: vault,
          vault: { nextId },
        } = own.vault;
        const promised: readonly string[] = await schedulesById(vault, nextId);
        const before = (await schedulesWith(options, root)).find((each) => promised.includes(each));
        if (before === undefined) return;
        throw new Failure(
          'paid-before',
          `You have paid these people these amounts by ${before} before: payout runs ${before}. If they are to be paid once more: --again.`,
        );
      },
    };
  });
}

/** The lines of a window's list that it did not pay, without those that the employer held back. Throws `Failure` nobody-paid, list-missing or nobody-unpaid. */
async function unpaidLines(
  { employer, address }: OpenSchedule,
  window: bigint,
  options: PayOptions,
): Promise<Pick<Payroll, 'names'> & { readonly lines: RecipientList['recipients'] }> {
  const paid = new Set<number>();
  let ended: Pick<SettledWindow, 'root' | 'held'> | undefined;
  const api = { apiUrl: options.api, signer: employer, time: options.time };
  for await (const { leaf, settled } of exportedPayslips(api, address, window)) {
    paid.add(leaf.index);
    ended = settled;
  }
  if (ended === undefined) {
    // Nothing is signed that says which list it was, and there may be another one by now.
    throw new Failure(
      'nobody-paid',
      `Window ${window} paid nobody. Pay its list from your own file: payout schedule pay-once FILE`,
    );
  }
  const { root, held } = ended;
  const list = await presentList(options, address, { root }, employer);
  if (list === undefined) {
    throw new Failure('list-missing', `Neither your book nor the coordinator has the list that window ${window} paid.`);
  }
  const lines = list.recipients.filter(({ index }) => !paid.has(index) && !held.includes(index));
  if (lines.length > 0) return { lines, names: list.names };
  const whom = held.length > 0 ? 'everybody whom you did not hold back' : 'everybody';
  throw new Failure('nobody-unpaid', `Window ${window} paid ${whom}.`);
}

/** Promises one window, waits until it is paid, and closes its schedule. */
async function payOnce(own: Owner, options: PayOptions, read: () => Promise<Once>): Promise<void> {
  const before = await resumed(options);
  const made = before
    ? { ...before, schedule: before.schedules[0] as Address }
    : await promiseNew(own, options, await read());
  if (made === undefined) return;
  const { schedule, signature } = made;
  if (!options.wait) {
    if (options.json) return printJson({ schedule, signature });
    return print(`Promised: ${schedule}\nWhen it is paid: payout schedule close ${schedule}`);
  }
  const run = await paidOnce(schedule, options);
  const paid = `${run.claims.paid} of ${run.claims.total}`;
  const { count } = run.unpaid;
  if (count > 0) {
    say(`${count} could not be paid; their money is back in the vault: payout schedule pay-unpaid ${schedule} 0`);
    throw new Failure('some-unpaid', `${paid} are paid. The schedule is still there.`);
  }
  const closing = await closed(own, schedule).catch((cause: Error) => {
    const message = `Paid ${paid}. Only the schedule is still there: ${cause.message} To close it: payout schedule close ${schedule}`;
    throw new Failure('paid-not-closed', message, { cause });
  });
  if (options.json) return printJson({ schedule, signature, paid: run.claims.paid, closing });
  print(`Paid ${paid}, and closed; the rent is back.`);
}

/** Whether a schedule pays one window in all. */
const isOnce = ({ window, executionsLeft }: Schedule): boolean => window + BigInt(executionsLeft) === 1n;

/**
 * Promises one window, unless a schedule that pays the same list once is still there: it is of a command that did not come to its end, and
 * this one goes on with it. Undefined: there is nothing to wait for.
 */
async function promiseNew(own: Owner, options: PayOptions, once: Once): ReturnType<typeof promiseOnce> {
  if (options.again || options.dryRun) return promiseOnce(own, options, once);
  const found = await promisedBefore(own, options, once.payroll.lines);
  if (found === undefined) return promiseOnce(own, options, once);
  const { address, schedule, list } = found;
  if (schedule.status === ScheduleStatus.Awaiting) {
    throw new Failure(
      'promised-before',
      `The schedule ${address} pays this list once, and waits for its approver. To promise it once more: --again.`,
    );
  }
  const what = `The schedule ${address} pays this list once, and is not closed: this command goes on with it, and promises nothing. To pay the list once more: --again.`;
  for (const line of sentenceLines([what])) tell(line);
  await registered(options, address, () => registerSchedule(options.api, address, list));
  return { schedule: address, signature: null };
}

/** A schedule that is not closed and pays just these lines, just once; and its list. */
async function promisedBefore(own: Owner, options: PayOptions, lines: readonly PaidLine[]) {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  const like = (await schedulesOf(own.ledgers, own.vault)).filter(
    ({ schedule }) => isOnce(schedule) && schedule.amount === total && schedule.recipients === lines.length,
  );
  if (like.length === 0) return undefined;
  const salted = await saltedList(lines, own.token.mint, own.employer);
  for (const { address, schedule } of like) {
    // Where the key signs no text, the salts are new each time, and the book tells whom it pays.
    const isSame = isSameBytes(schedule.root, salted.root);
    const list = isSame ? salted : await keptList(options, address, new Uint8Array(schedule.root));
    if (list !== undefined && isSameLines(list.recipients, lines)) return { address, schedule, list };
  }
  return undefined;
}

function isSameLines(one: readonly PaidLine[], other: readonly PaidLine[]): boolean {
  const [these, those] = [one, other].map((lines) =>
    lines.map(({ recipient, amount, delivery }) => `${recipient} ${amount} ${delivery ?? 'balance'}`).sort(),
  ) as [string[], string[]];
  return these.length === those.length && these.every((line, at) => line === those[at]);
}

/** Closes a schedule as soon as the ledger shows that it has ended. Returns the transaction. */
async function closed(own: Owner, schedule: Address): Promise<string> {
  const { time } = own.ledgers;
  const deadline = time.monotonic() + SHOWN_WITHIN_MS;
  let found = await ownSchedule(own, schedule);
  while (!hasEnded(found.schedule) && time.monotonic() < deadline) {
    await time.pause(LOOK_MS);
    found = await ownSchedule(own, schedule);
  }
  const { steps } = await closeSchedule(found);
  return sendToBase(own.ledgers, steps.flat(2), own.employer);
}

/** What waits for the approver has nothing to be waited for here. */
async function promiseOnce(
  own: Owner,
  options: PayOptions,
  { title, payroll, check }: Once,
): Promise<{ readonly schedule: Address; readonly signature: string | null } | undefined> {
  const { minInterval } = await readConfig(own.ledgers);
  const planned = await createSchedulePlan(own, summaryOf(payroll), {
    // There is no second window for the interval to be seen; the ledger asks for one.
    calendar: { unit: 'seconds', every: minInterval },
    firstExecution: BigInt(Math.floor(options.time.now() / 1_000)),
    executions: 1,
    batchTimeout: durationOf(options.timeout, '--timeout'),
    missed: 'catchUp',
  });
  const promise = { token: own.token, payroll, planned, ...(check && { check }) };
  const made = await promiseLists(own, options, {
    title: [bold(title), ''],
    promises: [promise],
    doubts: payroll.doubts,
  });
  if (made === undefined) return undefined;
  const { signature, lists } = made;
  const { address: schedule, approver } = lists[0] as (typeof lists)[number];
  if (approver === undefined) return { schedule, signature };
  if (options.json) printJson({ schedule, signature, approver });
  else tellApprover(lists, options);
  return undefined;
}

/** Waits until the only window is settled. Throws `Failure` window-failed, or lost-sight where the coordinator no longer says. */
async function paidOnce(schedule: Address, { api, time, json }: PayOptions): Promise<WindowRun> {
  tell('Waiting until it is paid; Ctrl-C ends the waiting alone.');
  try {
    return await new WindowWatcher(api, schedule, 0n, time, json && (() => {})).next();
  } catch (error) {
    if (!(error instanceof WindowFailed)) {
      const { message } = error as Error;
      const how = `The schedule ${schedule} pays the list, but this command does not see it any more: ${message} Repeat the command: it goes on with that schedule. To look: payout runs ${schedule}`;
      throw new Failure('lost-sight', how, { cause: error });
    }
    throw new Failure('window-failed', `${error.message} The schedule is still there: payout runs ${schedule}`);
  }
}
