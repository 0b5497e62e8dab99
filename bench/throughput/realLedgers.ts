import { randomBytes } from 'node:crypto';
import { createSchedule, deposit } from '@payouts/cli';
import { addressFromBytes, prepareList } from '@payouts/client';
import { SUPPLY, World } from '@payouts/testing/world';
import { forEachLimited } from '../../packages/coordinator/dist/platform/concurrency.js';
import type { BenchLedgers, ManySchedules, Promised } from './ledgers.ts';

const AT_A_TIME = 16;

const payees = (count: number) =>
  Array.from({ length: count }, (_, line) => ({
    recipient: addressFromBytes(randomBytes(32)),
    amount: 1_000n + BigInt(line),
  }));

/** A base ledger and the validator on top of it. */
export async function startRealLedgers(): Promise<BenchLedgers> {
  const world = await World.start();
  // Tests look more often than the service does by itself.
  const { POLL_INTERVAL_MS: _, WITHDRAWAL_INTERVAL_MS: __, ...settings } = world.settings;
  return {
    name: 'real ledgers',
    folder: world.folder,
    settings,
    processes: { 'base ledger': [world.localnet.basePid], validator: [world.localnet.layerPid as number] },
    promise: (many) => promiseMany(world, many),
    async setClock(seconds) {
      await world.localnet.admin.warpClock(seconds);
    },
    stop: () => world.stop(),
  };
}

async function promiseMany(world: World, many: ManySchedules): Promise<Promised[]> {
  const { schedules, recipients, tokens, windows, first, interval, batchTimeout } = many;
  const terms = {
    calendar: { unit: 'seconds', every: interval, day: 0 },
    firstExecution: first,
    executions: windows,
    batchTimeout,
  } as const;
  const promised: Promised[] = [];
  const numbers = Array.from({ length: tokens }, (_, number) => number);
  await forEachLimited(numbers, AT_A_TIME, async (number) => {
    const later = { ...terms, firstExecution: first * 2n, executions: 1 };
    const { signer, mint } = await world.employer(payees(1), later);
    await deposit(world.ledgers, signer, mint, SUPPLY / 2n);
    // One after the other: a vault takes its schedules in the order of their numbers.
    for (let place = number; place < schedules; place += tokens) {
      const list = prepareList(payees(recipients));
      const id = BigInt(place + 1);
      const schedule = await createSchedule(world.ledgers, signer, mint, list, { ...terms, id });
      promised.push({ schedule, recipients: list.recipients });
    }
  });
  return promised;
}
