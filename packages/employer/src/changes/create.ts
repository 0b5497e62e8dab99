import {
  createScheduleInstructions,
  describeCalendar,
  fetchMaybePool,
  findPoolAddress,
  findScheduleAddress,
  millisOf,
  type PromisedList,
  type ScheduleFees,
  scheduleFees,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { sol, withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { approverFor } from '../policy.ts';
import { FEE_LAMPORTS, feeSentences, type PayrollSummary, type Preview, previewOf } from '../preview.ts';
import { type OwnVault, readConfig } from '../session.ts';
import type { Terms } from '../terms.ts';
import { waitsSentences, windowsText } from './promise.ts';

/** What a new schedule is to be; `batchTimeout` in seconds. */
export type CreateTerms = Terms & {
  readonly executions: number;
  readonly batchTimeout: number;
  readonly missed: 'catchUp' | 'skip';
  /** Windows to keep reserved without an end: `executions` are those whose fees are prepaid then. */
  readonly keep?: number;
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
  /** Lamports that it takes for rent and fees, without the transaction's own. */
  readonly lamports: bigint;
  /** Who must agree before it holds; undefined: nobody. */
  readonly approver: Address | undefined;
  /** What promises the list: made after it was agreed to, of the payroll's own lines; `held`: places of it that are not paid. */
  instructionsFor(list: PromisedList, held: readonly number[]): Promise<Instruction[]>;
};

/** The ledger goes on with the calendar's next date: nothing was promised before. */
const MISSED_BEFORE_APPROVAL =
  'A date that is over by the time they approve is not paid later: the first window is then the next date.';

/** What employers of a token prepay today. Throws `Failure` config-missing; without a pool the ledger refuses the schedule. */
async function feesAsked(ledgers: OwnVault['ledgers'], mint: Address): Promise<ScheduleFees> {
  const [config, pool] = await Promise.all([
    readConfig(ledgers),
    findPoolAddress(mint).then((address) => fetchMaybePool(ledgers.base, address)),
  ]);
  return { ...config, leastOpening: pool.exists ? pool.data.leastOpening : 0n };
}

/** When it is paid, and how often. */
function paidSentence(
  { executions, calendar, firstExecution, keep }: CreateTerms,
  timeText: OwnVault['timeText'],
): string {
  const first = timeText(millisOf(firstExecution));
  const rule = describeCalendar(calendar, firstExecution);
  if (keep !== undefined) return `Paid ${rule}, without an end, first on ${first}.`;
  if (executions === 1) return `Paid once, from ${first} on.`;
  return `Paid ${rule}${calendar.dates ? '' : `, ${executions} times`}, first on ${first}.`;
}

/** What it means that a schedule has no end. */
const keepSentences = (keep: number, executions: number): string[] => [
  `Keeps ${windowsText(keep)} reserved: when one opens, the next is reserved out of what is available. If nothing is, payouts wait until you deposit.`,
  `The fees of ${windowsText(executions)} are prepaid. More are added later, in the same way as windows.`,
];

/** A new schedule of a payroll; `others`: lamports that schedules beside it take. Throws `Failure` available-short, sol-short or config-missing. */
export async function createSchedulePlan(
  own: OwnVault,
  summary: PayrollSummary,
  terms: CreateTerms,
  others = 0n,
): Promise<ListPlan> {
  const { employer, ledgers, token, vault, timeText } = own;
  const { executions, keep } = terms;
  const promised = summary.total * BigInt(executions);
  const reserved = keep === undefined ? promised : summary.total * BigInt(Math.min(keep, executions));
  const preview = await previewOf(ledgers, summary, { vault });
  const { nextId: id } = vault.vault;
  const address = await findScheduleAddress(vault.address, id);
  if (reserved > vault.available) {
    const fewer = keep === undefined ? 'promise fewer windows' : 'keep fewer windows reserved';
    throw new Failure(
      'available-short',
      `The vault is short of ${withName(reserved - vault.available, token)}. Deposit them, or ${fewer}: it covers ${preview.covered}.`,
    );
  }
  const asked = await feesAsked(ledgers, token.mint);
  const fees = scheduleFees(asked, { windows: executions, recipients: summary.recipients, amount: summary.total });
  const lamports = preview.rent + fees;
  const needed = others + lamports + FEE_LAMPORTS;
  const { value: owned } = await ledgers.base.getBalance(employer.address).send();
  if (owned < needed) {
    throw new Failure('sol-short', `Your wallet has ${sol(owned)} SOL; rent and fees take ${sol(needed)} SOL.`);
  }
  const spending = { amount: summary.total, sum: promised };
  const approver = await approverFor(ledgers, vault, spending, { time: ledgers.time });
  return {
    address,
    preview,
    effects: [
      paidSentence(terms, timeText),
      `Reserves ${withName(reserved, token)} of the ${withName(vault.available, token)} available.`,
      ...(keep === undefined ? [] : keepSentences(keep, executions)),
      ...feeSentences(asked, fees, token),
      ...waitsSentences(approver),
      ...(approver === undefined ? [] : [MISSED_BEFORE_APPROVAL]),
    ],
    plan: { schedule: address, recipients: summary.recipients, total: summary.total, reserves: reserved, fees },
    lamports,
    approver,
    // What was shown, whatever governance changes meanwhile.
    instructionsFor: (list) =>
      createScheduleInstructions({ employer, mint: token.mint, id, list, ...terms, maxFees: fees }),
  };
}
