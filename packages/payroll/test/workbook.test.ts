import { PayrollError, problemText, readNames, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { partsOf, type TestCell, type TestSheet, workbookOf } from './workbooks.ts';

let one: Address;
let two: Address;

beforeAll(async () => {
  one = (await generateKeyPairSigner()).address;
  two = (await generateKeyPairSigner()).address;
});

const HEADER = ['recipient', 'amount'];
const read = async (sheet: TestSheet, { formats = [] as readonly string[], ...options } = {}) =>
  readPayroll(await workbookOf({ sheets: [sheet], formats }), { decimals: 6, ...options });

/** What is wrong with a file, and where. */
async function wrongIn(reading: Promise<unknown>): Promise<string[]> {
  const error: unknown = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayrollError);
  return (error as PayrollError).problems.map(({ code, line, cell }) => `${cell ?? line ?? '-'} ${code}`);
}

const ofAmount = (cell: TestCell, formats: readonly string[] = []) =>
  read({ rows: [HEADER, [one, cell]] }, { formats });

describe('a workbook is read to the base unit', () => {
  it('as spreadsheets write it: texts and numbers, empty rows and columns, names, what was taken for what', async () => {
    const payroll = await read({
      rows: [
        ['Employee', 'Wallet', null, 'Net pay (USDC)', 'Bonus'],
        [],
        ['Ada & <Co> "x"', one, null, 1250.5],
        ['Björn', ` ${two}\u00a0`, null, '1,000.25', 'R&D'],
      ],
    });
    expect(payroll).toMatchObject({
      lines: [
        { line: 3, recipient: one, amount: 1_250_500_000n },
        { line: 4, recipient: two, amount: 1_000_250_000n },
      ],
      names: new Map([
        [one, 'Ada & <Co> "x"'],
        [two, 'Björn'],
      ]),
      columns: {
        taken: [
          { column: 'recipient', place: 1, header: 'Wallet' },
          { column: 'amount', place: 3, header: 'Net pay (USDC)' },
          { column: 'name', place: 0, header: 'Employee' },
        ],
        unread: [{ place: 4, header: 'Bonus' }],
      },
    });
    expect(payroll.doubts.map(problemText)).toEqual(['Line 1: The column “Bonus” is not read.']);
  });

  it('as other programs write it: texts in cells, in runs and with readings, cells without names, elements with a prefix', async () => {
    const cells = [
      {
        xml: `<c t="inlineStr"><is><r><t>${one.slice(0, 9)}</t></r><r><t>${one.slice(9)}</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is></c>`,
      },
      { xml: '<c t="str"><v>7_x002E_5</v></c>' },
    ];
    expect((await read({ rows: [HEADER, cells] })).lines).toEqual([{ line: 2, recipient: one, amount: 7_500_000n }]);
    const prefixed = await workbookOf({ sheets: [{ rows: [HEADER, [one, 5]] }] }, (parts) => ({
      ...parts,
      'xl/worksheets/sheet1.xml': (parts['xl/worksheets/sheet1.xml'] as string)
        .replace(/<(\/?)(?=[a-z])/g, '<$1x:')
        .replace('xmlns=', 'xmlns:x='),
    }));
    expect((await readPayroll(prefixed, { decimals: 6 })).total).toBe(5_000_000n);
  });

  it.each([
    ['0.30000000000000004', 300_000n],
    ['1250.5', 1_250_500_000n],
    ['1250.4999999999999', 1_250_500_000n],
    ['1.0E-6', 1n],
    ['1E+5', 100_000_000_000n],
    ['4503599627370.5', 4_503_599_627_370_500_000n],
    ['980.50000000000011', 980_500_000n],
  ])('a number that is stored as %s', async (number, amount) => {
    expect((await ofAmount({ number })).total).toBe(amount);
  });

  it.each([
    ['33.333333333333336', 'amount-decimals'],
    ['0.0000001', 'amount-decimals'],
    ['12345678901.123456', 'amount-inexact'],
    ['123456789012345678', 'amount-inexact'],
    ['-5', 'amount-negative'],
    ['0', 'amount-zero'],
    ['1E+300', 'amount-too-large'],
  ])('but not one that is stored as %s', async (number, code) => {
    expect(await wrongIn(ofAmount({ number }))).toEqual([`B2 ${code}`]);
  });

  it.each([
    'General',
    '0',
    '#,##0.00',
    '@',
    '#\\ ##0.00',
    '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-',
    '[$USDC] #,##0.00',
    '[Red]0.00;[Blue]-0.00',
    '$#,##0.00_);[Red]\\($#,##0.00\\)',
  ])('a number in the format %s', async (format) => {
    expect((await ofAmount({ number: '1250', style: 1 }, [format])).total).toBe(1_250_000_000n);
  });

  it.each([
    ['yyyy-mm-dd', 'cell-date'],
    ['[h]:mm', 'cell-date'],
    ['d. mmmm', 'cell-date'],
    ['0%', 'cell-format'],
    ['#,##0,', 'cell-format'],
    ['0.00E+00', 'cell-format'],
    ['# ?/?', 'cell-format'],
    [';;;', 'cell-format'],
    ['"1"0', 'cell-format'],
    ['[>100]"x";0', 'cell-format'],
  ])('but not one in the format %s', async (format, code) => {
    expect(await wrongIn(ofAmount({ number: '1250', style: 1 }, [format]))).toEqual([`B2 ${code}`]);
  });

  it('asks about decimals that are not shown', async () => {
    const { total, doubts } = await ofAmount({ number: '1250.75', style: 1 }, ['0.0']);
    expect(total).toBe(1_250_750_000n);
    expect(doubts.map(problemText)).toEqual([
      'Cell B2: The cell shows fewer decimals (1) than the amount has (2). All of them are paid.',
    ]);
  });

  it('gives names from a workbook, too', async () => {
    const workbook = await workbookOf({
      sheets: [
        {
          rows: [
            ['name', 'recipient'],
            ['Ada', one],
          ],
        },
      ],
    });
    expect(await readNames(workbook)).toEqual([[one, { name: 'Ada' }]]);
  });
});

