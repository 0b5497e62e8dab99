import { describe, expect, it } from 'vitest';
import { IssueBackoff } from '../src/withdrawals/backoff.ts';

const issue = { mint: 'mint', pendingNumber: 1n, pendingWallet: 'wallet' };

describe('the backoff of a withdrawal that is not paid', () => {
  it('doubles from 30 seconds to an hour, for each number and wallet apart, and ends when it has arrived', () => {
    const backoff = new IssueBackoff();
    expect(backoff.isDue(issue, 0)).toBe(true);
    let now = 0;
    const waits: number[] = [];
    for (let times = 1; times <= 9; times++) {
      expect(backoff.issued(issue, now)).toBe(times);
      const from = now;
      while (!backoff.isDue(issue, now)) now += 1_000;
      waits.push((now - from) / 1_000);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    backoff.issued(issue, now);
    for (const other of [{ mint: 'other' }, { pendingNumber: 2n }, { pendingWallet: 'another' }]) {
      expect(backoff.isDue({ ...issue, ...other }, now)).toBe(true);
    }
    expect(backoff.isDue(issue, now)).toBe(false);
    backoff.arrived(issue);
    expect(backoff.isDue(issue, now)).toBe(true);
    expect(backoff.issued(issue, now)).toBe(1);
  });

  it('waits a little when the layer says that it is under way, without counting a try', () => {
    const backoff = new IssueBackoff();
    backoff.underWay(issue, 0);
    expect(backoff.isDue(issue, 4_999)).toBe(false);
    expect(backoff.isDue(issue, 5_000)).toBe(true);
    expect(backoff.issued(issue, 5_000)).toBe(1);
  });
});
