import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { CLUSTER_HABITS, type ClusterHabits } from '@payouts/localnet';
import { printedBy } from '@payouts/testing/command';
import { commandsBy, payout } from '@payouts/testing/payout';
import { shareOf } from '@payouts/testing/share';
import { freshWallet, variedPayees } from '@payouts/testing/wallets';
import { HOUR, World } from '@payouts/testing/world';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const { landMs, finalMs, lostShare, baseBid, behindMs, calls, callsPerMethod } = CLUSTER_HABITS;
const RECIPIENTS = 20;
/** Habits that the gate tries; `npm run habits` tries all. */
const TRIED = 2;
/** Milliseconds: with all the rest, a finality that keeps the test short. */
const SOON_FINAL_MS = 4_000;
/** Milliseconds until the layer has cleared a withdrawal that is paid and, where it takes its time, final. */
const CLEARED_WITHIN_MS = 60_000;

/** Each by itself, and all together, at a typical figure or, where that would not be met in so short a time, a harder one. */
const HABITS: readonly [string, Partial<ClusterHabits>][] = [
  ['transactions land late', { landMs }],
  ['finality takes its time', { finalMs }],
  ['sends are lost', { loadSends: 0, lostShare }],
  ['transactions need a bid', { baseBid }],
  ['every second call is answered by a node that is behind', { behindMs }],
  ['nodes refuse many calls, and say when to come again', { calls, callsPerMethod, saysRetryAfter: true }],
  ['nodes refuse many calls, and do not say when to come again', { calls, callsPerMethod }],
  ['nodes keep no history', { hasHistory: false }],
  ['nodes list no accounts', { listsAccounts: false }],
  ['websockets are cut', { websocketMs: 1_000 }],
  ['all of it comes together', { ...CLUSTER_HABITS, finalMs: SOON_FINAL_MS }],
];

let world: World;

beforeAll(async () => {
  world = await World.start();
  // As it is run, since every look counts where nodes refuse many calls.
  await world.startCoordinator({ POLL_INTERVAL_MS: '1000', WITHDRAWAL_INTERVAL_MS: '1000' });
});
beforeEach(() => () => world.localnet.admin.setHabits({}));

/** A recipient's commands, in a process of their own. */
const commandsOf = (keypair: string) =>
  commandsBy((...words) => payout({ PAYOUT_API: world.apiUrl, NO_COLOR: '1' }, ...words, '--keypair', keypair));

/** What an operator's command prints beside the running service; it must succeed. */
const operate = (...words: readonly string[]) => printedBy(world.settings, ...words);

it.each(shareOf(HABITS, TRIED))(
  'everybody is paid once, takes out what is theirs, and nothing differs where %s',
  async (_, habits) => {
    // Long enough for whatever is slow here: the layer's clock does not move with the base ledger's.
    // Due now by the ledger's clock, which earlier tests have set ahead: its second window comes an hour later, and not at once.
    const firstExecution = BigInt(await world.localnet.admin.advanceClock(0));
    const terms = { firstExecution, batchTimeout: 1_800 };
    const wallet = await freshWallet();
    const keypair = join(world.folder, `${wallet}.json`);
    const one = { recipient: (await readOrCreateKey(keypair)).address, amount: 2_500_000n };
    const employer = await world.employer([one, ...(await variedPayees(RECIPIENTS, 1_000_000n))], terms);
    await world.localnet.admin.setHabits(habits);
    expect(await world.register(employer)).toBe(true);
    await world.settledInFull(employer, 0n);
    await world.localnet.admin.advanceClock(HOUR);
    await world.settledInFull(employer, 1n);
    await world.checkPaid(2, employer);
    // The recipient and an operator are at work at the same time, behind the same habits.
    const withdraw = async () => {
      const { done, json } = commandsOf(keypair);
      await done('withdraw', '1', '--now', '--to', wallet, '--yes');
      await done('withdraw', 'all', '--now', '--to', wallet, '--yes');
      await world.arrived(wallet, employer, 2n * one.amount);
      // A withdrawal that is paid is shown until the layer has cleared it.
      const shown = { balances: [{ amount: '0', withdrawals: [] }] };
      await expect.poll(() => json('balance'), { timeout: CLEARED_WITHIN_MS }).toMatchObject(shown);
    };
    await Promise.all([withdraw(), operate('runs', 'list'), operate('config', 'check')]);
    expect(await operate('reconcile')).toContain('Nothing differs.');
    await world.checkMoneyRules(employer);
  },
);
