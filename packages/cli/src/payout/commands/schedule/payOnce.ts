import { type RecipientList, type SettledWindow, sendToBase } from '@payouts/client';
import {
  closeSchedule,
  createSchedulePlan,
  type OwnVault,
  ownSchedule,
  ownVault,
  readConfig,
  summaryOf,
} from '@payouts/employer';
import type { PaidLine, Payroll } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import type { WindowRun } from '../../../executions.ts';
import { exportedPayslips } from '../../../payslips/fetch.ts';
import { WindowFailed, WindowWatcher } from '../../../windowWatcher.ts';
import { durationOf } from '../../duration.ts';
import { schedulesWith } from '../../employer/book.ts';
import { presentList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { Failure } from '../../failure.ts';
import { type CommandSession, openEmployer } from '../../ledgerChange.ts';
import { addressOption, SCHEDULE, windowOption } from '../../options.ts';
import { bold, print, printJson, say, tell } from '../../output.ts';
import {
  changing,
  type OpenSchedule,
  openSchedule,
  type ProposalOptions,
  type ScheduleChangeOptions,
  tellApprover,
  withProposal,
} from './parts.ts';
import { promiseLists, type Resumable, resumed } from './promise.ts';

type PayOptions = ScheduleChangeOptions &
  ProposalOptions &
  Resumable & { readonly timeout: string; readonly wait: boolean };

/** payout schedule pay-once|pay-unpaid */
export function addPayOnce(schedule: Command): void {
  withPayroll(paying(schedule.command('pay-once <payroll>')))
    .description('Pay a list once, at once; the rent of its schedule comes back when it is paid')
    .requiredOption('--token <mint>', "the token's mint", addressOption)
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

async function payUnpaid(
  schedule: Address,
  window: bigint,
  options: PayOptions & { readonly again?: true },
): Promise<void> {
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
        const [before] = options.again ? [] : await schedulesWith(options, root);
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
    : await promiseOnce(own, options, await read());
  if (made === undefined) return;
  const { schedule, signature } = made;
  if (!options.wait) {
    if (options.json) return printJson({ schedule, signature });
    return print(`Promised: ${schedule}\nWhen it is paid: payout schedule close ${schedule}`);
  }
  const run = await paidOnce(schedule, options);
  const { count } = run.unpaid;
  if (count > 0) {
    say(`${count} could not be paid; their money is back in the vault: payout schedule pay-unpaid ${schedule} 0`);
    throw new Failure(
      'some-unpaid',
      `${run.claims.paid} of ${run.claims.total} are paid. The schedule is still there.`,
    );
  }
  const ended = await ownSchedule(own, schedule);
  const { steps } = await closeSchedule(ended);
  const closing = await sendToBase(own.ledgers, steps.flat(2), own.employer);
  if (options.json) return printJson({ schedule, signature, paid: run.claims.paid, closing });
  print(`Paid ${run.claims.paid} of ${run.claims.total}, and closed; the rent is back.`);
}

/** What waits for the approver has nothing to be waited for here. */
async function promiseOnce(
  own: Owner,
  options: PayOptions,
  { title, payroll, check }: Once,
): Promise<{ readonly schedule: Address; readonly signature: string } | undefined> {
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

/** Waits until the only window is settled. Throws `Failure` window-failed. */
async function paidOnce(schedule: Address, { api, time, json }: PayOptions): Promise<WindowRun> {
  tell('Waiting until it is paid; Ctrl-C ends the waiting alone.');
  try {
    return await new WindowWatcher(api, schedule, 0n, time, json && (() => {})).next();
  } catch (error) {
    if (!(error instanceof WindowFailed)) throw error;
    throw new Failure('window-failed', `${error.message} The schedule is still there: payout runs ${schedule}`);
  }
}
