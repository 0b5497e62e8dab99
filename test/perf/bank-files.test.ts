import { randomBytes } from 'node:crypto';
import { camt053, camt054, outcomesOf, pain001, pain002, readPaymentFile } from '@payouts/bank-files';
import { addressFromBytes } from '@payouts/client';
import { expect, it } from 'vitest';

const ENTRIES = 80_000;
const MOST_MS = 3_000;
const TOKEN = { currency: 'USD', decimals: 6 };
const AT = Date.UTC(2026, 10, 27, 9);
const SIGNATURE = '5'.repeat(88);

const address = () => addressFromBytes(new Uint8Array(randomBytes(32)));

/** What something makes, within the time that it may take of the processor. */
async function inTime<T>(what: string, make: () => T | Promise<T>): Promise<T> {
  const began = process.cpuUsage();
  const made = await make();
  const { user, system } = process.cpuUsage(began);
  const took = (user + system) / 1_000;
  console.log(`${what}: ${Math.round(took)} ms`);
  expect(took, what).toBeLessThan(MOST_MS);
  return made;
}

it('writes and reads bank files of 80,000 entries within three seconds each', async () => {
  const payments = Array.from({ length: ENTRIES }, (_, place) => ({
    recipient: address(),
    amount: 1_250_500_000n + BigInt(place) * 10n,
    endToEndId: `2026-11-30-${place}`,
    name: `Person ${place}`,
    reference: 'Pay of November 2026',
  }));
  const [vault, schedule] = [address(), address()];
  const shared = { createdAt: AT, token: TOKEN };
  const order = { ...shared, messageId: 'message', day: '2026-11-30', payer: 'Example', vault, payments };
  const written = await inTime('pain.001 written', () => pain001(order));
  const bytes = new TextEncoder().encode(written);
  const original = await inTime('pain.001 read', () => readPaymentFile(bytes));
  expect(original.payments).toHaveLength(ENTRIES);
  const entries = payments.map(({ recipient, amount }) => ({ recipient, amount, state: 'paid' as const }));
  await inTime('pain.002', () => {
    const outcomes = outcomesOf(original, entries, TOKEN.decimals);
    return pain002({ ...shared, messageId: 'report', original, outcomes });
  });
  const amount = payments.reduce((sum, each) => sum + each.amount, 0n);
  const entry = { isCredit: false, amount, at: AT, signature: SIGNATURE };
  const run = { schedule, window: 0n, paidCount: ENTRIES };
  await inTime('camt.054', () => camt054({ ...shared, vault, entry: { ...entry, run }, payments }));
  const period = { from: Date.UTC(2026, 10), to: Date.UTC(2026, 11) };
  const booked = Array.from({ length: ENTRIES }, () => ({ ...entry, amount: 10n, isCredit: true }));
  await inTime('camt.053', () => camt053({ ...shared, vault, owner: 'Example', period, opening: 0n, entries: booked }));
});
