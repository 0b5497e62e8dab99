import type { WindowRun } from '@payouts/cli';
import { addressToBytes } from '@payouts/client';
import { FaultProxies } from '@payouts/testing/faults/proxies';
import type { Fault } from '@payouts/testing/faults/rule';
import { isWhole } from '@payouts/testing/share';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, inSeconds, until, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

/** What a bad day has, in equal parts. */
const EVERYTHING: readonly Fault[] = [
  { kind: 'drop-before' },
  { kind: 'drop-after' },
  { kind: 'hang' },
  { kind: 'double' },
  { kind: 'reorder', later: 3, withinMs: 1_000 },
  { kind: 'too-many' },
  { kind: 'too-many', retryAfter: '1' },
  { kind: 'server-error', status: 500 },
  { kind: 'server-error', status: 503 },
  { kind: 'node-behind' },
  { kind: 'garbage' },
  { kind: 'cut-off' },
  { kind: 'stale', ms: 2_000 },
  { kind: 'delay', ms: 200, spreadMs: 1_000 },
];

/** Calls of each ledger that are refused before the first storm. */
const FIRST = 3;

let world: World;
let proxies: FaultProxies;

beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.stopCoordinator();
  await proxies?.stop();
});

type Plan = { readonly schedules: number; readonly recipients: number; readonly windows: number };

/** A coordinator behind proxies, and schedules that are registered with it and due in a moment. */
async function begin(seed: number, { schedules, recipients, windows }: Plan): Promise<Employer[]> {
  proxies = await FaultProxies.start(world, seed);
  await world.startCoordinator({ ...proxies.settings, STAGE_RETRY_MS: '200' });
  const made: Employer[] = [];
  for (let place = 0; place < schedules; place++) {
    const terms = { executions: windows, calendar: everySeconds(2), firstExecution: inSeconds(4), batchTimeout: 600 };
    made.push(await world.employer(await somePayees(recipients, 7n), terms));
  }
  for (const employer of made) await world.register(employer);
  return made;
}

/** Waits for all windows and sees that everybody was paid once in each. */
async function expectPaidOnce(employers: readonly Employer[], windows: number, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (const employer of employers) {
    for (let window = 0n; window < windows; window += 1n) {
      await world.settledInFull(employer, window, deadline - Date.now());
    }
    expect((await world.executions(employer)).length).toBe(windows);
  }
  await world.checkPaid(windows, ...employers);
}

/** The tries of the first window, but for those that ended because the layer took long to show the batch: that is no fault of this file's. */
async function attemptsOf(employer: Employer): Promise<WindowRun['attempts']> {
  const [run] = await world.executions(employer);
  return run?.attempts.filter(({ errorCode }) => errorCode !== 'batch-not-visible') ?? [];
}

describe('every window is paid once, and ends', () => {
  it('when 30 percent of all calls to both ledgers go wrong in every way', async () => {
    const employers = await begin(1, { schedules: 3, recipients: 40, windows: 2 });
    // A slow start makes many calls, all of which go well.
    const begun = [proxies.base, proxies.layer].map((proxy) => ({ proxy, before: proxy.calls() }));
    proxies.set({ faults: EVERYTHING, probability: 0.3 });
    await expectPaidOnce(employers, 2, 240_000);
    for (const { proxy, before } of begun) {
      // What a kind is done to may be asked two or three times until the windows end: an idle coordinator goes on asking.
      const lacking = () => EVERYTHING.filter(({ kind }) => proxy.count(kind) === 0).map(({ kind }) => kind);
      await until(async () => lacking().length === 0, 'every kind of fault', 60_000);
      expect(proxy.count()).toBeGreaterThan(0.2 * (proxy.calls() - before));
    }
  });

  it('when the layer can’t follow the accounts of every second transaction in time', async () => {
    const employers = await begin(5, { schedules: 3, recipients: 40, windows: 1 });
    proxies.layer.set({ faults: [{ kind: 'accounts-late' }], probability: 0.5 });
    await expectPaidOnce(employers, 1, 120_000);
    expect(proxies.layer.count('accounts-late')).toBeGreaterThan(0);
  });

  it('without the minute that unpaid ones wait when the layer refuses the first claims, down to one recipient', async () => {
    const [employer] = await begin(6, { schedules: 1, recipients: 8, windows: 1 });
    const [owner] = (employer as Employer).balances;
    const holding = addressToBytes(owner as Address);
    // Of whoever has this balance: all eight, four of them, two, and one.
    proxies.layer.set({ faults: [{ kind: 'refused' }], holding, times: 4 });
    await expectPaidOnce([employer as Employer], 1, 90_000);
    expect(proxies.layer.count('refused')).toBe(4);
    // Whoever waits ends the try.
    const attempts = await attemptsOf(employer as Employer);
    expect(attempts.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      'delegate succeeded',
      'claim succeeded',
      'commit succeeded',
    ]);
  });

  it('when both ledgers are stormed: half of the time they take no call at all', async () => {
    const employers = await begin(2, { schedules: 3, recipients: 40, windows: 2 });
    const faults: Fault[] = [{ kind: 'too-many' }, { kind: 'too-many', retryAfter: '2' }];
    // The first calls, too: between two storms there is time enough for everything.
    proxies.set({ faults, times: FIRST }, { faults, storm: { everyMs: 6_000, lastsMs: 3_000 } });
    await expectPaidOnce(employers, 2, 200_000);
    // Few calls are refused: after the first, all the others of a connection wait.
    for (const proxy of [proxies.base, proxies.layer]) expect(proxy.count('too-many')).toBeGreaterThanOrEqual(FIRST);
  });

  // Some thirty calls of a run follow each other, so this takes minutes.
  it('when every call takes seconds', async () => {
    const employers = await begin(3, { schedules: 1, recipients: 40, windows: 1 });
    proxies.set({ faults: [{ kind: 'delay', ms: isWhole ? 5_000 : 2_000 }] });
    await expectPaidOnce(employers, 1, 300_000);
    for (const proxy of [proxies.base, proxies.layer]) expect(proxy.count('delay')).toBeGreaterThan(5);
    const attempts = await attemptsOf(employers[0] as Employer);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  }, 400_000);
});
