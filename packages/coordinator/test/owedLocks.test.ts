import { setTimeout as sleep } from 'node:timers/promises';
import { type Postgres, startPostgres } from '@payouts/services';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerLocks } from '../src/store/serverLocks.ts';
import { randomAddress } from './support/fakeToken.ts';

let postgres: Postgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
});
afterAll(() => postgres?.remove());

const opened: ServerLocks[] = [];
const aProcess = (processName: string) => {
  const locks = new ServerLocks({ databaseUrl, processName });
  opened.push(locks);
  return locks;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((locks) => locks.close()));
});
const endSessions = (processName: string) =>
  postgres.rows(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where split_part(application_name, ' ', 2) = '${processName}'`,
  );

describe("the processes' locks on a token", () => {
  it('let sections share across processes, and be alone across processes', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const mint = randomAddress();
    let inside = 0;
    let most = 0;
    let alone = 0;
    const shared = (locks: ServerLocks) =>
      locks.shared(mint, async () => {
        inside += 1;
        most = Math.max(most, inside);
        expect(alone).toBe(0);
        await sleep(20);
        expect(alone).toBe(0);
        inside -= 1;
      });
    const byThemselves = (locks: ServerLocks) =>
      locks.alone(mint, async () => {
        alone += 1;
        expect([inside, alone]).toEqual([0, 1]);
        await sleep(20);
        expect([inside, alone]).toEqual([0, 1]);
        alone -= 1;
      });
    const work = [];
    for (let each = 0; each < 12; each++) {
      work.push(shared(one), shared(two));
      if (each % 4 === 0) work.push(byThemselves(one), byThemselves(two));
      await sleep(5);
    }
    await Promise.all(work);
    expect(most).toBeGreaterThan(4);
  });

  it('let one be alone soon, however many share one after the other', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const mint = randomAddress();
    let isOver = false;
    const sharer = async (locks: ServerLocks) => {
      while (!isOver) await locks.shared(mint, () => sleep(20));
    };
    const sharing = [one, one, one, two, two, two].map(sharer);
    await sleep(100);
    for (let each = 0; each < 5; each++) {
      const began = performance.now();
      await two.alone(mint, async () => {});
      // A hold is joined for a tenth of a second; the rest is for a machine that has other things to do.
      expect(performance.now() - began).toBeLessThan(2_000);
    }
    isOver = true;
    await Promise.all(sharing);
  }, 30_000);

  it('do not keep tokens waiting for each other, nor go on after an error', async () => {
    const one = aProcess('one');
    const [a, b] = [randomAddress(), randomAddress()];
    await one.alone(a, async () => {
      await one.shared(b, async () => {});
      await one.alone(b, async () => {});
    });
    await expect(one.alone(a, () => Promise.reject(new Error('alone')))).rejects.toThrow('alone');
    await expect(one.shared(a, () => Promise.reject(new Error('shared')))).rejects.toThrow('shared');
    expect(await one.alone(a, async () => 1)).toBe(1);
  });

  it('make one process the keeper of a token, for as long as it lives', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const [a, b] = [randomAddress(), randomAddress()];
    expect(await one.isKeeper(a)).toBe(true);
    expect(await two.isKeeper(a)).toBe(false);
    expect(await two.isKeeper(b)).toBe(true);
    expect(await one.isKeeper(a)).toBe(true);
    expect(await one.isKeeper(b)).toBe(false);
    opened.splice(opened.indexOf(one), 1);
    await one.close();
    await expect.poll(() => two.isKeeper(a), { timeout: 5_000 }).toBe(true);
  });

  it('take tokens and sections from a process whose sessions were ended, and it notices', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const mint = randomAddress();
    expect(await one.isKeeper(mint)).toBe(true);
    let leave = () => {};
    const frozen = one.alone(mint, () => new Promise<void>((resolve) => (leave = resolve)));
    await sleep(50);
    const waiting = two.alone(mint, async () => 'two');
    await endSessions('one');
    expect(await waiting).toBe('two');
    await expect.poll(() => two.isKeeper(mint), { timeout: 5_000 }).toBe(true);
    await expect.poll(() => one.isKeeper(mint), { timeout: 5_000 }).toBe(false);
    leave();
    await frozen;
    // It works on over new sessions.
    expect(await one.shared(mint, async () => 'one')).toBe('one');
  });
});
