import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { camt053, camt054, outcomesOf, pain001, pain002, readPaymentFile } from '@payouts/bank-files';
import { freshWallet } from '@payouts/testing/wallets';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unitsOf } from '../../packages/bank-files/test/parsed.ts';

const python = fileURLToPath(new URL('../../.toolchain/bank-files/bin/python', import.meta.url));
const check = fileURLToPath(new URL('./bankFiles/check.py', import.meta.url));
const TOKEN = { currency: 'USD', decimals: 6 };
const PEOPLE = 200;
const AT = Date.UTC(2026, 10, 27, 9);
/** What people are called, and what they are paid for. */
const WORDS = ['Ada Lovelace', 'Björn Ångström', '李小龍', 'O’Brien & <Sons> "Ltd"', '=1+1', '🙂'.repeat(200), ' \n\t'];

let folder: string;

beforeAll(async () => {
  if (!existsSync(python)) throw new Error(`pyiso20022 is not here: npm run test:api puts it to ${python}.`);
  folder = await mkdtemp(join(tmpdir(), 'payouts-bank-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Four files of one payday, and what they are to say. */
async function writtenFiles() {
  const wallets = await Promise.all(Array.from({ length: PEOPLE }, freshWallet));
  const payments = wallets.map((recipient, place) => ({
    recipient,
    amount: 1_250_500_000n + BigInt(place) * 12_340n,
    endToEndId: `2026-11-30-${place}`,
    name: WORDS[place % WORDS.length],
    reference: WORDS[(place + 1) % WORDS.length],
  }));
  const [vault, schedule] = [await freshWallet(), await freshWallet()];
  const shared = { createdAt: AT, token: TOKEN };
  const order = pain001({ ...shared, messageId: 'message', day: '2026-11-30', payer: 'Example & Co', vault, payments });
  const original = await readPaymentFile(order);
  const states = ['paid', 'paid', 'held', 'unpaid'] as const;
  const entries = payments.map(({ recipient, amount }, place) => ({
    recipient,
    amount,
    state: states[place % states.length] ?? 'paid',
    payslip: `window-0-${place}`,
  }));
  const outcomes = outcomesOf(original, entries, TOKEN.decimals);
  const paid = payments.filter((_, place) => entries[place]?.state === 'paid');
  const amount = paid.reduce((sum, each) => sum + each.amount, 0n);
  const run = { schedule, window: 0n, paidCount: paid.length };
  const signature = '5'.repeat(88);
  const entry = { isCredit: false, amount, at: AT, signature, run };
  const deposit = { isCredit: true, amount: 2n * amount, at: AT - 1_000, signature };
  const withdrawal = { isCredit: false, amount: 10n, at: AT + 1_000, signature };
  const period = { from: Date.UTC(2026, 10), to: Date.UTC(2026, 11) };
  const statement = { ...shared, vault, owner: 'Example & Co', period, opening: 70n };
  const files = {
    'pain.001': order,
    'pain.002': pain002({ ...shared, messageId: 'report', original, outcomes }),
    'camt.054': camt054({ ...shared, vault, entry, payments: paid }),
    'camt.053': camt053({ ...statement, createdAt: period.to, entries: [deposit, entry, withdrawal] }),
  };
  for (const [kind, text] of Object.entries(files)) await writeFile(join(folder, `${kind}.xml`), text);
  return { payments, entries, paid, amount };
}

type Rows = readonly (readonly string[])[];
type Read = { readonly sum: string; readonly payments: Rows };
type ReadNotification = { readonly sum: readonly string[]; readonly payments: Rows };
type ReadAccount = { readonly balances: Rows; readonly entries: Rows };

it('bank files are valid by sepaxml’s schemas, and parsed strictly by pyiso20022 to the last unit', async () => {
  const { payments, entries, paid, amount } = await writtenFiles();
  const { stdout } = await promisify(execFile)(python, [check, folder], { maxBuffer: 2 ** 26 });
  const [order, report, notification, account] = JSON.parse(stdout) as [Read, Read, ReadNotification, ReadAccount];
  const total = payments.reduce((sum, each) => sum + each.amount, 0n);
  const written = (rows: Rows) => rows.map(([id, who, sum, currency]) => [id, who, unitsOf(sum), currency]);
  expect(unitsOf(order.sum)).toBe(total);
  expect(written(order.payments)).toEqual(
    payments.map((each) => [each.endToEndId, each.recipient, each.amount, 'USD']),
  );
  expect(unitsOf(report.sum)).toBe(total);
  expect(written(report.payments)).toEqual(
    payments.map((each, place) => [
      each.endToEndId,
      entries[place]?.state === 'paid' ? 'ACSC' : 'RJCT',
      each.amount,
      'USD',
    ]),
  );
  expect([unitsOf(notification.sum[0]), notification.sum[1]]).toEqual([amount, 'USD']);
  expect(written(notification.payments)).toEqual(
    paid.map((each) => [each.endToEndId, each.recipient, each.amount, 'USD']),
  );
  expect(account.balances.map(([code, sum]) => [code, unitsOf(sum)])).toEqual([
    ['OPBD', 70n],
    ['CLBD', 60n + amount],
  ]);
  expect(account.entries.map(([side, sum]) => [side, unitsOf(sum)])).toEqual([
    ['CRDT', 2n * amount],
    ['DBIT', amount],
    ['DBIT', 10n],
  ]);
});