describe('a workbook with what nobody may have meant is refused, with the cell', () => {
  it.each<[string, TestCell, string]>([
    ['a formula', { xml: '<c r="@"><f>SUM(C2:C9)</f><v>5</v></c>' }, 'B2 cell-formula'],
    ['a formula without a value', { xml: '<c r="@"><f>C2</f></c>' }, 'B2 cell-formula'],
    ['a formula with a text', { xml: '<c r="@" t="str"><f>C2</f><v>5</v></c>' }, 'B2 cell-formula'],
    ['a date as text', { xml: '<c r="@" t="d"><v>2026-11-26</v></c>' }, 'B2 cell-date'],
    ['an error', { xml: '<c r="@" t="e"><v>#REF!</v></c>' }, 'B2 amount-invalid'],
    ['yes or no', { xml: '<c r="@" t="b"><v>1</v></c>' }, 'B2 amount-invalid'],
    ['nothing', null, 'B2 amount-missing'],
    ['a number with a comma, as text', '1.250', 'B2 amount-ambiguous'],
  ])('%s', async (_, cell, wrong) => {
    expect(await wrongIn(ofAmount(cell))).toEqual([wrong]);
  });

  it('formulas and dates in other columns are nobody’s matter', async () => {
    const rows = [
      [...HEADER, 'note'],
      [one, 5, { xml: '<c r="@"><f>TODAY()</f><v>46000</v></c>' }],
    ];
    expect((await read({ rows })).total).toBe(5_000_000n);
  });

  it('a number where an address belongs, and a sum below', async () => {
    const rows = [HEADER, [one, 5], [7, 5], ['Total', { xml: '<c r="@"><f>SUM(B2:B3)</f><v>10</v></c>' }]];
    expect(await wrongIn(read({ rows }))).toEqual(['A3 recipient-invalid', 'B4 cell-formula']);
  });

  it('hidden rows', async () => {
    const rows = [HEADER, [one, 5], [two, 5]];
    for (const attributes of ['hidden="1"', 'hidden="true"', 'ht="0" customHeight="1"']) {
      expect(await wrongIn(read({ rows, rowAttributes: { 2: attributes } }))).toEqual(['3 row-hidden']);
    }
    const rowAttributes = { 0: 'ht="15"', 1: 'hidden="0"' };
    expect(await wrongIn(read({ rows, rowAttributes, before: '<sheetFormatPr zeroHeight="1"/>' }))).toEqual([
      '3 row-hidden',
    ]);
    expect((await read({ rows: [...rows, []], rowAttributes: { 3: 'hidden="1"' } })).lines).toHaveLength(2);
  });

  it('hidden columns, if anything is read in them', async () => {
    const rows = [
      [...HEADER, 'note'],
      [one, 5, 'x'],
    ];
    const hidden = (min: number, max: number, how = 'hidden="1"') =>
      `<cols><col min="${min}" max="${max}" ${how}/></cols>`;
    expect(await wrongIn(read({ rows, before: hidden(2, 9) }))).toEqual(['B1 column-hidden']);
    expect(await wrongIn(read({ rows, before: hidden(1, 1, 'width="0"') }))).toEqual(['A1 column-hidden']);
    expect((await read({ rows, before: hidden(3, 3) })).lines).toHaveLength(1);
  });

  it('merged cells, if anything is read in them', async () => {
    const rows = [
      [...HEADER, 'note'],
      [one, 5, 'x'],
      [two, null, 'x'],
    ];
    const merged = (area: string) => `<mergeCells><mergeCell ref="${area}"/></mergeCells>`;
    expect(await wrongIn(read({ rows, after: merged('B2:B3') }))).toEqual(['B2 cells-merged', 'B3 amount-missing']);
    const filled = [rows[0] as TestCell[], rows[1] as TestCell[]];
    expect((await read({ rows: filled, after: merged('C2:D3') })).lines).toHaveLength(1);
  });

  it('values beside the columns that have a name are asked about', async () => {
    const { doubts } = await read({ rows: [HEADER, [one, 5, null, 'see mail']] });
    expect(doubts.map(problemText)).toEqual(['Line 2: Column D has a value and no name: it is not read.']);
  });
});

