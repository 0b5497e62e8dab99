import { randomBytes } from 'node:crypto';
import { owedLeafHash, verifyOwedInclusion } from '@payouts/client';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/log/log.ts';
import { Metrics } from '../src/metrics.ts';
import { OwedKeeper } from '../src/owed/keeper.ts';
import { owedProofs } from '../src/owed/proof.ts';
import { migrate } from '../src/store/migrate.ts';
import { type Database, openDatabase } from '../src/store/openDatabase.ts';
import { localPayloadKeys } from '../src/store/payloadKeys.ts';
import { sqlOwedStore } from '../src/store/sqlOwedStore.ts';
import { systemTime } from '../src/time.ts';
import { type FakeBalance, FakeToken, randomAddress } from './support/fakeToken.ts';
import { sharedFolder } from './support/temporary.ts';

const payload = localPayloadKeys(randomBytes(32));
let database: Database;
let authority: KeyPairSigner;
beforeAll(async () => {
  authority = await generateKeyPairSigner();
  database = await openDatabase({ databaseUrl: undefined, dataDir: sharedFolder(), onError: () => {} });
  await migrate(database.query);
});
afterAll(() => database.close());

/** A coordinator's view of a token: `keeper` is a new one after each crash. */
class Token {
  readonly fake = new FakeToken();
  readonly people = Array.from({ length: 9 }, () => ({ balance: randomAddress(), recipient: randomAddress() }));
  readonly schedules = Array.from({ length: 3 }, randomAddress);
  keeper!: OwedKeeper;

  static async start(): Promise<Token> {
    const token = new Token();
    await token.fake.prepare();
    token.crash();
    return token;
  }

  crash(): void {
    const { program, mint, base, layer } = this.fake;
    this.keeper = new OwedKeeper(mint, {
      program,
      config: randomAddress(),
      authority,
      base,
      layer,
      time: systemTime,
      store: sqlOwedStore(database.query, payload),
      log: createLogger({ level: 'silent', pretty: false }),
      metrics: new Metrics(),
      signal: new AbortController().signal,
    });
  }

  /** Pays somebody out of an open window; `known`: by this coordinator, which then knows that it happened. */
  async pay(who: number, from: number, amount: bigint, known: boolean): Promise<void> {
    const { balance, recipient } = this.people[who] as (typeof this.people)[number];
    const window = this.fake.windows.get(this.schedules[from] as Address);
    if (window === undefined || window.paid + amount > window.amount) return;
    await this.keeper.shared(async () => {
      if (known) this.keeper.touch([balance]);
      const before = this.fake.balances.get(balance);
      window.paid += amount;
      const none = { recipient, amount: 0n, pendingNumber: 0n, pendingAmount: 0n };
      this.fake.balances.set(balance, { ...(before ?? none), amount: (before?.amount ?? 0n) + amount });
    });
  }

  async open(which: number, amount: bigint, known: boolean): Promise<void> {
    const schedule = this.schedules[which] as Address;
    if (this.fake.windows.has(schedule)) return;
    await this.keeper.shared(async () => {
      if (known) this.keeper.opened(schedule);
      await this.fake.openWindow(schedule, amount);
    });
  }

  request(who: number, part: bigint): void {
    const balance = this.#balance(who);
    if (balance === undefined || balance.pendingNumber !== 0n || balance.amount < part || part === 0n) return;
    balance.amount -= part;
    balance.pendingNumber = this.fake.nextNumber++;
    balance.pendingAmount = part;
  }

  payOut(who: number): void {
    const balance = this.#balance(who);
    if (balance !== undefined) this.fake.payOut(balance);
  }

  clear(who: number): void {
    const balance = this.#balance(who);
    if (balance === undefined || !this.fake.paid.has(balance.pendingNumber)) return;
    balance.pendingNumber = 0n;
    balance.pendingAmount = 0n;
  }

  async record(settles?: Address): Promise<void> {
    const { sequence } = this.fake.pool;
    await this.keeper.record({
      purpose: settles === undefined ? 'record' : 'settle',
      ...(settles === undefined ? {} : { settles }),
      computeUnits: 1_000,
      isDone: async () =>
        settles === undefined ? this.fake.pool.sequence > sequence : !this.fake.windows.has(settles),
      build: async (owed) => [{ programAddress: this.fake.program, data: this.fake.mark(owed, settles) }],
    });
  }

  /** What the database and the base ledger give out: every part of the pool, as if the layer were lost now. */
  async checkDivision(): Promise<void> {
    const { fake } = this;
    const { root, leaves, sequence } = fake.pool;
    let owed = [...fake.windows.values()].reduce(
      (sum, window) => sum + (window.sequence === sequence ? window.amount : 0n),
      0n,
    );
    if (sequence > 0n) {
      const input = { base: fake.base, database: database.query, payloadKeys: payload, program: fake.program };
      const addresses = [...this.people.map(({ balance }) => balance), ...this.schedules];
      const found = await owedProofs({ ...input, mints: [fake.mint] }, addresses);
      for (const [address, { leaf, proof }] of found) {
        const pool = { owedRoot: root, owedLeaves: leaves };
        expect(verifyOwedInclusion({ pool, leaf, proof })).toBe(true);
        expect(owedLeafHash(leaf)).toHaveLength(32);
        if (leaf.kind === 'window') {
          const window = fake.windows.get(address as Address);
          expect(window?.sequence).not.toBe(sequence);
          owed += (window as { amount: bigint }).amount - leaf.paid;
        } else {
          owed += leaf.amount;
          if (leaf.pendingNumber !== 0n && !fake.paid.has(leaf.pendingNumber)) owed += leaf.pendingAmount;
        }
      }
    }
    expect(owed).toBe(fake.held);
  }

