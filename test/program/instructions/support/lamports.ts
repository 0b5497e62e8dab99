import { dueAt } from '@payouts/client';
import { must, type World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { PAYEES } from '../../fixtures/constants.ts';
import { deposit, type ScheduleScene } from '../../fixtures/index.ts';
import { done } from '../../harness/fixture.ts';
import type { Payee } from '../../harness/list.ts';
import { readSchedule } from '../../harness/read.ts';
import { bitmapRent, PAGE_RENT } from '../../harness/rent.ts';
import { addSchedule, configure } from './scenes.ts';

/** What the docs propose: a window's transactions and its delegation's fee; a balance and a token account. Lamports. */
export const FEES = { windowFee: 310_000, recipientFee: 2_047_856 };

/** A schedule that was created under fees. */
export function charged(payees: readonly Payee[] = PAYEES, executions = 3): ScheduleScene {
  const { world, token, vault } = done(deposit);
  configure(world, FEES);
  return addSchedule({ world, token, vault }, 1n, payees, { executions });
}

export const lamportsOf = ({ base }: World, at: Address) => base.account(at)?.lamports ?? 0n;

/** Opens the next window with a loan for so many new pages and for its bitmap. */
export function openOn(scene: ScheduleScene, pages: number): void {
  const { world, schedule } = scene;
  const terms = readSchedule(world, schedule);
  const due = dueAt(terms);
  if (world.now < due) world.setTime(due);
  const loan = PAGE_RENT * BigInt(pages) + bitmapRent(terms.recipients);
  must(world.base.send(build.delegateSchedule(world, schedule, terms.window, undefined, loan)));
}
