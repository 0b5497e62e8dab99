import { createSchedule, deposit } from '@payouts/cli';
import { prepareList, type RecipientList, recipientsToJson } from '@payouts/client';
import { SUPPLY, type World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { forEachLimited } from '../../packages/coordinator/dist/platform/concurrency.js';
import { somePayees } from './payees.ts';

/** As many as a coordinator takes at a time by default. */
const REGISTRATIONS_AT_A_TIME = 4;

/** Schedules that fall due in the same second. */
export type ManySchedules = {
  readonly schedules: number;
  /** Over which they are spread evenly, each with an employer of its own; one by default. */
  readonly tokens?: number;
  readonly recipients: number;
  readonly windows: number;
  /** Unix seconds of the first window, and seconds from one to the next. */
  readonly first: bigint;
  readonly interval: number;
  /** Seconds that a window has for its payments. */
  readonly batchTimeout: number;
};

export type Promised = { readonly schedule: Address; readonly recipients: RecipientList['recipients'] };

/** Promises them on the base ledger. */
export async function promiseMany(world: World, many: ManySchedules): Promise<Promised[]> {
  const { schedules, tokens = 1 } = many;
  const promised: Promised[] = [];
  for (let token = 0; token < tokens; token++) {
    promised.push(...(await promiseOfOne(world, { ...many, schedules: schedules / tokens })));
  }
  return promised;
}

async function promiseOfOne(world: World, many: ManySchedules): Promise<Promised[]> {
  const { schedules, recipients, windows, first, interval, batchTimeout } = many;
  const { signer, mint } = await world.employer(somePayees(1), {
    firstExecution: first * 2n,
    executions: 1,
    batchTimeout,
  });
  await deposit(world.ledgers, signer, mint, SUPPLY / 2n);
  const calendar = { unit: 'seconds', every: interval, day: 0 } as const;
  const promised: Promised[] = [];
  // One after the other: a vault takes its schedules in the order of their numbers.
  for (let place = 1; place <= schedules; place++) {
    const list = prepareList(somePayees(recipients));
    const terms = { id: BigInt(place), calendar, firstExecution: first, executions: windows, batchTimeout };
    promised.push({
      schedule: await createSchedule(world.ledgers, signer, mint, list, terms),
      recipients: list.recipients,
    });
  }
  return promised;
}

/** Registers lists at a coordinator. */
export async function registerAll(url: string, promised: readonly Promised[]): Promise<void> {
  await forEachLimited(promised, REGISTRATIONS_AT_A_TIME, async ({ schedule, recipients }) => {
    const response = await fetch(`${url}/api/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(recipients) }),
    });
    const said = await response.text();
    if (response.status !== 201) throw new Error(`A registration was answered ${response.status}: ${said}`);
  });
}
