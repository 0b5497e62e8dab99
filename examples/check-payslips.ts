// A recipient fetches their payslips of a window and checks them: npx tsx examples/check-payslips.ts KEY.json SCHEDULE WINDOW
// PAYOUT_API: the coordinator. Checking needs no network: a saved payslip can be checked years later.
import { readFileSync } from 'node:fs';
import { payslipFaults, payslipFromJson, signRequest, systemTime } from '@payouts/client';
import { createKeyPairSignerFromBytes } from '@solana/kit';

const { PAYOUT_API: api = 'http://127.0.0.1:3000' } = process.env;
const [keyFile = '', schedule = '', window = ''] = process.argv.slice(2);

const signer = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(keyFile, 'utf8'))));
const url = `${api}/api/schedules/${schedule}/recipients/me/payslips/${window}`;
const response = await fetch(url, { headers: await signRequest({ signer, url, time: systemTime }) });
if (!response.ok) throw new Error(`The coordinator gave no payslips: ${await response.text()}`);

const { payslips } = (await response.json()) as { payslips: unknown[] };
for (const json of payslips) {
  const payslip = payslipFromJson(json);
  const faults = await payslipFaults(payslip);
  console.log(`${payslip.leaf.amount} base units: ${faults.length === 0 ? 'sound' : faults.join(' ')}`);
  if (faults.length > 0) process.exitCode = 1;
}