  #balance(who: number): FakeBalance | undefined {
    return this.fake.balances.get((this.people[who] as { balance: Address }).balance);
  }
}

const who = fc.nat(8);
const which = fc.nat(2);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('pay' as const), who, which, fc.bigInt(1n, 9n), fc.boolean()) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('open' as const), which, fc.bigInt(1n, 60n), fc.boolean()) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('request' as const), who, fc.bigInt(0n, 9n)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('payOut' as const), who) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('clear' as const), who) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('record' as const)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('settle' as const), which) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('meanwhile' as const),
      who,
      fc.nat(8),
      fc.constantFrom('request' as const, 'payOut' as const),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('crash' as const)) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('fault' as const),
      fc.constantFrom('vanishes' as const, 'unsent' as const, 'answer-lost' as const),
    ),
  },
);

describe('the keeper of an owed tree', () => {
  it('leaves a pool that the database divides exactly, whatever happens between and during recordings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const token = await Token.start();
        for (const each of steps) {
          if (each[0] === 'pay') await token.pay(each[1], each[2], each[3], each[4]);
          else if (each[0] === 'open') await token.open(each[1], each[2], each[3]);
          else if (each[0] === 'request') token.request(each[1], each[2]);
          else if (each[0] === 'payOut') token.payOut(each[1]);
          else if (each[0] === 'clear') token.clear(each[1]);
          else if (each[0] === 'meanwhile') {
            const [, person, after, what] = each;
            const act = () => (what === 'payOut' ? token.payOut(person) : token.request(person, 1n));
            token.fake.meanwhile.push({ after, act });
          } else if (each[0] === 'crash') token.crash();
          else if (each[0] === 'fault') token.fake.fault = each[1];
          else {
            const settles = each[0] === 'settle' ? (token.schedules[each[1]] as Address) : undefined;
            if (settles !== undefined && !token.fake.windows.has(settles)) continue;
            const isHindered = token.fake.fault === 'answer-lost' || token.fake.fault === 'unsent';
            await token.record(settles).catch((error: unknown) => {
              if (!isHindered) throw error;
            });
          }
          await token.checkDivision();
        }
      }),
      { numRuns: 40 },
    );
  }, 240_000);

  it('finds by itself what it was not told, after a restart with claims behind it', async () => {
    const token = await Token.start();
    await token.open(0, 50n, true);
    for (let person = 0; person < 9; person++) await token.pay(person, 0, 5n, true);
    token.crash();
    await token.record();
    await token.open(1, 50n, false);
    await token.pay(3, 1, 7n, false);
    await token.record(token.schedules[0]);
    expect(token.fake.pool).toMatchObject({ sequence: 2n, leaves: 10 });
    await token.checkDivision();
  });

  it('covers no withdrawal that was asked for after its balance was read', async () => {
    const covered = new Set<boolean>();
    for (let after = 0; after < 10; after++) {
      const token = await Token.start();
      await token.open(0, 50n, true);
      await token.pay(0, 0, 5n, true);
      token.fake.meanwhile.push({ after, act: () => token.request(0, 2n) });
      await token.record();
      covered.add(token.fake.pool.coveredTo === 2n);
      token.payOut(0);
      await token.checkDivision();
    }
    // Both were met: a request that the recording knows, and one that came too late for it.
    expect(covered.size).toBe(2);
  });

  it('says by how much the ledgers disagree, and records nothing', async () => {
    const token = await Token.start();
    await token.open(0, 50n, true);
    await token.pay(0, 0, 5n, true);
    token.fake.pool.movedIn += 1n;
    await expect(token.record()).rejects.toMatchObject({
      code: 'owed-mismatch',
      message: 'The owed tree adds up to 50, but the pool holds 51.',
    });
    expect(token.fake.pool.sequence).toBe(0n);
  });

  it('does not record while the execution layer shows less than it has shown', async () => {
    const token = await Token.start();
    await token.open(0, 50n, true);
    await token.pay(0, 0, 5n, true);
    token.request(0, 2n);
    await token.record();
    const { balance } = token.people[0] as { balance: Address };
    const before = token.fake.balances.get(balance) as FakeBalance;
    token.fake.balances.delete(balance);
    await expect(token.record()).rejects.toMatchObject({ code: 'layer-state-lost' });
    token.fake.balances.set(balance, before);
    token.fake.nextNumber = 1n;
    await expect(token.record()).rejects.toMatchObject({ code: 'layer-state-lost' });
  });
});
