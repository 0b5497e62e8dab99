import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { beforeEach, describe, expect, it } from 'vitest';
import { NodePool, type NodeTrouble, SlotHorizon } from '../src/index.ts';

class Trouble extends Error {
  constructor(readonly what: NodeTrouble) {
    super(what.kind);
  }
}

let time: ManualTime;
let pool: NodePool;
let asked: string[];
/** What each node is in now. */
let troubles: Record<string, NodeTrouble | undefined>;

beforeEach(() => {
  time = manualTime();
  asked = [];
  troubles = {};
  pool = poolOf('a', 'b', 'c');
});

const poolOf = (...urls: readonly string[]) =>
  new NodePool({ urls, time, troubleOf: (error) => (error instanceof Trouble ? error.what : undefined) });

const call = (what = 'read') =>
  pool.call(what, async (url) => {
    asked.push(url);
    const trouble = troubles[url];
    if (trouble !== undefined) throw new Trouble(trouble);
    return url;
  });

describe('several nodes', () => {
  it('the first is asked while it answers', async () => {
    for (let turn = 0; turn < 3; turn++) expect(await call()).toBe('a');
    expect(asked).toEqual(['a', 'a', 'a']);
    expect(pool.inTrouble).toBe(0);
  });

  it.each<NodeTrouble>([
    { kind: 'down' },
    { kind: 'behind' },
    { kind: 'busy', retryAfterMs: 5_000 },
    { kind: 'busy', retryAfterMs: undefined },
  ])('where it is in trouble the next is asked at once, and for a while first: %o', async (trouble) => {
    troubles = { a: trouble };
    expect([await call(), await call()]).toEqual(['b', 'b']);
    expect(asked).toEqual(['a', 'b', 'b']);
    expect(pool.inTrouble).toBe(1);
    troubles = {};
    await time.advance(5_000);
    expect(await call()).toBe('a');
    expect(pool.inTrouble).toBe(0);
  });

  it('one that stays down is tried less and less often', async () => {
    troubles = { a: { kind: 'down' } };
    for (let second = 0; second < 600; second++) {
      await call();
      await time.advance(1_000);
    }
    expect(asked.filter((url) => url === 'a').length).toBeLessThan(20);
  });

  it('what one does not offer is asked of the others, and everything else of it', async () => {
    troubles = { a: { kind: 'lacking' } };
    expect(await call('history')).toBe('b');
    troubles = {};
    expect([await call('history'), await call()]).toEqual(['b', 'a']);
  });

  it('all are asked once before a call fails, with the last error', async () => {
    troubles = { a: { kind: 'down' }, b: { kind: 'behind' }, c: { kind: 'down' } };
    await expect(call()).rejects.toThrow('down');
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('an error that is an answer is nobody else’s', async () => {
    const answer = new Error('refused');
    await expect(pool.call('send', () => Promise.reject(answer))).rejects.toBe(answer);
    expect(pool.inTrouble).toBe(0);
  });

  it('while all want to be left alone, the call waits for the first that does not', async () => {
    troubles = {
      a: { kind: 'busy', retryAfterMs: 9_000 },
      b: { kind: 'busy', retryAfterMs: 3_000 },
      c: { kind: 'busy', retryAfterMs: 6_000 },
    };
    await expect(call()).rejects.toThrow('busy');
    troubles = {};
    const began = time.monotonic();
    expect(await time.during(call())).toBe('b');
    expect(time.monotonic() - began).toBeGreaterThanOrEqual(3_000);
    expect(time.monotonic() - began).toBeLessThan(3_300);
  });

  it('of one node alone, errors are thrown as they are', async () => {
    pool = poolOf('a');
    troubles = { a: { kind: 'down' } };
    await expect(call()).rejects.toThrow('down');
    troubles = {};
    expect(await call()).toBe('a');
  });
});

describe('how far a ledger is', () => {
  const at = (slot: number, more: object = {}) => ({ context: { slot }, ...more });
  const reading = (commitment?: string) => [['address'], { encoding: 'base64', ...(commitment && { commitment }) }];
  const asking = (horizon: SlotHorizon, params: readonly unknown[]) =>
    (horizon.asking('getMultipleAccounts', params).params[1] as { minContextSlot?: number }).minContextSlot;

  it('is asked for with what was shown at the same commitment, or a higher one', () => {
    const horizon = new SlotHorizon(time);
    expect(asking(horizon, reading('confirmed'))).toBeUndefined();
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(100));
    expect([asking(horizon, reading('confirmed')), asking(horizon, reading())]).toEqual([100, undefined]);
    horizon.learn('getMultipleAccounts', reading(), at(120));
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(110));
    expect([asking(horizon, reading('confirmed')), asking(horizon, reading())]).toEqual([120, 120]);
  });

  it('is known by the slot in which a transaction landed', () => {
    const horizon = new SlotHorizon(time);
    const value = [{ slot: 70, err: null, confirmationStatus: 'confirmed' }, null];
    horizon.learn('getSignatureStatuses', [['signature']], at(90, { value }));
    expect(asking(horizon, reading('confirmed'))).toBe(70);
    const { isBehind } = horizon.asking('getSignatureStatuses', [['signature']]);
    // What is shown meanwhile makes no difference to a call that is made again.
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(100));
    expect(isBehind(at(69, { value: [null] }))).toBe(true);
    expect(isBehind(at(70, { value: [null] }))).toBe(false);
    expect(isBehind(at(69, { value: [{ slot: 60 }] }))).toBe(false);
  });

  it('adds a configuration where a call has none, and leaves other calls alone', () => {
    const horizon = new SlotHorizon(time);
    horizon.learn('getEpochInfo', [], { absoluteSlot: 50n });
    expect(horizon.asking('getBalance', ['address']).params).toEqual(['address', { minContextSlot: 50 }]);
    expect(horizon.asking('getGenesisHash', []).params).toEqual([]);
  });

  it('is known to the program that goes on with the ledger, for a while', async () => {
    const horizon = new SlotHorizon(time);
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(100));
    horizon.learn('getMultipleAccounts', reading(), at(90));
    const { shown } = horizon;
    await time.advance(29_999);
    const next = new SlotHorizon(time, shown);
    expect([asking(next, reading('confirmed')), asking(next, reading())]).toEqual([100, 90]);
    await time.advance(1);
    expect(asking(new SlotHorizon(time, shown), reading('confirmed'))).toBeUndefined();
  });

  it('is forgotten after a while: a ledger that began anew is followed', async () => {
    const horizon = new SlotHorizon(time);
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(100));
    await time.advance(30_000);
    expect(asking(horizon, reading('confirmed'))).toBeUndefined();
    horizon.learn('getMultipleAccounts', reading('confirmed'), at(5));
    expect(asking(horizon, reading('confirmed'))).toBe(5);
  });
});