describe('of several sheets', () => {
  const payrollOf = (amount: number) => ({ rows: [HEADER, [one, amount]] });

  it('the one that has values and is shown is read', async () => {
    const sheets = [{ rows: [] }, payrollOf(5), { ...payrollOf(7), state: 'veryHidden' as const }];
    const { total, doubts } = await readPayroll(await workbookOf({ sheets }), { decimals: 6 });
    expect(total).toBe(5_000_000n);
    expect(doubts.map(problemText)).toEqual(['The workbook has a hidden sheet, which is not read.']);
  });

  it('it is asked which one, and none is guessed', async () => {
    const sheets = [
      { ...payrollOf(5), name: 'May' },
      { ...payrollOf(6), name: 'June & July' },
      { ...payrollOf(7), name: 'Old', state: 'hidden' as const },
    ];
    const workbook = await workbookOf({ sheets });
    const ask = (sheet?: string) => readPayroll(workbook, { decimals: 6, sheet });
    await expect(ask()).rejects.toMatchObject({
      problems: [{ code: 'sheet-unclear', question: { option: 'sheet', choices: ['May', 'June & July'] } }],
    });
    expect((await ask('June & July')).total).toBe(6_000_000n);
    expect(await wrongIn(ask('Old'))).toEqual(['- sheet-unknown']);
    expect(await wrongIn(ask('August'))).toEqual(['- sheet-unknown']);
  });
});

it('cells that are out of order, or refer to nothing, are refused', async () => {
  const wrong = [
    '<row r="2"><c r="A2"/></row><row r="2"><c r="A2"/></row>',
    '<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>',
    '<row r="2"><c r="B3"><v>1</v></c></row>',
    '<row r="2"><c r="A2" t="s"><v>99</v></c></row>',
    '<row r="2"><c r="A2" s="99"><v>5</v></c></row>',
    '<row r="2"><c r="A2"><v>5,5</v></c></row>',
    '<row r="2"><c r="XFD2"><v>5</v></c></row>',
    '<row r="9999999"/>',
  ];
  const { 'xl/worksheets/sheet1.xml': sheet = '' } = partsOf({ sheets: [{ rows: [HEADER] }] });
  for (const rows of wrong) {
    const workbook = await workbookOf({ sheets: [{ rows: [HEADER] }] }, (parts) => ({
      ...parts,
      'xl/worksheets/sheet1.xml': sheet.replace('</sheetData>', `${rows}</sheetData>`),
    }));
    expect(await wrongIn(readPayroll(workbook, { decimals: 6 })), rows).toEqual(['- workbook-damaged']);
  }
});
