import type { Schedule, Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { promiseOf, scheduleOf, vaultOf } from './accounts.ts';
import { type BaseLedger, type Commitment, readAccount } from './ledger.ts';

/** Milliseconds for what is confirmed to become final, which takes some thirteen seconds, and between two looks. */
const FINAL_WITHIN_MS = 20_000;
const LOOK_MS = 500;

/** A schedule as a slot of the base ledger shows it. */
export type ScheduleAtSlot = { readonly schedule: Schedule; readonly slot: bigint };

/** Which schedule, of which program. */
export type ScheduleSource = {
  readonly base: BaseLedger;
  readonly program: Address;
  readonly address: Address;
  readonly time: Time;
};

async function readSchedule(source: ScheduleSource, commitment: Commitment): Promise<ScheduleAtSlot | undefined> {
  const { slot, accounts } = await source.base.accounts([source.address], commitment);
  const schedule = scheduleOf(accounts[0] ?? null, source.program);
  return schedule && { schedule, slot };
}

/** A schedule at finalized commitment; undefined if there is none. Throws `RunError` when the ledger can't be read. */
export function readFinalSchedule(source: ScheduleSource): Promise<ScheduleAtSlot | undefined> {
  return readSchedule(source, 'finalized');
}

/**
 * Waits for a schedule with this root (hexadecimal), also one that waits for the approver, to become final, if it is confirmed: whoever created it or changed its root a
 * moment ago need not wait themselves. Returns the last that was seen. Throws as `readFinalSchedule`.
 */
export async function awaitFinalRoot(source: ScheduleSource, root: string): Promise<ScheduleAtSlot | undefined> {
  const hasRoot = (seen: ScheduleAtSlot | undefined) =>
    seen !== undefined && promiseOf(seen.schedule, root) !== undefined;
  const { time } = source;
  const deadline = time.monotonic() + FINAL_WITHIN_MS;
  for (;;) {
    const seen = await readFinalSchedule(source);
    if (hasRoot(seen) || time.monotonic() > deadline) return seen;
    if (!hasRoot(await readSchedule(source, 'confirmed'))) return seen;
    await time.pause(LOOK_MS);
  }
}

/** The owner of a schedule's vault, at finalized commitment; undefined if there is no such vault. Throws as `readFinalSchedule`. */
export async function readEmployer({ base, program }: ScheduleSource, vault: Address): Promise<Address | undefined> {
  return vaultOf(await readAccount(base, vault, 'finalized'), program)?.employer;
}
