import { compared, heldOver, NOBODY_HELD, summaryOf, updateListPlan } from '@payouts/employer';
import { tokenParts } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { presentList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { Failure } from '../../failure.ts';
import { SCHEDULES } from '../../options.ts';
import { bold } from '../../output.ts';
import {
  changing,
  type OpenSchedule,
  openSchedules,
  type ProposalOptions,
  type ScheduleChangeOptions,
  withProposal,
} from './parts.ts';
import {
  type ListPromise,
  type Promising,
  promiseLists,
  type Resumable,
  resumed,
  tellMade,
  tellResumed,
} from './promise.ts';

/** payout schedule update */
export function addUpdate(schedule: Command): void {
  withPayroll(
    withProposal(
      changing(
        schedule
          .command('update')
          .argument(...SCHEDULES)
          .argument('<payroll>', 'file of the payroll'),
      ),
    ),
  )
    .option('--release-held', 'hold nobody back in the next list')
    .description('Replace the list, from the next window on')
    .action(update);
}

type UpdateOptions = ScheduleChangeOptions &
  ProposalOptions &
  PayrollOptions &
  Resumable & { readonly releaseHeld?: boolean };

/** Other lists; or what is left to do of those that a former command has promised, and not learned of. */
async function update(addresses: readonly Address[], file: string, options: UpdateOptions): Promise<void> {
  const before = await resumed(options);
  if (before !== undefined) return tellResumed(before, options);
  const owns = await openSchedules(addresses, options);
  const together = 'One transaction replaces all of them, or none.';
  const made = await promiseLists(owns[0], options, { ...(await replacements(owns, file, options)), together });
  if (made === undefined) return;
  const isWaiting = made.lists.some(({ approver }) => approver !== undefined);
  tellMade(made, isWaiting ? 'Proposed' : 'Replaced', options);
}

const heldUnknown = (schedule: Address): Failure =>
  new Failure(
    'held-unknown',
    `People are held back, and neither your book nor the coordinator has the current list, so nobody can say who they are. Give the coordinator your copy of it: payout schedule register ${schedule} --list FILE. Or hold nobody back in the next list: --release-held`,
  );

/** Which list is for which schedule, and what it changes. Throws `Failure` tokens-differ or held-unknown, and what reading and planning throw. */
async function replacements(
  owns: readonly [OpenSchedule, ...OpenSchedule[]],
  file: string,
  options: UpdateOptions,
): Promise<Pick<Promising, 'promises' | 'doubts'>> {
  const [first, ...others] = owns;
  const vaults = new Map(owns.map(({ vault }) => [vault.address as string, 'your vault']));
  const payroll = await payrollOf(file, [first.token, ...others.map(({ token }) => token)], options, vaults);
  const parts = tokenParts(payroll);
  const promises: ListPromise[] = [];
  for (const own of owns) {
    const part = parts.find(({ token }) => token === own.token.mint);
    const isOnly = owns.filter(({ token }) => token.mint === own.token.mint).length === 1;
    if (part === undefined || !isOnly) {
      throw new Failure(
        'tokens-differ',
        `The payroll has ${isOnly ? 'no line' : 'one list'} of ${own.token.name}, and you name ${isOnly ? 'a schedule' : 'several schedules'} of it. Name one schedule for each token of the payroll.`,
      );
    }
    const present = await presentList(options, own.address, own.schedule, own.employer);
    const names = new Map([...(present?.names ?? []), ...part.names]);
    const comparison = present && compared(present.recipients, part.lines, names);
    const inToken = owns.length > 1 ? `, in ${own.token.name}` : '';
    const heading = [bold(`Another list for ${own.address}`), `  from ${file}${inToken}`, ''];
    const held = options.releaseHeld
      ? NOBODY_HELD
      : heldOver(own.schedule, present?.recipients, part.lines, comparison?.changes ?? { moved: [] });
    if (held === undefined) throw heldUnknown(own.address);
    const planned = await updateListPlan(own, summaryOf(part), comparison, held);
    promises.push({ token: own.token, heading, payroll: part, planned, staying: held.staying, present });
  }
  return { promises, doubts: payroll.doubts };
}
