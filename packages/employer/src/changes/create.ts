import {
  createScheduleInstructions,
  describeCalendar,
  findScheduleAddress,
  millisOf,
  type PromisedList,
  scheduleFees,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { sol, withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { FEE_LAMPORTS, feeSentences, type PayrollSummary, type Preview, previewOf } from '../preview.ts';
import { type OwnVault, readConfig } from '../session.ts';
import type { Terms } from '../terms.ts';
import { waitsSentences } from './promise.ts';

/** What a new schedule is to be; `batchTimeout` in seconds. */
export type CreateTerms = Terms & {
  readonly executions: number;
  readonly batchTimeout: number;
  readonly missed: 'catchUp' | 'skip';
};

/** A new list's promise, before anybody is asked for it. */
export type ListPlan = {
  /** The schedule's address. */
  readonly address: Address;
  readonly preview: Preview;
  /** What will happen, sentence by sentence. */
  readonly effects: readonly string[];
  /** What will happen, for programs. */
  readonly plan: object;
  /** Who must agree before it holds; undefined: nobody. */
  readonly approver: Address | undefined;
  /** What promises the list: made after it was agreed to, of the payroll's own lines. */
  instructionsFor(list: PromisedList): Promise<Instruction[]>;
};

/** The ledger goes on with the calendar's next date: nothing was promised before. */
const MISSED_BEFORE_APPROVAL =
  'A date that is over by the time they approve is not paid later: the first window is then the next date.';

/** A new schedule of a payroll. Throws `Failure` available-short, sol-short or config-missing. */
export async function createSchedulePlan(
  own: OwnVault,
  summary: PayrollSummary,
  terms: CreateTerms,
): Promise<ListPlan> {
  const { employer, ledgers, token, vault, timeText } = own;
  const { executions, calendar, firstExecution } = terms;
  const promised = summary.total * BigInt(executions);
  const preview = await previewOf(ledgers, summary, { vault });
  const { nextId: id } = vault.vault;
  const address = await findScheduleAddress(vault.address, id);
  if (promised > vault.available) {
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(promised - vault.available, token)}. Deposit them, or promise fewer windows: it covers ${preview.covered}.`,
    );
  }
  const config = await readConfig(ledgers);
  const fees = scheduleFees(config, executions, summary.recipients);
  const needed = preview.rent + FEE_LAMPORTS + fees;
  const { value: owned } = await ledgers.base.getBalance(employer.address).send();
  if (owned < needed) {
    throw new Failure('sol-short', `Your wallet has ${sol(owned)} SOL; rent and fees take ${sol(needed)} SOL.`);
  }
  const spending = { amount: summary.total, sum: promised };
  const approver = await approverFor(ledgers, vault, spending, { time: ledgers.time });
  const first = timeText(millisOf(firstExecution));
  return {
    address,
    preview,
    effects: [
      `Paid ${describeCalendar(calendar, firstExecution)}, ${executions} times, first on ${first}.`,
      `Reserves ${withName(promised, token)} of the ${withName(vault.available, token)} available.`,
      ...feeSentences(config, fees),
      ...waitsSentences(approver),
      ...(approver === undefined ? [] : [MISSED_BEFORE_APPROVAL]),
    ],
    plan: { schedule: address, recipients: summary.recipients, total: summary.total, reserves: promised, fees },
    approver,
    // What was shown, whatever governance changes meanwhile.
    instructionsFor: (list) =>
      createScheduleInstructions({ employer, mint: token.mint, id, list, ...terms, maxFees: fees }),
  };
}
