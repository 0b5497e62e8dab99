import {
  dueAt,
  getHoldRecipientInstruction,
  getReleaseRecipientInstruction,
  millisOf,
  SchedulePhase,
  ScheduleStatus,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../../amounts.ts';
import { presentList } from '../../employer/lists.ts';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption, SCHEDULE } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { timeText } from '../../timeText.ts';
import { changing, type OwnSchedule, ownSchedule, type ScheduleChangeOptions, STATUS_NAMES } from './parts.ts';

/** Entries of a list that the ledger program holds back at most. */
const MOST_HELD = 32;

/** payout schedule hold|release */
export function addHold(schedule: Command): void {
  const of = (name: string) =>
    changing(schedule.command(name).argument(...SCHEDULE)).argument('<recipient>', 'of the list', addressOption);
  of('hold').description('Hold a recipient back, from the next window on').action(change(true));
  of('release').description('Pay a recipient again who is held back').action(change(false));
}

/** What a list says of somebody. */
type Entries = { readonly indexes: readonly number[] /** Base units a window. */; readonly amount: bigint };

/** A recipient's entries in the current list that are held back, or not. Throws `Failure` wrong-status, list-missing or recipient-unknown. */
async function entriesOf(
  own: OwnSchedule,
  recipient: Address,
  options: ScheduleChangeOptions,
): Promise<{ readonly held: Entries; readonly others: Entries }> {
  const { address, schedule, employer } = own;
  if (schedule.status === ScheduleStatus.Cancelled || schedule.status === ScheduleStatus.Completed) {
    throw new Failure(
      'wrong-status',
      `The schedule is ${STATUS_NAMES[schedule.status]}: nobody is paid by it any more.`,
    );
  }
  const list = await presentList(options, address, schedule, employer);
  if (list === undefined) {
    throw new Failure('list-missing', 'Neither your book nor the coordinator has the list that the ledger promises.');
  }
  const all = list.recipients.flatMap((each, index) => (each.recipient === recipient ? [{ ...each, index }] : []));
  if (all.length === 0) {
    throw new Failure('recipient-unknown', `${recipient} is not in the current list of this schedule.`);
  }
  const heldIndexes = new Set(schedule.held.slice(0, schedule.heldCount));
  const those = (isHeld: boolean): Entries => {
    const some = all.filter(({ index }) => heldIndexes.has(index) === isHeld);
    return { indexes: some.map(({ index }) => index), amount: some.reduce((sum, { amount }) => sum + amount, 0n) };
  };
  return { held: those(true), others: those(false) };
}

/** The first window that a change holds for, and what of the one that is open. */
function fromText({ schedule }: OwnSchedule, openWindow: string): string {
  if (schedule.phase !== SchedulePhase.Open)
    return `from window ${schedule.window} on, due ${timeText(millisOf(dueAt(schedule)))}`;
  return `from window ${schedule.window + 1n} on; window ${schedule.window} is open and ${openWindow}`;
}

const holdText = (own: OwnSchedule, recipient: Address, money: string): string[] => [
  `Holds back ${recipient}`,
  `  ${money} a window, which go back to your vault instead`,
  ...wrapped(`  ${fromText(own, 'still pays them')}`),
  ...wrapped(
    'Until you release them or promise another list. The ledger shows the place in your list, not whose it is.',
  ),
];

const releaseText = (own: OwnSchedule, recipient: Address, money: string): string[] => [
  `Pays ${recipient} again`,
  `  ${money} a window`,
  ...wrapped(`  ${fromText(own, 'leaves them out to its end')}`),
  'What was held back stays in your vault: it is not paid afterwards.',
];

const change =
  (isHold: boolean) =>
  async (address: Address, recipient: Address, options: ScheduleChangeOptions): Promise<void> => {
    const own = await ownSchedule(address, options);
    const { employer, ledgers, vault, token, schedule } = own;
    const entries = await entriesOf(own, recipient, options);
    const { indexes, amount } = isHold ? entries.others : entries.held;
    if (indexes.length === 0 && isHold) throw new Failure('already-held', `${recipient} is held back already.`);
    if (indexes.length === 0) throw new Failure('not-held', `${recipient} is not held back.`);
    if (isHold && schedule.heldCount + indexes.length > MOST_HELD) {
      throw new Failure(
        'too-many-held',
        `A schedule holds back ${MOST_HELD} at most, and ${schedule.heldCount} are. Promise a list without them: payout schedule update.`,
      );
    }
    const instructionFor = isHold ? getHoldRecipientInstruction : getReleaseRecipientInstruction;
    const input = { employer, vault: vault.address, schedule: address };
    await carryOut({ signer: employer, ledgers }, options, {
      what: (isHold ? holdText : releaseText)(own, recipient, withName(amount, token)),
      plan: { schedule: address, recipient, indexes, amount },
      instruction: indexes.map((index) => instructionFor({ ...input, index })),
      done: isHold ? 'Held back.' : 'Released.',
      result: { schedule: address, indexes },
    });
  };
