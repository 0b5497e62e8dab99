import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchPayslips, historyOf } from '@payouts/cli';
import { type Payslip, payslipFaults, payslipToJson, type Recipient, systemTime } from '@payouts/client';
import { payslipPdf } from '@payouts/statements';
import { payoutOffline } from '@payouts/testing/offline';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it('gives a recipient a payslip that is verified without a network, and not when anything of it was changed', async () => {
  const employer = await world.begin(await variedPayees(7, 1_000_000n), { executions: 1, batchTimeout: 600 });
  await world.registerAndSettle(employer);
  const [entry] = employer.list.recipients as [Recipient];
  const signer = keyOf(entry);
  const { payslips } = await fetchPayslips({ apiUrl: world.apiUrl, signer, time: systemTime }, employer.schedule, 0n);
  expect(payslips.map(({ leaf }) => leaf)).toEqual([entry]);
  const [payslip] = payslips as [Payslip];
  expect(await payslipFaults(payslip, world.authority.address)).toEqual([]);
  const onLedger = await historyOf(world.urls.baseRpcUrl, systemTime).window(payslip.settled);
  expect(onLedger).toEqual({ faults: [], isAuthority: true });
  await world.checkMoneyRules(employer);
  await world.stopCoordinator();

  const json = payslipToJson(payslip);
  const { leaf, settled } = json;
  const pdf = Buffer.from(await payslipPdf(payslip)).toString('latin1');
  const texts = [
    JSON.stringify(json),
    pdf,
    JSON.stringify({ ...json, leaf: { ...leaf, amount: '9000000' } }),
    JSON.stringify({ ...json, leaf: { ...leaf, recipient: employer.schedule } }),
    JSON.stringify({ ...json, settled: { ...settled, window: '1' } }),
    JSON.stringify({ ...json, note: 'paid twice' }),
    pdf.replaceAll(`"amount":"${leaf.amount}"`, '"amount":"9000000"'),
  ];
  const files = texts.map((_, number) => join(world.folder, `payslip-${number}`));
  await Promise.all(files.map((file, number) => writeFile(file, texts[number] as string, 'latin1')));
  const { code, printed } = payoutOffline('receipt', 'verify', '--json', ...files);
  expect(code, printed).toBe(1);
  // The command's own failure comes last.
  const found = printed.trim().split('\n').slice(0, texts.length);
  expect(found.map((line) => (JSON.parse(line) as { sound: boolean }).sound)).toEqual(
    texts.map((_, number) => number < 2),
  );
});
