import type { SignedWindow } from '@payouts/client';
import fc from 'fast-check';
import Papa from 'papaparse';
import { extractText, getDocumentProxy } from 'unpdf';
import { describe, expect, it } from 'vitest';
import { payslipOf, settledWindow } from '../../client/test/payslips.ts';
import { randomAddress, randomLeaves } from '../../client/test/support.ts';
import { amountText, type MonthStatement, monthCsv, monthPdf, paymentOf, totalsByToken } from '../src/index.ts';

/** What two windows have paid, in two tokens. */
async function statementOf(names: readonly string[]): Promise<{ statement: MonthStatement; settled: SignedWindow[] }> {
  const windows = [await settledWindow(randomLeaves(5), { held: [1] }), await settledWindow(randomLeaves(60))];
  const payments = windows.flatMap((window) =>
    window.leaves
      .filter(({ index }) => !window.settled.held.includes(index))
      .map(({ index }, place) => paymentOf(payslipOf(window, index), names[place % names.length])),
  );
  const statement = {
    month: '2026-11',
    owner: randomAddress(),
    side: 'employer',
    madeAt: 1_796_025_604_902,
    payments,
  } as const;
  return { statement, settled: windows.map(({ settled }) => settled) };
}

describe('a month’s statement', () => {
  it('adds up to what the ledger settled, to the unit, whatever people are called', async () => {
    const { statement, settled } = await statementOf(['']);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (names) => {
        const payments = statement.payments.map((each, at) => ({ ...each, name: names[at % names.length] ?? '' }));
        const { data, errors } = Papa.parse<Record<string, string>>(monthCsv({ ...statement, payments }).trimEnd(), {
          header: true,
          delimiter: ',',
          newline: '\n',
        });
        expect(errors).toEqual([]);
        for (const { mint, paid } of settled) {
          const own = data.filter((row) => row.mint === mint);
          const sum = own
            .filter(({ date }) => date !== 'total')
            .reduce((all, row) => all + BigInt(row.base_units ?? ''), 0n);
          expect(sum).toBe(paid);
          expect(own.find(({ date }) => date === 'total')?.base_units).toBe(String(paid));
        }
        for (const { name = '' } of data) expect(name).not.toMatch(/^[=+\-@\t\r]/);
      }),
      { numRuns: 10 },
    );
  });

  it('shows sums, references and names to a PDF reader, over several pages, and holds its CSV', async () => {
    const names = ['Ada Lovelace', 'Björn 李小龍', 'A name that is far too long for any column'];
    const { statement, settled } = await statementOf(names);
    const pdf = await monthPdf(statement);
    const document = await getDocumentProxy(Uint8Array.from(pdf));
    const { text } = await extractText(document, { mergePages: true });
    for (const total of totalsByToken(statement.payments)) expect(text).toContain(amountText(total.amount, total));
    for (const { reference } of statement.payments) expect(text).toContain(reference);
    for (const shown of ['Ada Lovelace', 'Björn ???', 'A name that is far too…']) expect(text).toContain(shown);
    expect(document.numPages).toBe(2);
    expect(settled.map(({ mint }) => text.includes(mint))).toEqual([true, true]);
    expect(Object.keys((await document.getAttachments()) ?? {})).toEqual(['2026-11.csv']);
  });

  it('of a month in which nobody was paid has a header and nothing else', async () => {
    const { statement } = await statementOf(['']);
    expect(
      monthCsv({ ...statement, payments: [] })
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });
});
