import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Lifetime } from '@payouts/client';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { type Address, type Base64EncodedWireTransaction, blockhash, type Signature } from '@solana/kit';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../src/domain/errors.ts';
import { coalesced } from '../src/ledger/coalesce.ts';
import type { BaseLedger, Commitment, LedgerAccount, SignatureStatus } from '../src/ledger/ledger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { countOf } from './support/counted.ts';

let time: ManualTime;
beforeEach(() => {
  time = manualTime();
});

/** Lets what was asked in this turn be sent, and turns the time. */
async function pass(milliseconds: number): Promise<void> {
  await nextTurn();
  await nextTurn();
  await time.advance(milliseconds);
}

type Request = { readonly asked: readonly string[]; readonly commitment?: Commitment; readonly sentAt: number };

/** A ledger that changes each millisecond: what it shows tells when it was read. Answers take as long, or fail, as it is told. */
class ChangingLedger {
  readonly readings: Request[] = [];
  readonly statusCalls: Request[] = [];
  lifetimes = 0;
  heights = 0;
  #answers = 0;

  /** Milliseconds that answers take, in turn; negative: it fails after so many. */
  constructor(private readonly delays: readonly number[]) {}

  readonly ledger: BaseLedger = {
    name: 'base',
    accounts: async (addresses, commitment) => {
      const sentAt = time.now();
      this.readings.push({ asked: addresses, ...(commitment && { commitment }), sentAt });
      await this.#wait();
      // Every third address has nothing.
      return {
        slot: BigInt(sentAt),
        accounts: addresses.map((address) => (address.endsWith('3') ? null : accountAt(address, sentAt))),
      };
    },
    statuses: async (signatures) => {
      const sentAt = time.now();
      this.statusCalls.push({ asked: signatures, sentAt });
      await this.#wait();
      return signatures.map((signature) => (signature.endsWith('3') ? null : statusAt(signature, sentAt)));
    },
    lifetime: async () => {
      this.lifetimes += 1;
      const sentAt = time.now();
      await this.#wait();
      return lifetimeAt(sentAt);
    },
    blockHeight: async () => {
      this.heights += 1;
      const sentAt = time.now();
      await this.#wait();
      return BigInt(sentAt);
    },
    programAccounts: async (program) => [accountAt(program, 0)],
    send: async () => ({ kind: 'taken' }),
  };

  async #wait(): Promise<void> {
    const delay = this.delays[this.#answers++ % this.delays.length] ?? 0;
    await time.pause(Math.abs(delay));
    if (delay < 0) throw new RunError('ledger-unavailable', 'The base ledger does not answer.');
  }
}

/** A ledger that changes, and the same as callers have it. */
function coalescedLedger(delays: readonly number[] = []) {
  const changing = new ChangingLedger(delays);
  const metrics = createMetrics();
  return { changing, metrics, ledger: coalesced(changing.ledger, { time, metrics }) };
}

const accountAt = (address: string, at: number): LedgerAccount => ({
  address: address as Address,
  owner: 'owner' as Address,
  lamports: BigInt(at),
  data: new TextEncoder().encode(address),
});
const statusAt = (signature: string, at: number): SignatureStatus => ({
  err: { signature, at },
  commitment: 'confirmed',
});
const lifetimeAt = (at: number): Lifetime => ({
  blockhash: blockhash('11111111111111111111111111111111'),
  lastValidBlockHeight: BigInt(at),
});

const names = (most: number) =>
  fc.array(
    fc.nat(400).map((number) => `name-${number}`),
    { minLength: 1, maxLength: most, size: 'max' },
  );
const call = fc.oneof(
  fc.record({
    kind: fc.constant('accounts' as const),
    of: names(100),
    commitment: fc.constantFrom('confirmed', 'finalized'),
  }),
  fc.record({ kind: fc.constant('accounts' as const), of: names(3), commitment: fc.constant('confirmed') }),
  fc.record({ kind: fc.constant('statuses' as const), of: names(256) }),
  fc.record({ kind: fc.constant('statuses' as const), of: names(2) }),
  fc.record({ kind: fc.constantFrom('lifetime' as const, 'blockHeight' as const) }),
);
/** Calls with the milliseconds from the one before. */
const calls = fc.array(fc.tuple(fc.constantFrom(0, 0, 0, 1, 2, 3, 40, 300), call), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});
const delays = fc.array(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: -30, max: -1 })), {
  minLength: 1,
  maxLength: 20,
});

