import { type PayrollError, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

let payees: readonly Address[];

beforeAll(async () => {
  payees = await Promise.all(Array.from({ length: 6 }, async () => (await generateKeyPairSigner()).address));
});

/** How a program writes a file in a locale: what is between fields, between lines, before the first one, and around fields. */
type Program = {
  readonly name: string;
  readonly delimiter: (locale: Locale) => string;
  readonly lineEnd: string;
  readonly head: string;
};
type Locale = { readonly name: string; readonly decimal: '.' | ','; readonly group: string };

const LOCALES: readonly Locale[] = [
  { name: 'en-US', decimal: '.', group: ',' },
  { name: 'de-DE', decimal: ',', group: '.' },
  { name: 'fr-FR', decimal: ',', group: '\u202f' },
  { name: 'de-CH', decimal: '.', group: '’' },
  { name: 'en-IN', decimal: '.', group: ',' },
];
const bySystem = ({ decimal }: Locale) => (decimal === ',' ? ';' : ',');
const PROGRAMS: readonly Program[] = [
  { name: 'Excel, CSV UTF-8', delimiter: bySystem, lineEnd: '\r\n', head: '\uFEFF' },
  { name: 'Excel, with sep=', delimiter: () => ';', lineEnd: '\r\n', head: 'sep=;\r\n' },
  { name: 'LibreOffice, comma', delimiter: () => ',', lineEnd: '\n', head: '' },
  { name: 'LibreOffice, tab', delimiter: () => '\t', lineEnd: '\n', head: '' },
  { name: 'Google Sheets', delimiter: () => ',', lineEnd: '\r\n', head: '' },
];

/** Base units with two decimals that are paid, line by line. */
const HUNDREDTHS = [98_050n, 125_000n, 1_234_567n, 100_000n, 25n];

/** Groups thousands as a locale does; India's last group alone has three digits. */
function grouped(whole: string, { name, group }: Locale): string {
  const places = name === 'en-IN' ? /\B(?=(?:\d{2})*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g;
  return whole.replace(places, group);
}

const SHAPES: Readonly<Record<string, (hundredths: bigint, locale: Locale) => string>> = {
  plain: (amount, { decimal }) => `${amount / 100n}${decimal}${String(amount % 100n).padStart(2, '0')}`,
  grouped: (amount, locale) =>
    `${grouped(String(amount / 100n), locale)}${locale.decimal}${String(amount % 100n).padStart(2, '0')}`,
  general: (amount, { decimal }) => {
    const fraction = String(amount % 100n)
      .padStart(2, '0')
      .replace(/0+$/, '');
    return fraction === '' ? String(amount / 100n) : `${amount / 100n}${decimal}${fraction}`;
  },
};

/** What a program writes for cells. */
function written(program: Program, locale: Locale, rows: readonly (readonly string[])[]): string {
  const delimiter = program.delimiter(locale);
  const cell = (text: string) =>
    text.includes(delimiter) || /["\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return program.head + rows.map((row) => row.map(cell).join(delimiter) + program.lineEnd).join('');
}

const read = (content: string | Uint8Array, style?: 'point' | 'comma') => readPayroll(content, { decimals: 6, style });

/** Codes of what is wrong with a file, with their lines. */
const wrongIn = async (content: string | Uint8Array, style?: 'point' | 'comma') =>
  read(content, style).then(
    () => [],
    (error: PayrollError) => error.problems.map(({ code, line }) => `${line ?? '-'} ${code}`),
  );
const doubtsIn = async (content: string) => (await read(content)).doubts.map(({ code, line }) => `${line} ${code}`);

describe('files as spreadsheets write them are read to the base unit', () => {
  const cases = PROGRAMS.flatMap((program) =>
    LOCALES.flatMap((locale) => Object.keys(SHAPES).map((shape) => ({ program, locale, shape }))),
  );
  it.each(cases)('$program.name, $locale.name, $shape', async ({ program, locale, shape }) => {
    const amountText = SHAPES[shape] as (typeof SHAPES)[string];
    const rows = [
      ['name', 'recipient', 'amount', 'note'],
      ...HUNDREDTHS.map((amount, at) => [`Müller; ${at}, "x"`, payees[at] as string, amountText(amount, locale), 'ok']),
    ];
    const { lines } = await read(written(program, locale, rows));
    expect(lines.map(({ amount }) => amount)).toEqual(HUNDREDTHS.map((amount) => amount * 10_000n));
    expect(lines.map(({ recipient }) => recipient)).toEqual(payees.slice(0, HUNDREDTHS.length));
  });
});

/** What cells may be made into, by a locale: the amounts of the file's lines, and what becomes of it: read, or what is wrong. */
type Form = {
  readonly name: string;
  /** Of the second line; those of the others are plain. */
  readonly amount?: (locale: Locale) => string;
  readonly recipient?: (address: string) => string;
  /** Cells behind a line's own, by the line's place; the header is at 0. */
  readonly behind?: (at: number) => readonly string[];
  readonly wrong: readonly string[];
};
const READ: readonly string[] = [];
const FORMS: readonly Form[] = [
  { name: 'empty columns at the end', behind: () => ['', ''], wrong: READ },
  { name: 'lines of separators at the end', behind: (at) => (at > 2 ? ['', '', ''] : []), wrong: READ },
  {
    name: 'a value without a column',
    behind: (at) => (at === 1 ? ['', 'see mail'] : ['', '']),
    wrong: ['2 fields-wrong'],
  },
  { name: 'thousands with a space that does not break', amount: () => '1\u00a0250', wrong: READ },
  { name: 'thousands with a thin one', amount: () => '1\u202f250', wrong: READ },
  { name: 'spaces around', amount: ({ decimal }) => ` 1250${decimal}00\u00a0`, wrong: READ },
  { name: 'a large number as Excel shows it', amount: () => '1E+05', wrong: ['2 amount-invalid'] },
  { name: 'the same with decimals', amount: ({ decimal }) => `1${decimal}25E+03`, wrong: ['2 amount-invalid'] },
  { name: 'a percentage', amount: () => '12 %', wrong: ['2 amount-invalid'] },
  { name: 'a currency', amount: ({ decimal }) => `1250${decimal}00 €`, wrong: ['2 amount-invalid'] },
  {
    name: 'a date',
    amount: ({ decimal }) => (decimal === ',' ? '12.05.2026' : '5/12/2026'),
    wrong: ['2 amount-invalid'],
  },
  { name: 'a short date', amount: () => '12. Mai', wrong: ['2 amount-invalid'] },
  { name: 'an error', amount: () => '#VALUE!', wrong: ['2 amount-invalid'] },
  { name: 'a column that is too narrow', amount: () => '######', wrong: ['2 amount-invalid'] },
  {
    name: 'a negative amount of accountants',
    amount: ({ decimal }) => `(1250${decimal}00)`,
    wrong: ['2 amount-negative'],
  },
  { name: 'an apostrophe in front', amount: () => "'1250", wrong: ['2 amount-invalid'] },
  { name: 'an empty cell', amount: () => '', wrong: ['2 amount-missing'] },
  { name: 'an address that was cut', recipient: (address) => address.slice(0, 20), wrong: ['2 recipient-invalid'] },
];

describe('files with what spreadsheets make of cells are read rightly, or refused by a stable code', () => {
  const FOUR = LOCALES.slice(0, 4);
  const cases = PROGRAMS.flatMap((program) =>
    FOUR.flatMap((locale) => FORMS.map((form) => ({ program, locale, form, name: form.name }))),
  );
  it('of which there are more than sixty', () => expect(cases.length).toBeGreaterThan(60));

  it.each(cases)('$program.name, $locale.name, $name', async ({ program, locale, form }) => {
    const plain = (amount: string) => `${amount}${locale.decimal}50`;
    const line = (at: number, amount: string, recipient = payees[at] as string) => [
      recipient,
      amount,
      'ok',
      ...(form.behind?.(at) ?? []),
    ];
    const first = payees[1] as string;
    const rows = [
      ['recipient', 'amount', 'note', ...(form.behind?.(0) ?? [])],
      line(1, form.amount?.(locale) ?? plain('1250'), form.recipient?.(first) ?? first),
      line(2, plain('7')),
    ];
    if (form.behind !== undefined) rows.push(['', '', '', ...form.behind(3)]);
    const content = written(program, locale, rows);
    // With a first line that names the separator, the others come one later.
    const later = program.head.includes('\n') ? 1 : 0;
    expect(await wrongIn(content)).toEqual(form.wrong.map((wrong) => wrong.replace('2', String(2 + later))));
    if (form.wrong !== READ) return;
    const { lines } = await read(content);
    expect(lines.map(({ amount }) => amount)).toEqual([form.amount ? 1_250_000_000n : 1_250_500_000n, 7_500_000n]);
  });

  it.each(FOUR)('Excel, Unicode text, $name: the sentence says how to save it', async (locale) => {
    const text = written({ name: '', delimiter: () => '\t', lineEnd: '\r\n', head: '\uFEFF' }, locale, [
      ['recipient', 'amount'],
      [payees[0] as string, `5${locale.decimal}50`],
    ]);
    for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
      expect(await wrongIn(bytes)).toEqual(['- not-text']);
      await expect(read(bytes)).rejects.toThrow('Save it as "CSV UTF-8" and try again.');
    }
  });
});

describe('what can be read in two ways is asked about, and never paid wrongly', () => {
  const file = (...amounts: readonly string[]) =>
    `recipient;amount\n${amounts.map((amount, at) => `${payees[at]};${amount}\n`).join('')}`;

  it('a whole file of amounts that may be thousands or thousandths', async () => {
    for (const amount of ['1.250', '1,250']) {
      expect(await wrongIn(file(amount, '7'))).toEqual(['2 amount-ambiguous']);
    }
    expect((await read(file('1.250', '7'), 'comma')).total).toBe(1_257_000_000n);
    expect((await read(file('1.250', '7'), 'point')).total).toBe(8_250_000n);
    expect((await read(file('1.250', '7', '0,5'))).total).toBe(1_257_500_000n);
    expect((await read(file('1.250', '7', '0.125'))).total).toBe(8_375_000n);
  });

  it('a file with a decimal point in one line and a decimal comma in another', async () => {
    expect(await wrongIn(file('980,50', '980.50'))).toEqual(['3 amount-styles-mixed']);
    expect(await wrongIn(file('980,50'), 'point')).toEqual(['2 amount-styles-mixed']);
  });

  it('decimals that a comma has cut off, in the next column', async () => {
    expect(await doubtsIn(`recipient,amount,note\n${payees[0]},980,50\n${payees[1]},7,\n`)).toEqual(['2 amount-cut']);
    expect(await wrongIn(`recipient,amount,note\n${payees[0]},980,50,Ben\n`)).toEqual(['2 fields-wrong']);
    const reviewed = `recipient;amount;name;note\n${payees[0]};980,50;Ben;hi\n`;
    expect((await read(reviewed)).total).toBe(980_500_000n);
  });

  it('one person with two addresses, and amounts far from the others', async () => {
    const people = [
      ['Ada', '1000'],
      ['Ben', '1100'],
      ['ada ', '900'],
      ['Cem', '100000'],
      ['Dan', '1000'],
      ['Eve', '9'],
    ].map(([name, amount], at) => `${payees[at]},${amount},${name}\n`);
    expect(await doubtsIn(`recipient,amount,name\n${people.join('')}`)).toEqual([
      '4 name-twice',
      '5 amount-unusual',
      '7 amount-unusual',
    ]);
  });

  it('text that is not UTF-8, currencies and words', async () => {
    const utf16 = Buffer.from(`\uFEFFrecipient\tamount\r\n${payees[0]}\t5\r\n`, 'utf16le');
    expect(await wrongIn(utf16)).toEqual(['- not-text']);
    expect(await wrongIn(Buffer.from(`recipient;amount;name\n${payees[0]};5;J\xfcrgen\n`, 'latin1'))).toEqual([
      '- not-text',
    ]);
    for (const amount of ['980,50 €', '$980.50', '1e3', '#REF!', '9,80,50', '1.25.000,00', '=2+2']) {
      expect(await wrongIn(file(amount))).toEqual(['2 amount-invalid']);
    }
    for (const amount of ['-5', '−5', '(5,00)']) expect(await wrongIn(file(amount))).toEqual(['2 amount-negative']);
  });
});
