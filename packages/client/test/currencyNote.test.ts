import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  type Converted,
  convertedAmount,
  findVaultAddress,
  type Leaf,
  noted,
  type Payslip,
  payslipFaults,
  payslipFromJson,
  payslipToJson,
} from '../src/index.ts';
import { payslipOf, settledWindow } from './payslips.ts';
import { randomAddress, randomLeaves } from './support.ts';

const EURO: Converted = { currency: 'EUR', amount: '2000.5', rate: '1.0834', source: 'ECB 2026-11-27' };
const PAID = convertedAmount(EURO.amount, EURO.rate, 6) as bigint;

let employer: KeyPairSigner;
let payslip: Payslip;
let others: Payslip;

beforeAll(async () => {
  employer = await generateKeyPairSigner();
  const mint = randomAddress();
  const place = { mint, vault: await findVaultAddress(employer.address, mint) };
  const leaves: Leaf[] = randomLeaves(4).map((leaf) => ({ ...leaf, amount: PAID }));
  const window = await settledWindow(leaves, { place });
  payslip = await noted(payslipOf(window, 1), EURO, employer);
  others = payslipOf(window, 2);
});

const reread = (one: Payslip): Payslip => payslipFromJson(JSON.parse(JSON.stringify(payslipToJson(one))));

it('comes back from a payslip’s JSON as it was, and is sound', async () => {
  expect(payslip.note).toMatchObject({ ...EURO, issuer: employer.address });
  expect(reread(payslip)).toEqual(payslip);
  expect(await payslipFaults(reread(payslip))).toEqual([]);
  const { source: _, ...plain } = EURO;
  expect(await payslipFaults(reread(await noted(payslip, plain, employer)))).toEqual([]);
});

it('is refused when any of it is another', async () => {
  const note = payslip.note as NonNullable<Payslip['note']>;
  const changes = { amount: '2000.51', rate: '1.08341', currency: 'GBP', source: 'ECB 2026-11-26' };
  for (const [name, value] of Object.entries(changes)) {
    const faults = await payslipFaults({ ...payslip, note: { ...note, [name]: value } });
    expect(faults, name).toContain('The note on the currency is not what its issuer signed.');
  }
  // Twice the amount at half the rate gives the same, and is not what was signed.
  const same = { ...note, amount: '4001', rate: '0.5417' };
  expect(await payslipFaults({ ...payslip, note: same })).toEqual([
    'The note on the currency is not what its issuer signed.',
  ]);
  // Of another entry, which is paid the same.
  expect(await payslipFaults({ ...others, note })).toEqual(['The note on the currency is not what its issuer signed.']);
  // By somebody else, such as the coordinator.
  const stranger = await generateKeyPairSigner();
  expect(await payslipFaults(await noted(payslip, EURO, stranger))).toEqual([
    "The note on the currency is not by the vault's employer.",
  ]);
  expect(await payslipFaults(await noted(payslip, { ...EURO, rate: '1.1' }, employer))).toEqual([
    'The amount in the currency does not give what was paid, at that rate.',
  ]);
});

it('is no note where a field of it has another form', () => {
  const bad = fc.oneof(
    fc.record({
      name: fc.constant('rate'),
      value: fc.constantFrom('0', '-1', '1e3', '01', '1.', '1.0000000000001', 1),
    }),
    fc.record({ name: fc.constant('amount'), value: fc.constantFrom('', '1,5', '1.00001', '+1', null) }),
    fc.record({ name: fc.constant('currency'), value: fc.constantFrom('eur', 'EU', '€', 'TOOLONGNAME') }),
    fc.record({ name: fc.constant('source'), value: fc.constantFrom('', 'a\nb', 'x'.repeat(61), null) }),
    fc.record({ name: fc.constant('more'), value: fc.string() }),
  );
  fc.assert(
    fc.property(bad, ({ name, value }) => {
      const json = payslipToJson(payslip);
      expect(() => payslipFromJson({ ...json, note: { ...json.note, [name]: value } })).toThrow('This is no payslip');
    }),
  );
});
