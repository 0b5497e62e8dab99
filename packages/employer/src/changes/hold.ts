import {
  getHoldRecipientInstruction,
  getReleaseRecipientInstruction,
  isSameBytes,
  type Recipient,
  type Schedule,
  SchedulePhase,
} from '@payouts/client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { withName } from '../amounts.ts';
import { dueText } from '../dueText.ts';
import { Failure } from '../failure.ts';
import { type OwnSchedule, STATUS_NAMES } from '../session.ts';
import { atOnce, type PlannedChange } from './change.ts';
import { hasEnded } from './close.ts';

/** Entries of a list that the ledger program holds back at most. */
export const MOST_HELD = 32;

/** What a list says of somebody. */
type Entries = { readonly indexes: readonly number[] /** Base units a window. */; readonly amount: bigint };
type Listed = Pick<Recipient, 'recipient' | 'amount' | 'index'>;

/** Indexes of a schedule's list that are held back. */
export const heldIndexes = ({ held, heldCount }: Pick<Schedule, 'held' | 'heldCount'>): ReadonlySet<number> =>
  new Set(held.slice(0, heldCount));

/** A recipient's entries in the current list that are held back, or not. Throws `Failure` wrong-status, list-changed or recipient-unknown. */
function entriesOf(
  { schedule }: OwnSchedule,
  recipient: Address,
  list: HoldInput['list'],
): { readonly held: Entries; readonly others: Entries } {
  if (hasEnded(schedule)) {
    throw new Failure(
      'wrong-status',
      `The schedule is ${STATUS_NAMES[schedule.status]}: nobody is paid by it any more.`,
    );
  }
  // Places are held back, and another list has somebody else at the same place.
  if (!isSameBytes(list.root, schedule.root)) {
    throw new Failure('list-changed', 'Another list is promised by now than the one at hand. Look at it again first.');
  }
  const all = list.recipients.filter((each) => each.recipient === recipient);
  if (all.length === 0) {
    throw new Failure('recipient-unknown', `${recipient} is not in the current list of this schedule.`);
  }
  const indexes = heldIndexes(schedule);
  const those = (isHeld: boolean): Entries => {
    const some = all.filter(({ index }) => indexes.has(index) === isHeld);
    return { indexes: some.map(({ index }) => index), amount: some.reduce((sum, { amount }) => sum + amount, 0n) };
  };
  return { held: those(true), others: those(false) };
}

/** The first window that a change holds for, and what of the one that is open. */
function fromText({ schedule, timeText }: OwnSchedule, openWindow: string): string {
  if (schedule.phase !== SchedulePhase.Open)
    return `from window ${schedule.window} on, due ${dueText(schedule, timeText)}`;
  return `from window ${schedule.window + 1n} on; window ${schedule.window} is open and ${openWindow}`;
}

/** A list that waits says who is held back in it: by now, somebody else is. */
const proposedSentences = ({ schedule }: OwnSchedule): string[] =>
  schedule.proposedRecipients === 0
    ? []
    : ['The list that waits for your approver can no longer be approved: propose it again afterwards.'];

const holdEffects = (own: OwnSchedule, recipient: Address, money: string): string[] => [
  `Holds back ${recipient}`,
  `${money} a window, which go back to your vault instead, ${fromText(own, 'still pays them')}.`,
  'Until you release them, also in another list that has them. The ledger shows the place in your list, not whose it is.',
  'What goes back is public: of somebody who is held back alone, it is their amount.',
  ...proposedSentences(own),
];

const releaseEffects = (own: OwnSchedule, recipient: Address, money: string): string[] => [
  `Pays ${recipient} again`,
  `${money} a window, ${fromText(own, 'leaves them out to its end')}.`,
  'What was held back stays in your vault: it is not paid afterwards.',
  ...proposedSentences(own),
];

/** What names a recipient in the list that a schedule promises. */
export type HoldInput = {
  readonly recipient: Address;
  readonly list: { readonly root: ReadonlyUint8Array; readonly recipients: readonly Listed[] };
};

/** Holds a recipient back, from the next window on. Throws `Failure` wrong-status, list-changed, recipient-unknown, already-held or too-many-held. */
export function holdRecipient(own: OwnSchedule, { recipient, list }: HoldInput): PlannedChange {
  const { indexes, amount } = entriesOf(own, recipient, list).others;
  const { heldCount } = own.schedule;
  if (indexes.length === 0) throw new Failure('already-held', `${recipient} is held back already.`);
  if (heldCount + indexes.length > MOST_HELD) {
    throw new Failure(
      'too-many-held',
      `A schedule holds back ${MOST_HELD} at most, and ${heldCount} are. Promise a list without them.`,
    );
  }
  return heldOrNot(own, recipient, { indexes, amount, isHold: true });
}

/** Pays a recipient again who is held back. Throws `Failure` wrong-status, list-changed, recipient-unknown or not-held. */
export function releaseRecipient(own: OwnSchedule, { recipient, list }: HoldInput): PlannedChange {
  const { indexes, amount } = entriesOf(own, recipient, list).held;
  if (indexes.length === 0) throw new Failure('not-held', `${recipient} is not held back.`);
  return heldOrNot(own, recipient, { indexes, amount, isHold: false });
}

function heldOrNot(
  own: OwnSchedule,
  recipient: Address,
  { indexes, amount, isHold }: Entries & { readonly isHold: boolean },
): PlannedChange {
  const { employer, vault, token, address, schedule } = own;
  const instructionFor = isHold ? getHoldRecipientInstruction : getReleaseRecipientInstruction;
  // If another list is in force once it lands, the ledger refuses it.
  const input = { employer, vault: vault.address, schedule: address, rootVersion: schedule.rootVersion };
  return {
    effects: (isHold ? holdEffects : releaseEffects)(own, recipient, withName(amount, token)),
    plan: { schedule: address, recipient, indexes, amount },
    steps: atOnce(...indexes.map((index) => instructionFor({ ...input, index }))),
    done: isHold ? 'Held back.' : 'Released.',
    result: { schedule: address, indexes },
  };
}
