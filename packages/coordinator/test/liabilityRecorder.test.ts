import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Time } from '@payouts/client';
import { liabilityLeafHash, systemTime, verifyLiabilityInclusion } from '@payouts/client';
import { isWhole } from '@payouts/testing/share';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Balances } from '../src/balances/balances.ts';
import { RunError } from '../src/domain/errors.ts';
import { liabilityProofs } from '../src/liabilities/proof.ts';
import { LiabilityRecorders } from '../src/liabilities/recorders.ts';
import type { Locks } from '../src/platform/leadership.ts';
import { createMetrics, type Metrics } from '../src/platform/metrics.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { sqlLiabilityStore } from '../src/store/liabilityStore.ts';
import { listAttempts } from '../src/store/queries/attempts.ts';
import { findRun } from '../src/store/queries/runs.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { balancesOver } from './support/balances.ts';
import { type FakeBalance, placeAt } from './support/fakeBalances.ts';
import { type FakePayee, type FakeSchedule, FakeToken, type FakeWindow, type Fault } from './support/fakeToken.ts';
import { silentLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';
import { quietFees } from './support/quietFees.ts';
import { addRun, begin } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const payload = localPayloadKeys(randomBytes(32));
const store = useStore('PGlite');
const authority = await generateKeyPairSigner();

/** Stories of the property; the gate plays a share of them. */
const STORIES = isWhole ? 60 : 20;
const PROCESSES = 3;
/** On which the balances are. */
const PAGES = 2;
/** What the lists pay: no two sets of them make up the same. */
const AMOUNTS = [8n, 4n, 2n, 1n];
const PEOPLE = AMOUNTS.length;
const EVERYBODY = [...AMOUNTS.keys()];

/** A clock that a test sets forward, and on which nobody waits long. */
class QuickTime implements Time {
  #ahead = 0;
  now = () => Date.now() + this.#ahead;
  random = () => 0.5;
  monotonic = () => performance.now();
  after = systemTime.after;
  every = systemTime.every;
  turn(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await sleep(Math.min(milliseconds / 8, 20), undefined, { signal });
  }
}

/** What processes of one store agree on; `recorders` are more than one where a process is taken for dead and is not. */
class SharedLocks {
  readonly recorders = new Set<number>();

  of(process: number): Locks {
    return {
      holds: async () => {
        if (this.recorders.size === 0) this.recorders.add(process);
        return this.recorders.has(process);
      },
      release: async () => {},
    };
  }
}

type Process = { readonly recorders: LiabilityRecorders; readonly metrics: Metrics; readonly end: AbortController };

/** A token as coordinators see it: a process is a new one after each crash. */
class Token {
  static #present: Token | undefined;
  readonly fake = new FakeToken();
  readonly time = new QuickTime();
  readonly locks = new SharedLocks();
  readonly processes: Process[] = [];
  schedules: FakeSchedule[] = [];

  /**
   * Each of the schedules has a list of its own, and all pay out of one vault but the last. `areMixed`: two of each list are in that of
   * the schedule before it, too. Neighbours in a list are on different pages, so that the lists share all pages.
   * Ends the token before it: its processes would go on looking for settlements until the end of the test.
   */
  static async start({ schedules = 3, areMixed = false } = {}): Promise<Token> {
    Token.#present?.stop();
    const token = new Token();
    Token.#present = token;
    const { fake } = token;
    await fake.prepare();
    const vault = randomAddress();
    for (let page = 1; page <= PAGES; page++) fake.layerBalances.makePage(page);
    for (let each = 0; each < schedules; each++) {
      const before = areMixed ? token.schedules.at(-1)?.people : undefined;
      const people = AMOUNTS.map((amount, at): FakePayee => {
        const known = at < 2 ? before?.[at] : undefined;
        const { owner, place } = known ?? {
          owner: randomAddress(),
          place: placeAt(1 + (at % PAGES), each * PEOPLE + at),
        };
        return { owner, place, amount };
      });
      const schedule = await fake.addSchedule(people, each === schedules - 1 ? randomAddress() : vault);
      token.schedules.push(schedule);
      await addSchedule(store.query, { address: schedule.address, mint: fake.mint });
    }
    await token.balances().adopt(fake.mint);
    fake.reads.everybody = 0;
    for (let place = 0; place < PROCESSES; place++) token.crash(place);
    onTestFinished(() => token.stop());
    return token;
  }

  /** As a process that has just begun knows them. */
  balances(): Balances {
    const { program, layer } = this.fake;
    return balancesOver({ program, layer, database: store.query, payloadKeys: payload, time: this.time });
  }

  get people() {
    return this.schedules.flatMap(({ people }) => people);
  }

  recorders(process = 0) {
    return (this.processes[process] as Process).recorders;
  }

  recorder(process = 0) {
    return this.recorders(process).of(this.fake.mint);
  }

  crash(place: number): void {
    this.processes[place]?.end.abort();
    this.locks.recorders.delete(place);
    const { program, base, layer, findList } = this.fake;
    const end = new AbortController();
    const metrics = createMetrics();
    const recorders = new LiabilityRecorders({
      program,
      config: randomAddress(),
      authority,
      base,
      fees: quietFees(this.time, metrics),
      layer,
      time: this.time,
      store: sqlLiabilityStore(store.query, payload),
      locks: this.locks.of(place),
      findList,
      balances: this.balances(),
      log: silentLog,
      metrics,
      signal: end.signal,
    });
    this.processes[place] = { recorders, metrics, end };
    recorders.of(this.fake.mint);
    void recorders.serve(end.signal);
  }

  stop(): void {
    for (const { end } of this.processes) end.abort();
  }

  /** Pays somebody, whatever recording is under way. */
  pay(which: number, index: number): void {
    this.fake.pay(this.schedules[which] as FakeSchedule, index);
  }

  /** Opens a window, whatever recording is under way. */
  open(which: number, amount: bigint): void {
    const schedule = this.schedules[which] as FakeSchedule;
    if (schedule.open === undefined) this.fake.openWindow(schedule, amount);
  }

  /** Opens a window, pays some of its list out of it, and closes it. */
  runWindow(which: number, amount: bigint, indexes: Iterable<number>): void {
    this.open(which, amount);
    for (const index of indexes) this.pay(which, index);
    this.close(which);
  }

  /** The window's batch is closed and comes back. */
  close(which: number): void {
    const { open } = this.schedules[which] as FakeSchedule;
    if (open !== undefined) open.isBack = true;
  }

  request(who: number, part: bigint): void {
    const balance = this.balance(who);
    if (balance !== undefined) this.fake.withdraw(balance, part);
  }

  payOut(who: number): void {
    const balance = this.balance(who);
    if (balance !== undefined) this.fake.payOut(balance);
  }

  /** One of somebody's withdrawals that the base has paid is cleared. */
  clear(who: number): void {
    const balance = this.balance(who);
    const paid = balance?.withdrawals.find(({ number }) => this.fake.paid.has(number));
    if (balance !== undefined && paid !== undefined) this.fake.layerBalances.clear(balance, paid.number);
  }

  async record(process = 0): Promise<void> {
    const { sequence } = this.fake.pool;
    await this.recorder(process).record(async () => this.fake.pool.sequence > sequence);
  }

  /** A run's try to settle its window; returns the run's id. */
  async settle(process: number, which: number): Promise<number> {
    const { address, window } = this.schedules[which] as FakeSchedule;
    const key = { schedule: address, window };
    await addRun(store.query, key, { recipients: PEOPLE });
    const { run, attemptId } = await begin(store.query, key, 'commit', 2);
    await this.recorders(process).settle({ runId: run.id, attemptId, mint: this.fake.mint, schedule: address, window });
    return run.id;
  }

  /** Settles every window that is back: some in the same process, others in another one. */
  async settleAll(process: number): Promise<void> {
    const back = this.schedules.flatMap(({ open }, place) => (open?.isBack === true ? [place] : []));
    const settling = back.map((place) => this.settle((process + place) % PROCESSES, place));
    // All of them at an end, before one that failed ends the step: a later one would be told of those that are still to fail.
    const failed = (await Promise.allSettled(settling)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Rebuilt trees, over all processes. */
  async rebuilds(): Promise<number> {
    let count = 0;
    for (const { metrics } of this.processes) {
      const { values } = await metrics.reconciliationDifferences.get();
      count += values.find(({ labels }) => labels.kind === 'liabilities-rebuilt')?.value ?? 0;
    }
    return count;
  }

  /** Recordings that the first process has tried again; undefined if it counts none. */
  async retries(): Promise<number | undefined> {
    const { values } = await (this.processes[0] as Process).metrics.recordings.get();
    return values.find(({ labels }) => labels.outcome === 'retried')?.value;
  }

  /** What the database and the base ledger give out: every part of the pool, as if the layer were lost now. */
  async checkDivision(): Promise<void> {
    const { fake } = this;
    const { root, leaves, sequence, recordedOpenings } = fake.pool;
    const input = { base: fake.base, database: store.query, payloadKeys: payload, program: fake.program };
    const addresses = [...this.people.map(({ owner }) => owner), ...this.schedules.map(({ address }) => address)];
    const found = sequence === 0n ? [] : await liabilityProofs(input, addresses, [fake.mint]);
    // A settlement that was handed to another process may have landed meanwhile; from here on nothing else runs.
    if (fake.pool.sequence !== sequence) return this.checkDivision();
    let liabilities = this.schedules.reduce(
      (sum, { open }) => sum + (open !== undefined && open.opening > recordedOpenings ? open.amount : 0n),
      0n,
    );
    for (const [address, proofs] of found) {
      let theirs = 0n;
      for (const { leaf, proof } of proofs) {
        const pool = { liabilitiesRoot: root, liabilityLeaves: leaves };
        expect(verifyLiabilityInclusion({ pool, leaf, proof })).toBe(true);
        expect(liabilityLeafHash(leaf)).toHaveLength(32);
        if (leaf.kind === 'window') {
          const schedule = fake.schedules.get(address as Address);
          // One that was settled after the recording has given back what it did not pay.
          if (fake.settlements.includes(`${address}:${leaf.window}`)) continue;
          expect(schedule).toMatchObject({ window: leaf.window, open: {} });
          expect((schedule?.open?.opening ?? 0n) <= recordedOpenings).toBe(true);
          liabilities += (schedule?.open?.amount ?? 0n) - leaf.paid;
        } else theirs += fake.paid.has(leaf.number) ? 0n : leaf.amount;
      }
      liabilities += theirs;
      // A leaf may not know of a payment yet, and never has one twice.
      if (theirs > 0n) expect(theirs <= fake.holdingOf(address as Address)).toBe(true);
    }
    expect(liabilities).toBe(fake.held);
    expect(new Set(fake.settlements).size).toBe(fake.settlements.length);
  }

  /** A private transfer between two who were paid. */
  transfer(from: number, to: number, amount: bigint): void {
    this.fake.transfer(this.balance(from) as FakeBalance, this.balance(to) as FakeBalance, amount);
  }

  /** The same by this process, which knows then what has changed. */
  async transferNoted(from: number, to: number, amount: bigint): Promise<void> {
    await this.recorder().shared(async () => {
      this.transfer(from, to, amount);
      this.recorder().moved.note([from, to].map((who) => (this.balance(who) as FakeBalance).place));
    });
  }

  /** What the recorded tree says of the first list's balances. */
  async recordedAmounts(): Promise<bigint[]> {
    const { fake } = this;
    const input = { base: fake.base, database: store.query, payloadKeys: payload, program: fake.program };
    const owners = this.people.slice(0, PEOPLE).map(({ owner }) => owner);
    const found = await liabilityProofs(input, owners, [fake.mint]);
    return owners.map((owner) => {
      const leaf = found.get(owner)?.[0]?.leaf;
      return leaf?.kind === 'balance' ? leaf.amount : 0n;
    });
  }

  balance(who: number): FakeBalance | undefined {
    return this.fake.balances.get((this.people[who] as FakePayee).owner);
  }
}

type Act<Given extends unknown[]> = (token: Token, ...given: Given) => void | Promise<void>;
type Step = { readonly act: Act<[]> };
/** A step and what it is given; a counterexample shows both. */
const step = <Given extends unknown[]>(
  name: string,
  act: Act<Given>,
  ...given: { [Place in keyof Given]: fc.Arbitrary<Given[Place]> }
): fc.Arbitrary<Step> =>
  fc.tuple<Given>(...given).map((values) => ({
    act: (token) => act(token, ...values),
    [fc.toStringMethod]: () => `${name} ${fc.stringify(values)}`,
  }));

const who = fc.nat(3 * PEOPLE - 1);
/** A step that takes one of those for whom it does something: of people drawn blindly hardly any has a withdrawal that can be paid. */
const stepFor = (name: string, isFor: (token: Token, balance: FakeBalance) => boolean, act: Act<[number]>) =>
  step(
    name,
    (token, drawn: number) => {
      const found = token.people.flatMap((_, one) => {
        const balance = token.balance(one);
        return balance !== undefined && isFor(token, balance) ? [one] : [];
      });
      const one = found[drawn % found.length];
      if (one !== undefined) return act(token, one);
    },
    who,
  );
const which = fc.nat(2);
const process = fc.nat(PROCESSES - 1);
const pay = step('pay', (token, place: number, index: number) => token.pay(place, index), which, fc.nat(PEOPLE - 1));
const open = step('open', (token, place: number, sum: bigint) => token.open(place, sum), which, fc.bigInt(9n, 60n));
const request = fc.bigInt(1n, 3n).chain((part) =>
  stepFor(
    `request ${part}`,
    (_, { amount }) => amount >= part,
    (token, one) => token.request(one, part),
  ),
);
const payOut = stepFor(
  'pay out',
  ({ fake }, balance) => fake.payableOf(balance) !== undefined,
  (token, one) => token.payOut(one),
);
const clear = stepFor(
  'clear',
  ({ fake }, { withdrawals }) => withdrawals.some(({ number }) => fake.paid.has(number)),
  (token, one) => token.clear(one),
);
const crash = step('crash', (token, place: number) => token.crash(place), process);
const anyStep = fc.oneof(
  { weight: 8, arbitrary: pay },
  { weight: 4, arbitrary: open },
  { weight: 3, arbitrary: step('close', (token, place: number) => token.close(place), which) },
  { weight: 4, arbitrary: request },
  { weight: 4, arbitrary: payOut },
  { weight: 3, arbitrary: clear },
  { weight: 5, arbitrary: step('record', (token) => token.record([...token.locks.recorders][0])) },
  { weight: 4, arbitrary: step('settle', (token, from: number) => token.settleAll(from), process) },
  { weight: 2, arbitrary: step('wait', ({ time }) => time.turn(11_000)) },
  {
    weight: 6,
    arbitrary: step(
      'meanwhile',
      (token, after: number, { act }: Step) => void token.fake.meanwhile.push({ after, act: () => void act(token) }),
      fc.nat(10),
      fc.oneof(request, payOut, pay, open, crash),
    ),
  },
  { weight: 2, arbitrary: crash },
  { weight: 1, arbitrary: step('usurp', ({ locks }, place: number) => void locks.recorders.add(place), process) },
  {
    weight: 2,
    arbitrary: step(
      'fault',
      ({ fake }, fault: Fault) => void Object.assign(fake, { fault }),
      fc.constantFrom<Fault[]>('vanishes', 'unsent', 'answer-lost'),
    ),
  },
);

describe('the recorders of a liabilities tree', () => {
  it('leave a pool that the database divides exactly, whatever happens between and during recordings', async () => {
    let withdrawals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 50 }), async (steps) => {
        const token = await Token.start({ areMixed: true });
        try {
          // Else most draws would end before anybody has anything to withdraw.
          token.runWindow(0, 50n, EVERYBODY);
          for (const one of EVERYBODY) token.request(one, 1n);
          for (const each of steps) {
            const mayFail = token.fake.fault !== undefined || token.fake.meanwhile.length > 0;
            try {
              await each.act(token);
            } catch (error) {
              if (!mayFail) throw error;
            }
            await token.checkDivision();
          }
          // At rest, everything that is back gets settled.
          token.fake.fault = undefined;
          token.fake.meanwhile.length = 0;
          for (let place = 0; place < token.schedules.length; place++) {
            token.close(place);
            if (token.schedules[place]?.open === undefined) continue;
            await token.settle(place % PROCESSES, place).catch(() => token.settle(place % PROCESSES, place));
            expect(token.schedules[place]?.open).toBeUndefined();
          }
          await token.checkDivision();
          withdrawals += token.fake.paid.size;
        } finally {
          token.stop();
        }
      }),
      { numRuns: STORIES },
    );
    expect(withdrawals).toBeGreaterThan(STORIES / 2);
  }, 300_000);

  it('settle what others ask for together: as many windows in a transaction as fit', async () => {
    const schedules = 23;
    const token = await Token.start({ schedules });
    for (let place = 0; place < schedules; place++) token.runWindow(place, 20n, EVERYBODY);
    const runs = await Promise.all(token.schedules.map((_, place) => token.settle(place % PROCESSES, place)));
    await token.checkDivision();
    expect(token.fake.settlements).toHaveLength(schedules);
    // Eight at a time of the one vault, and whoever came too late for the first round.
    expect(token.fake.transactions).toBeLessThanOrEqual(7);
    expect(await token.rebuilds()).toBe(0);
    expect(token.fake.reads.everybody).toBe(0);
    const attempts = await listAttempts(store.query, runs);
    expect(attempts).toHaveLength(schedules);
    for (const { signatures } of attempts) expect(signatures).toHaveLength(1);
    expect(new Set(attempts.flatMap(({ signatures }) => signatures)).size).toBe(token.fake.transactions);
  });

  it('leave out the window that the ledger refuses, and tell its run alone', async () => {
    const token = await Token.start();
    for (let place = 0; place < 3; place++) token.runWindow(place, 20n, []);
    token.fake.early.add((token.schedules[1] as FakeSchedule).address);
    const outcomes = await Promise.allSettled([0, 1, 2].map((place) => token.settle(place, place)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'batch-not-complete' } });
    await token.checkDivision();
    token.fake.early.clear();
    await token.settle(1, 1);
    expect(token.fake.settlements).toHaveLength(3);
  });

  it("don't read a window's balances again that was settled by whoever kept the tree before", async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, EVERYBODY);
    await token.settle(0, 0);
    token.crash(0);
    token.runWindow(1, 50n, [0]);
    await token.settle(1, 1);
    expect(await token.rebuilds()).toBe(0);
    await token.checkDivision();
  });

  it('do no harm when two of them keep the tree at once', async () => {
    const token = await Token.start();
    token.locks.recorders.add(0).add(1);
    for (let round = 0; round < 4; round++) {
      for (let place = 0; place < 3; place++) token.runWindow(place, 20n, [round]);
      await Promise.all([0, 1, 2].map((place) => token.settle(place, place)));
      await token.checkDivision();
    }
    expect(token.fake.settlements).toHaveLength(12);
  });

  it('find by themselves what they were not told, after a restart with claims behind it', async () => {
    const token = await Token.start();
    token.open(0, 50n);
    for (const index of EVERYBODY) token.pay(0, index);
    token.crash(0);
    await token.record();
    token.open(1, 50n);
    token.pay(1, 3);
    token.close(0);
    await token.settle(0, 0);
    expect(token.fake.pool).toMatchObject({ sequence: 2n });
    await token.checkDivision();
  });

  it('count what a batch has paid that the layer has closed and never sends back, also after a restart', async () => {
    const token = await Token.start({ areMixed: true });
    token.open(0, 50n);
    for (const index of EVERYBODY) token.pay(0, index);
    const { open } = token.schedules[0] as FakeSchedule;
    if (open !== undefined) open.isLeaving = true;
    token.crash(0);
    token.runWindow(1, 50n, EVERYBODY);
    await token.settle(0, 1);
    expect(token.fake.pool).toMatchObject({ sequence: 1n });
    await token.checkDivision();
  });

  it('take the registered windows for all where the node lists no accounts, if they add up to what is open', async () => {
    const token = await Token.start();
    token.fake.base.programAccounts = () => Promise.reject(new RunError('ledger-unsupported', 'It lists none.'));
    const [known] = token.schedules as [FakeSchedule];
    await changeSchedule(store.query, known.address, { phase: 'open' });
    token.open(0, 50n);
    for (const index of EVERYBODY) token.pay(0, index);
    token.crash(0);
    await token.record();
    await token.checkDivision();
    // Of this one nobody here knows.
    token.open(1, 50n);
    token.crash(0);
    await expect(token.record()).rejects.toMatchObject({ code: 'ledger-unsupported' });
  });

  it('take what a list pays by what it says, and read one of its pages to see that it is there', async () => {
    const token = await Token.start();
    const reads = async () => {
      token.runWindow(0, 50n, EVERYBODY);
      const before = token.fake.reads.pages;
      await token.settle(0, 0);
      await token.checkDivision();
      return token.fake.reads.pages - before;
    };
    expect([await reads(), await reads(), await reads()]).toEqual([1, 1, 1]);
    expect(await token.rebuilds()).toBe(0);
  });

  it('read everybody whom a bit may not have paid', async () => {
    const token = await Token.start();
    for (let round = 0; round < 2; round++) {
      token.open(0, 50n);
      // Held back: the bit is set, and nothing was paid.
      ((token.schedules[0] as FakeSchedule).open as FakeWindow).bitmap[0] = 1;
      for (const index of EVERYBODY) token.pay(0, index);
      await token.record();
      await token.checkDivision();
      token.close(0);
      await token.settle(0, 0);
      await token.checkDivision();
    }
    expect(await token.retries()).toBe(0);
  });

  it('settle nothing when the layer has lost what it paid', async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, EVERYBODY);
    await token.settle(0, 0);
    const before = structuredClone([...token.fake.balances]);
    token.runWindow(0, 50n, EVERYBODY);
    for (const [owner, balance] of before) token.fake.balances.set(owner, balance);
    await expect(token.settle(0, 0)).rejects.toMatchObject({ code: 'liabilities-mismatch' });
    expect(token.fake.settlements).toHaveLength(1);
  });

  it('read nothing twice for claims that go on meanwhile', async () => {
    for (let after = 0; after < 12; after++) {
      const token = await Token.start();
      token.runWindow(0, 50n, [0, 1]);
      await token.settle(0, 0);
      token.open(0, 50n);
      token.open(1, 50n);
      // Read for their withdrawal, and paid in the middle of that.
      token.request(0, 2n);
      token.pay(0, 1);
      token.fake.meanwhile.push({ after, act: () => token.pay(0, 0) }, { after: 0, act: () => token.pay(1, 2) });
      await token.record();
      await token.checkDivision();
      expect(await token.retries()).toBe(0);
      expect(await token.rebuilds()).toBe(0);
    }
  });

  it('settle while windows open and pay in the middle of it', async () => {
    let met = 0;
    for (let after = 0; after < 14; after++) {
      const token = await Token.start();
      token.runWindow(0, 50n, EVERYBODY);
      // Both windows pay somebody whose balance is about to be read.
      const { people } = token.schedules[0] as FakeSchedule;
      Object.assign(token.schedules[1] as FakeSchedule, { people });
      token.fake.meanwhile.push(
        { after, act: () => token.open(1, 50n) },
        { after: 1, act: () => token.pay(1, 2) },
        { after: 0, act: () => token.open(2, 50n) },
      );
      await token.settle(0, 0);
      await token.checkDivision();
      expect(await token.retries()).toBe(0);
      if (token.fake.pool.recordedOpenings > 1n) met += 1;
    }
    expect(met).toBeGreaterThan(0);
  });

  it('cover no withdrawal by a settlement that did not look for any', async () => {
    const token = await Token.start();
    token.open(0, 50n);
    token.open(1, 50n);
    token.pay(0, 0);
    token.close(0);
    await token.settle(0, 0);
    token.request(0, 2n);
    token.close(1);
    await token.settle(0, 1);
    expect(token.fake.pool.coveredTo).toBe(1n);
    token.payOut(0);
    await token.checkDivision();
    // Later, a settlement looks at everything.
    token.runWindow(2, 50n, []);
    token.time.turn(11_000);
    await token.settle(0, 2);
    expect(token.fake.pool.coveredTo).toBe(2n);
    token.payOut(0);
    await token.checkDivision();
  });

  it('note that a settlement has landed when the answer to it was lost', async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, []);
    token.fake.fault = 'answer-lost';
    const run = await token.settle(0, 0);
    expect(token.fake.settlements).toHaveLength(1);
    const sent = await store.query
      .selectFrom('settled_runs')
      .innerJoin('ledger_transactions as sent', 'sent.id', 'transaction_id')
      .select('outcome')
      .where('settled_runs.run_id', '=', run)
      .execute();
    expect(sent).toEqual([{ outcome: 'landed' }]);
  });

  it('send what was kept before they sign anything new, also after a restart', async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, []);
    const { send } = token.fake.base;
    const dies = async () => {
      token.crash(0);
      throw new Error('The process died.');
    };
    Object.assign(token.fake.base, { send: dies });
    await expect(token.settle(0, 0)).rejects.toThrow();
    Object.assign(token.fake.base, { send });
    const run = await token.settle(1, 0);
    expect(token.fake.settlements).toHaveLength(1);
    const attempts = await listAttempts(store.query, [run]);
    expect(attempts.map(({ signatures }) => signatures.length)).toEqual([1, 0]);
  });

  it('cover no withdrawal that was asked for after its balance was read', async () => {
    const covered = new Set<boolean>();
    for (let after = 0; after < 10; after++) {
      const token = await Token.start();
      token.open(0, 50n);
      token.pay(0, 0);
      token.fake.meanwhile.push({ after, act: () => token.request(0, 2n) });
      await token.record();
      covered.add(token.fake.pool.coveredTo === 2n);
      token.payOut(0);
      await token.checkDivision();
    }
    // Both were met: a request that the recording knows, and one that came too late for it.
    expect(covered.size).toBe(2);
  });

  it('record no withdrawal whose number was given after numbers were counted', async () => {
    const left = new Set<boolean>();
    for (let after = 0; after < 10; after++) {
      const token = await Token.start();
      token.open(0, 50n);
      for (const who of [0, 1, 2]) token.pay(0, who);
      token.request(0, 2n);
      for (const who of [1, 2]) token.fake.meanwhile.push({ after, act: () => token.request(who, 2n) });
      await token.record();
      const tree = await token.recorder(0).shared(() => token.recorder(0).payable());
      for (const number of [1n, 2n, 3n]) expect(tree.hasNumber(number)).toBe(number < token.fake.pool.coveredTo);
      left.add(tree.hasNumber(3n));
    }
    expect(left.size).toBe(2);
  });

  it('prove the withdrawals that are recorded, also after a restart, and take back what somebody else has covered', async () => {
    const token = await Token.start();
    token.open(0, 50n);
    token.pay(0, 0);
    token.pay(0, 1);
    token.request(0, 2n);
    await token.record();
    const payable = () => token.recorder(0).shared(() => token.recorder(0).payable());
    const first = await payable();
    expect([first.hasNumber(1n), first.leafCount]).toEqual([true, 1]);
    expect(first.root).toEqual(token.fake.pool.withdrawalsRoot);
    // A settlement leaves them as they are, so that payouts on their way arrive.
    token.close(0);
    await token.settle(0, 0);
    expect(token.fake.pool.withdrawalsRoot).toEqual(first.root);
    token.crash(0);
    const again = await payable();
    expect(again.content).toEqual(first.content);
    token.request(1, 3n);
    await token.record();
    expect((await payable()).leafCount).toBe(2);

    const { sequence } = token.fake.pool;
    const taken = { root: randomBytes(32), withdrawalsRoot: randomBytes(32), withdrawalLeaves: 100, coveredTo: 101n };
    token.fake.pool = { ...token.fake.pool, ...taken, sequence: sequence + 1n };
    await token.recorder(0).open();
    expect(token.fake.pool).toMatchObject({ coveredTo: 3n, withdrawalLeaves: 2 });
    await token.checkDivision();
  });

  it('read everybody where a list has wrong places, as after a restored backup', async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, EVERYBODY);
    await token.settle(0, 0);
    token.open(1, 50n);
    for (const index of EVERYBODY) token.pay(1, index);
    // Where the others are.
    const [others, list] = token.schedules as [FakeSchedule, FakeSchedule];
    const people = list.people.map((one, at) => ({ ...one, place: (others.people[at] as FakePayee).place }));
    Object.assign(list, { people });
    token.close(1);
    await token.settle(0, 1);
    await token.checkDivision();
    expect(await token.rebuilds()).toBe(1);
  });

  it('say by how much the ledgers disagree, and record nothing', async () => {
    const token = await Token.start();
    token.open(0, 50n);
    token.pay(0, 0);
    token.fake.pool.movedIn += 1n;
    await expect(token.record()).rejects.toMatchObject({
      code: 'liabilities-mismatch',
      message: 'The liabilities tree adds up to 50, but the pool holds 51.',
    });
    token.close(0);
    // The run of another process hears it too.
    await expect(token.settle(1, 0)).rejects.toMatchObject({ code: 'liabilities-mismatch' });
    expect(token.fake.pool.sequence).toBe(0n);
    const { address } = token.schedules[0] as FakeSchedule;
    expect(await findRun(store.query, { schedule: address, window: 0n })).toMatchObject({ finished_at: null });
  });

  it('do not record while the execution layer shows less than it has shown', async () => {
    const token = await Token.start();
    token.open(0, 50n);
    token.pay(0, 0);
    token.request(0, 2n);
    await token.record();
    const { owner } = token.people[0] as FakePayee;
    const before = token.fake.balances.get(owner) as FakeBalance;
    token.fake.balances.delete(owner);
    await expect(token.record()).rejects.toMatchObject({ code: 'layer-state-lost' });
    // Others have come into the page since it was lost and made again.
    token.fake.balances.set(randomAddress(), { ...before, owner: randomAddress() });
    await expect(token.record()).rejects.toMatchObject({ code: 'layer-state-lost' });
    token.fake.balances.clear();
    token.fake.balances.set(owner, before);
    token.fake.nextNumber = 1n;
    await expect(token.record()).rejects.toMatchObject({ code: 'layer-state-lost' });
  });

  it('have both balances of a private transfer or neither, whenever it is made', async () => {
    const known = new Set<boolean>();
    for (let after = 0; after < 12; after++) {
      const token = await Token.start({ schedules: 1 });
      token.runWindow(0, 50n, EVERYBODY);
      await token.record();
      // Between two pages, in both directions: what one makes too much, the other makes too little.
      const act = () => {
        token.transfer(0, 1, 1n);
        token.transfer(3, 2, 1n);
      };
      token.fake.meanwhile.push({ after, act });
      await token.record();
      const recorded = await token.recordedAmounts();
      const isAfter = recorded[0] === 7n;
      expect(recorded).toEqual(isAfter ? [7n, 5n, 3n, 0n] : AMOUNTS);
      known.add(isAfter);
      token.fake.meanwhile.length = 0;
      await token.record();
      expect(await token.recordedAmounts()).toEqual(token.fake.transfers === 0n ? AMOUNTS : [7n, 5n, 3n, 0n]);
    }
    expect(known.size).toBe(2);
  });

  it('read what a private transfer has moved, and all balances once where another process may have made it', async () => {
    const token = await Token.start();
    token.runWindow(0, 50n, EVERYBODY);
    await token.settle(0, 0);
    await token.transferNoted(0, 3, 5n);
    await token.record();
    expect(await token.recordedAmounts()).toEqual([3n, 4n, 2n, 6n]);
    expect(token.fake.reads.everybody).toBe(0);
    // A settlement that looks at its own window alone reads them, too.
    await token.transferNoted(3, 2, 6n);
    token.runWindow(1, 50n, EVERYBODY);
    await token.settle(0, 1);
    expect(await token.recordedAmounts()).toEqual([3n, 4n, 8n, 0n]);
    expect(token.fake.reads.everybody).toBe(0);

    token.transfer(2, 0, 8n);
    await token.record();
    expect(await token.recordedAmounts()).toEqual([11n, 4n, 0n, 0n]);
    token.crash(0);
    token.transfer(0, 1, 1n);
    await token.record();
    expect(await token.recordedAmounts()).toEqual([10n, 5n, 0n, 0n]);
    expect(await token.rebuilds()).toBe(0);
    await token.checkDivision();
  });
});
