import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressFromBytes } from '@payouts/client';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mapOf, payrollOf } from '../src/payout/employer/payroll.ts';
import { WrongUsage } from '../src/payout/failure.ts';

let folder: string;
let people: Address[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payouts-options-'));
  people = await Promise.all([0, 1, 2].map(async () => (await generateKeyPairSigner()).address));
});
afterAll(() => rm(folder, { recursive: true }));

const token = () => ({ mint: people[2] as Address, name: 'USDC', decimals: 6, program: TOKEN_PROGRAM_ADDRESS });

async function read(text: string, options = {}) {
  const file = join(folder, 'payroll.csv');
  await writeFile(file, text);
  return payrollOf(file, [token()], options);
}

it('takes --map as people write it', () => {
  expect(mapOf(undefined)).toBeUndefined();
  expect(mapOf('recipient=Wallet,amount=Net, in USDC, name=Full = legal name')).toEqual({
    recipient: 'Wallet',
    amount: 'Net, in USDC',
    name: 'Full = legal name',
  });
  for (const wrong of ['', 'Wallet', 'recipient=', 'wallet=A', 'amount=A,amount=B']) {
    expect(() => mapOf(wrong), wrong).toThrow(WrongUsage);
  }
});

it('says by which option to answer what a file leaves open', async () => {
  const file = `wallet,salary,net pay\n${people[0]},5,4\n`;
  await expect(read(file)).rejects.toMatchObject({
    code: 'payroll-faulty',
    message:
      'Line 1: Several columns may be the amount. Say which one is. Pass --map amount=COLUMN. It has “salary”, “net pay”.',
  });
  expect((await read(file, { map: 'amount=net pay' })).total).toBe(4_000_000n);
  const ambiguous = `wallet;amount\n${people[0]};1.250\n`;
  await expect(read(ambiguous)).rejects.toThrow('Pass --decimal point if');
  expect((await read(ambiguous, { decimal: 'comma' })).total).toBe(1_250_000_000n);
});

it('refuses the token as a recipient, and names a file that is missing', async () => {
  await expect(read(`wallet,amount\n${people[2]},5\n`)).rejects.toThrow("the token's mint");
  await expect(payrollOf(join(folder, 'none.csv'), [token()], {})).rejects.toMatchObject({ code: 'payroll-missing' });
});

it('a long payroll is checked by a second thread, which finds whom nobody could sign for', async () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `${people[at % 2]},${at + 1}`);
  const unsignable = addressFromBytes(new Uint8Array(32).fill(2));
  lines[4_000] = `${unsignable},5`;
  await expect(read(`recipient,amount\n${lines.join('\n')}\n`)).rejects.toThrow(
    "Line 4002: The recipient is a program's address",
  );
});