describe('calls made together', () => {
  it('are answered as single calls would be, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(calls, delays, async (made, answers) => {
        const { changing, ledger } = coalescedLedger(answers);
        const ends: Promise<void>[] = [];
        for (const [after, { kind, ...rest }] of made) {
          // Calls with nothing between them are made in the same turn.
          if (after > 0) await pass(after);
          const calledAt = time.now();
          const isFresh = (at: bigint | number) => {
            expect(Number(at)).toBeGreaterThanOrEqual(calledAt);
            expect(Number(at)).toBeLessThanOrEqual(time.now());
          };
          const ending = async () => {
            if (kind === 'accounts') {
              const { of, commitment } = rest as { of: Address[]; commitment: Commitment };
              const { slot, accounts } = await ledger.accounts(of, commitment);
              isFresh(slot);
              expect(accounts).toEqual(of.map((name) => (name.endsWith('3') ? null : accountAt(name, Number(slot)))));
            } else if (kind === 'statuses') {
              const { of } = rest as { of: Signature[] };
              const found = await ledger.statuses(of);
              const at = found.flatMap((status) => (status ? [(status.err as { at: number }).at] : []));
              for (const one of at) isFresh(one);
              expect(found).toEqual(of.map((name) => (name.endsWith('3') ? null : statusAt(name, at[0] as number))));
            } else {
              const at =
                kind === 'lifetime' ? (await ledger.lifetime()).lastValidBlockHeight : await ledger.blockHeight();
              expect(Number(at)).toBeGreaterThan(calledAt - (kind === 'lifetime' ? 500 : 200));
              expect(Number(at)).toBeLessThanOrEqual(time.now());
            }
          };
          ends.push(
            ending().catch((error: unknown) => {
              if (!(error instanceof RunError)) throw error;
            }),
          );
        }
        await pass(2_000);
        await Promise.all(ends);

        const readings = made.filter(([, { kind }]) => kind === 'accounts').length;
        expect(changing.readings.length).toBeLessThanOrEqual(readings);
        for (const { asked } of changing.readings) {
          expect(asked.length).toBeLessThanOrEqual(100);
          expect(new Set(asked).size).toBe(asked.length);
        }
        for (const { asked } of changing.statusCalls) {
          expect(asked.length).toBeLessThanOrEqual(256);
          expect(new Set(asked).size).toBe(asked.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('fail only with the request that they were part of, and every one of its callers is told', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 5), { minLength: 1, maxLength: 30 }),
        delays,
        async (pauses, answers) => {
          const { changing, ledger } = coalescedLedger(answers);
          const outcomes: Promise<PromiseSettledResult<unknown>>[] = [];
          for (const [number, after] of pauses.entries()) {
            if (after > 0) await pass(after);
            const asked = ledger.accounts([`name-${number}` as Address]);
            outcomes.push(Promise.allSettled([asked]).then(([outcome]) => outcome as PromiseSettledResult<unknown>));
          }
          await pass(2_000);
          for (const [number, outcome] of (await Promise.all(outcomes)).entries()) {
            const request = changing.readings.findIndex(({ asked }) => asked.includes(`name-${number}`));
            const isFailed = (answers[request % answers.length] as number) < 0;
            expect(outcome.status).toBe(isFailed ? 'rejected' : 'fulfilled');
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('become few requests: a thousand runs that look at two accounts each at once make twenty', async () => {
    const { changing, ledger, metrics } = coalescedLedger();
    const looks = Array.from({ length: 1_000 }, (_, run) =>
      ledger.accounts([`schedule-${run}` as Address, `batch-${run}` as Address]),
    );
    await pass(10);
    await Promise.all(looks);
    expect(changing.readings).toHaveLength(20);
    const labels = { ledger: 'base', method: 'getMultipleAccounts' };
    expect(await countOf(metrics, 'service_ledger_calls_joined_total', labels)).toBe(980);
  });

  it('for the same accounts ask for each of them once', async () => {
    const { changing, ledger } = coalescedLedger();
    const many = Array.from({ length: 97 }, (_, number) => `name-${number}` as Address);
    const looks = [
      ['pool', ...many],
      ['pool', 'batch'],
      ['batch', 'pool'],
    ].map((of) => ledger.accounts(of as Address[]));
    await pass(10);
    await Promise.all(looks);
    expect(changing.readings.map(({ asked }) => asked)).toEqual([['pool', ...many, 'batch']]);
  });

  it('never join a request that is on its way', async () => {
    const { changing, ledger } = coalescedLedger([50]);
    const first = ledger.accounts(['batch' as Address]);
    await pass(10);
    const second = ledger.accounts(['batch' as Address]);
    await pass(100);
    expect((await second).slot).toBeGreaterThan((await first).slot);
    expect(changing.readings).toHaveLength(2);
  });

  it('of one commitment are not answered with the other', async () => {
    const { changing, ledger } = coalescedLedger();
    const both = [ledger.accounts(['batch' as Address]), ledger.accounts(['batch' as Address], 'finalized')];
    await pass(10);
    await Promise.all(both);
    expect(changing.readings.map(({ commitment }) => commitment)).toEqual(['confirmed', 'finalized']);
  });

  it('for a lifetime are one call within half a second, and another after a failed one', async () => {
    const { changing, ledger } = coalescedLedger([-20, 5]);
    const failed = Promise.allSettled([ledger.lifetime(), ledger.lifetime()]);
    await pass(30);
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(changing.lifetimes).toBe(1);
    const found = Promise.all([ledger.lifetime(), ledger.lifetime()]);
    await pass(499);
    await Promise.all([found, ledger.lifetime()]);
    expect(changing.lifetimes).toBe(2);
    await pass(1);
    const next = ledger.lifetime();
    await pass(30);
    await next.catch(() => {});
    expect(changing.lifetimes).toBe(3);
  });

  it('that change something, or search, are made as they are', async () => {
    const { ledger } = coalescedLedger();
    expect(await ledger.send('wire' as Base64EncodedWireTransaction)).toEqual({ kind: 'taken' });
    expect(await ledger.programAccounts('program' as Address, [])).toEqual([accountAt('program', 0)]);
  });
});

it('a single call waits for no more than the turn it is made in', async () => {
  const { changing, ledger } = coalescedLedger();
  const reading = ledger.accounts(['batch' as Address]);
  await nextTurn();
  await nextTurn();
  expect(changing.readings).toHaveLength(1);
  await time.advance(0);
  await reading;
});
