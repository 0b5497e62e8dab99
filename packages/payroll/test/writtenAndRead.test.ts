import { MAX_U64, type Payee } from '@payouts/client';
import { formatAmount, payrollSlices, payrollText, readNames, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import Papa from 'papaparse';
import { beforeAll, expect, it } from 'vitest';
import { workbookOf } from './workbooks.ts';

let people: Address[];
beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 8 }, async () => (await generateKeyPairSigner()).address));
});

const line = fc.record({
  amount: fc.oneof(fc.bigInt({ min: 1n, max: MAX_U64 / 8n }), fc.bigInt({ min: 1n, max: 10n ** 9n })),
  name: fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'",;\t\n\' =<&_x0041_'),
      fc.constant('ü'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  }),
});
const payrolls = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 8 }),
  decimals: fc.integer({ min: 0, max: 18 }),
});

/** As a payroll is read: names are trimmed, and lines of theirs end in one way. */
const expected = (lines: readonly { readonly amount: bigint; readonly name: string }[]) => ({
  amounts: lines.map(({ amount }) => amount),
  names: new Map(
    lines.flatMap(({ name }, at) => {
      const read = name.trim();
      return read === '' ? [] : [[people[at] as string, read] as const];
    }),
  ),
});

async function found(content: Uint8Array | string, decimals: number, style?: 'point') {
  const { lines, names } = await readPayroll(content, { decimals, ...(style !== undefined && { style }) });
  expect(lines.map(({ recipient }) => recipient)).toEqual(people.slice(0, lines.length));
  return { amounts: lines.map(({ amount }) => amount), names };
}

it('reads back the CSV that it writes', async () => {
  await fc.assert(
    fc.asyncProperty(payrolls, async ({ lines, decimals }) => {
      const payees = lines.map(({ amount }, at): Payee => ({ recipient: people[at] as Address, amount }));
      const read = await found(payrollText(payees, decimals), decimals);
      expect(read.amounts).toEqual(lines.map(({ amount }) => amount));
    }),
    { numRuns: 50 },
  );
});

it('reads back the CSV that it writes with names, labels, notes and deliveries, and none of them is a formula', async () => {
  await fc.assert(
    fc.asyncProperty(payrolls, async ({ lines, decimals }) => {
      const payees = lines.map(
        ({ amount }, at): Payee => ({
          recipient: people[at] as Address,
          amount,
          ...(at % 2 === 1 && { delivery: 'wallet' }),
        }),
      );
      const named = payees.map(({ recipient }, at) => {
        const name = (lines[at] as (typeof lines)[number]).name.replaceAll(/\s+/g, ' ').trim();
        return [recipient, { name, label: `Team ${name}`, note: '' }] as const;
      });
      const text = [...payrollSlices(payees, decimals, new Map(named))].join('');
      const { lines: read } = await readPayroll(text, { decimals });
      expect(read.map(({ line, ...payee }) => payee)).toEqual(payees);
      const shown = (value: string) => (/^\s*[=+\-@]/.test(value) ? `'${value}` : value);
      const expectedNames = named.map(([recipient, { name, label }]) => [
        recipient,
        { ...(name !== '' && { name: shown(name) }), label: label.trim() },
      ]);
      expect(await readNames(text)).toEqual(expectedNames);
      for (const cell of Papa.parse<string[]>(text).data.flat()) expect(cell).not.toMatch(/^[=+@-]/);
    }),
    { numRuns: 50 },
  );
});

it('reads back what any program writes as CSV', async () => {
  const delimiters = fc.constantFrom(',', ';', '\t');
  await fc.assert(
    fc.asyncProperty(payrolls, delimiters, async ({ lines, decimals }, delimiter) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const rows = lines.map(({ amount, name }, at) => [quoted(name), people[at], formatAmount(amount, decimals)]);
      const text = [['Name', 'Wallet', 'Amount'], ...rows].map((row) => `${row.join(delimiter)}\n`).join('');
      const { amounts, names } = await found(text, decimals, 'point');
      const wanted = expected(lines);
      expect(amounts).toEqual(wanted.amounts);
      const plain = [...wanted.names].map(([person, name]) => [person, name.replace(/\r\n?/g, '\n')]);
      expect([...names]).toEqual(plain);
    }),
    { numRuns: 100 },
  );
});

it('reads back what a spreadsheet writes as a workbook: numbers of fifteen digits, and longer ones as text', async () => {
  await fc.assert(
    fc.asyncProperty(payrolls, async ({ lines, decimals }) => {
      const rows = lines.map(({ amount, name }, at) => {
        const text = formatAmount(amount, decimals);
        const digits = text.replace('.', '').replace(/^0+/, '').length;
        return [name, people[at] as string, digits <= 15 ? { number: String(Number(text)) } : text];
      });
      const workbook = await workbookOf({ sheets: [{ rows: [['name', 'recipient', 'amount'], ...rows] }] });
      expect(await found(workbook, decimals, 'point')).toEqual(expected(lines));
    }),
    { numRuns: 50 },
  );
});
