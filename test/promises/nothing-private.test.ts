import { readFile } from 'node:fs/promises';
import { addressToBytes, recipientsToJson } from '@payouts/client';
import { baseLedgerAdmin } from '@payouts/localnet';
import { secretsOf } from '@payouts/testing/recordList';
import { paidOddly } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';
import type { Finder } from '../privacy/scan/finder.ts';
import { finderOf } from '../privacy/scan/forms.ts';

const RECIPIENTS = 30;

let world: World;
let employer: Employer;
let finder: Finder;

/** What is found of a recipient, never what it says. */
const found = (text: string | Buffer): string[] => [...finder.scan(Buffer.from(text))].map(({ what }) => what);

beforeAll(async () => {
  world = await World.shared();
  const payees = await paidOddly(RECIPIENTS);
  employer = await world.begin(
    payees,
    { executions: 1, batchTimeout: 600 },
    { LOG_LEVEL: 'trace', METRICS_PUBLIC: 'true' },
  );
  finder = finderOf(secretsOf(employer.list));
  await world.registerAndSettle(employer);
});

it('lets nothing of a recipient into answers, refusals, metrics, log, base ledger and database', async () => {
  const { schedule, list } = employer;
  const at = (path: string, init?: RequestInit) => fetch(`${world.apiUrl}/api/${path}`, init);
  const entry = list.recipients[0]?.recipient;
  // It would find what the employer alone is shown.
  expect(new Set(found(JSON.stringify(recipientsToJson(list.recipients))))).toEqual(
    new Set(['address', 'salt', 'amount']),
  );
  const answers = await Promise.all([
    at(`schedules/${schedule}`),
    at('health'),
    at(`schedules/${entry}`),
    at(`schedules/${schedule}/recipients/${entry}`),
    at('schedules', { method: 'POST', body: JSON.stringify({ schedulePda: schedule, recipients: entry }) }),
    at(`${entry}?amount=${list.recipients[0]?.amount}`, { method: 'DELETE' }),
  ]);
  const texts = await Promise.all(answers.map(async (one) => JSON.stringify([...one.headers]) + (await one.text())));
  texts.push(JSON.stringify(await world.executions(employer)));
  const metrics = await (await at('metrics')).text();
  expect(metrics).toContain(`service_claim_results_total{result="paid"} ${RECIPIENTS}`);
  expect(found([...texts, metrics].join('\n'))).toEqual([]);

  let transactions = 0;
  const named = Buffer.from(addressToBytes(schedule));
  for await (const each of baseLedgerAdmin(world.urls.baseRpcUrl).listTransactions()) {
    const wire = Buffer.from(each.transaction, 'base64');
    if (wire.includes(named)) transactions += 1;
    const accounts = each.accounts.map(({ data }) => Buffer.from(data, 'base64'));
    expect(found(Buffer.concat([wire, ...accounts, Buffer.from(each.logMessages.join('\n'))]))).toEqual([]);
  }
  expect(transactions).toBeGreaterThan(1);
  await world.checkMoneyRules(employer);

  await world.stopCoordinator();
  const log = await readFile(world.coordinatorLog);
  expect(log.includes(schedule)).toBe(true);
  const stored = await world.stored();
  expect(stored.some((file) => file.includes(schedule))).toBe(true);
  // Eight bytes of an amount can turn up by chance in megabytes of ciphertext.
  for (const hay of [log, ...stored]) expect(found(hay).filter((what) => what !== 'amount')).toEqual([]);
});
