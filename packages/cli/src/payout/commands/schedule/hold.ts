import {
  Failure,
  type HoldInput,
  hasEnded,
  holdRecipient,
  type OwnSchedule,
  type PlannedChange,
  releaseRecipient,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { presentList } from '../../employer/lists.ts';
import { carryOutChange } from '../../ledgerChange.ts';
import { addressOption, SCHEDULE } from '../../options.ts';
import { changing, openSchedule, type ScheduleChangeOptions } from './parts.ts';

/** payout schedule hold|release */
export function addHold(schedule: Command): void {
  const of = (name: string) =>
    changing(schedule.command(name).argument(...SCHEDULE)).argument('<recipient>', 'of the list', addressOption);
  of('hold').description('Hold a recipient back, from the next window on').action(change(holdRecipient));
  of('release').description('Pay a recipient again who is held back').action(change(releaseRecipient));
}

const change =
  (changeOf: (own: OwnSchedule, input: HoldInput) => PlannedChange) =>
  async (address: Address, recipient: Address, options: ScheduleChangeOptions): Promise<void> => {
    const own = await openSchedule(address, options);
    const { employer, ledgers, schedule } = own;
    // Nobody is asked for the list of one that pays nobody.
    const list = hasEnded(schedule)
      ? { root: schedule.root, recipients: [] }
      : await presentList(options, address, schedule, employer);
    if (list === undefined) {
      throw new Failure('list-missing', 'Neither your book nor the coordinator has the list that the ledger promises.');
    }
    await carryOutChange({ signer: employer, ledgers }, options, changeOf(own, { recipient, list }));
  };
