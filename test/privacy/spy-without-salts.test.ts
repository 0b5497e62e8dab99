import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learnedOf, newFolder, type Ran, type Report, spy, WITHIN_MS } from './spy/commands.ts';
import { readEvidence } from './spy/evidence.ts';

describe('the same spy, with salts, blinds and read permissions switched off', () => {
  const folder = newFolder();
  let report: Ran<Report>;
  beforeAll(async () => {
    report = await spy(folder, '--salts', 'off');
    console.log(report.output);
  }, WITHIN_MS);
  afterAll(() => expect(report.status).toBe(1));

  it('has none of them: a colleague’s salt and blind are zeros', () => {
    const { salt, liabilities } = readEvidence(join(folder, 'evidence')).colleague;
    expect([salt, liabilities.blind]).toEqual([expect.stringMatching(/^0+$/), expect.stringMatching(/^0+$/)]);
  });

  it('names most people, with their employer and their amount', () => {
    const { entries, employer, amount } = report.left.named;
    expect(employer / entries).toBeGreaterThan(0.5);
    expect(amount / entries).toBeGreaterThan(0.5);
  });

  it.each(['leaves', 'what the layer shows'])('learns from %s', (attack) => {
    expect(learnedOf(report, attack)).toBeGreaterThan(0);
  });
});
