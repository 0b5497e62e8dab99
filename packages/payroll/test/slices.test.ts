import { formatAmount, payrollText, readPayroll } from '@payouts/payroll';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { workbookOf } from './workbooks.ts';

const LINES = 10_000;

/** How often others had their turn while a payroll was read. */
async function turnsOf(content: Uint8Array | string): Promise<number> {
  let [turns, isReading] = [0, true];
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const { lines } = await readPayroll(content, { decimals: 6 });
  isReading = false;
  expect(lines).toHaveLength(LINES);
  return turns;
}

it('a long payroll is read in slices of 2,000 lines, checked in slices of 1,024 recipients, and looked at in slices of 8,192', async () => {
  const { address: recipient } = await generateKeyPairSigner();
  const payees = Array.from({ length: LINES }, (_, at) => ({ recipient, amount: BigInt(at + 1) }));
  const least = LINES / 2_000 + Math.ceil(LINES / 1_024) + Math.floor(LINES / 8_192);
  expect(await turnsOf(payrollText(payees, 6))).toBeGreaterThanOrEqual(least);
  const rows = payees.map(({ amount }) => [recipient, { number: formatAmount(amount, 6) }]);
  const workbook = await workbookOf({ sheets: [{ rows: [['recipient', 'amount'], ...rows] }] });
  expect(await turnsOf(workbook)).toBeGreaterThanOrEqual(least);
});
