import { addressFromBytes, MAX_U64 } from '@payouts/client';
import { displayAmount, formatAmount, PayrollError, problemText, readAmount, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

let one: Address;
let two: Address;

beforeAll(async () => {
  one = (await generateKeyPairSigner()).address;
  two = (await generateKeyPairSigner()).address;
});

const read = (content: string | Uint8Array, more = {}) => readPayroll(content, { decimals: 6, ...more });

async function problemsOf(content: string | Uint8Array, more = {}): Promise<string[]> {
  const error: unknown = await read(content, more).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayrollError);
  return (error as PayrollError).problems.map(({ code, line }) => `${line ?? '-'} ${code}`);
}

it('reads what spreadsheets write: a byte order mark, semicolons, tabs, quotes, grouped amounts, own columns, empty lines', async () => {
  const payroll = await read(
    `\uFEFFName;Recipient;Amount;Delivery\r\n"Doe; Jane";${one};"1,250.50";\r\n\r\n;;;\r\nJohn;${two};7;Wallet\r\n`,
  );
  expect(payroll).toMatchObject({
    lines: [
      { line: 2, recipient: one, amount: 1_250_500_000n },
      { line: 5, recipient: two, amount: 7_000_000n, delivery: 'wallet' },
    ],
    names: new Map([
      [one, 'Doe; Jane'],
      [two, 'John'],
    ]),
    total: 1_257_500_000n,
    doubts: [],
  });
  const labelled = await read(`recipient,amount,Abteilung\n${one},1, Vertrieb \n${two},2,\n`);
  expect([labelled.labels, labelled.names]).toEqual([new Map([[one, 'Vertrieb']]), new Map()]);
  const broken = await read(`recipient,amount,name\n${one},1,"Doe\n\nJane"\n\n${two},2,John\n`);
  expect(broken.lines.map(({ line }) => line)).toEqual([2, 6]);
  expect((await read(`amount\trecipient\n0.000001\t${one}\n`)).total).toBe(1n);
});

it('takes the zero address for nobody, although it is a point of the curve', async () => {
  expect(await problemsOf(`recipient,amount\n${one},5\n${'1'.repeat(32)},5\n`)).toEqual(['3 recipient-unsignable']);
});

it('names everything that is wrong, line by line', async () => {
  const unsignable = addressFromBytes(new Uint8Array(32).fill(2));
  const mint = (await generateKeyPairSigner()).address;
  const content = [
    'recipient,amount,delivery',
    ',5,',
    `${one.slice(0, -1)}0,5,`,
    `${one.slice(0, 20)},5,`,
    `${unsignable},5,`,
    `${mint},5,`,
    `${one},,`,
    `${one},five,`,
    `${one},5.00 USDC,`,
    `${one},-5,`,
    `${one},0.00,`,
    `${one},0.0000001,`,
    `${one},18446744073709551616,`,
    `${one},5,pigeon`,
    `${one},5`,
    `${one},1,250.50,`,
    `${one},"1.250,50",`,
  ].join('\n');
  expect(await problemsOf(content, { refused: new Map([[mint, 'the token']]) })).toEqual([
    '2 recipient-missing',
    '3 recipient-invalid',
    '4 recipient-invalid',
    '5 recipient-unsignable',
    '6 recipient-refused',
    '7 amount-missing',
    '8 amount-invalid',
    '9 amount-invalid',
    '10 amount-negative',
    '11 amount-zero',
    '12 amount-decimals',
    '13 amount-too-large',
    '14 delivery-unknown',
    '15 fields-wrong',
    '16 delivery-unknown',
    '17 amount-styles-mixed',
  ]);
});

it('names in a long payroll, too, each line whose recipient nobody could sign for, among what else is wrong', async () => {
  const unsignable = addressFromBytes(new Uint8Array(32).fill(2));
  const faulty = [2, 4_097, 4_098, 9_000, 20_001];
  const lines = Array.from({ length: 20_000 }, (_, at) => `${faulty.includes(at + 2) ? unsignable : one},5`);
  lines[8_999 - 2] = `${one},five`;
  expect(await problemsOf(`recipient,amount\n${lines.join('\n')}\n`)).toEqual([
    ...faulty.slice(0, 3).map((line) => `${line} recipient-unsignable`),
    '8999 amount-invalid',
    ...faulty.slice(3).map((line) => `${line} recipient-unsignable`),
  ]);
});

it('says what is wrong with the file as a whole', async () => {
  expect(await problemsOf('')).toEqual(['- no-recipients']);
  expect(await problemsOf('recipient,amount\n')).toEqual(['- no-recipients']);
  expect(await problemsOf(`amount,amount\n5,5\n`)).toEqual(['1 column-missing', '1 column-unclear']);
  expect(await problemsOf(`recipient,amount\n${one},"5\n`)).toEqual(['2 not-csv']);
  expect(await problemsOf(`recipient,amount\n"${one}"5,5\n`)).toEqual(['2 not-csv']);
  expect(await problemsOf(`recipient,amount\n${one},5"5\n`)).toEqual(['2 amount-invalid']);
  const long = `${`${one},5\n`.repeat(20_000)}`;
  expect(await problemsOf(`recipient,amount\n${one},"5"5\n${long}`)).toEqual(['2 not-csv']);
  expect(await problemsOf(`recipient,amount\n${long}${one},"5\n`)).toEqual(['20002 not-csv']);
  expect(await problemsOf(Buffer.from(`recipient,amount,name\n${one},5,J\xfcrgen\n`, 'latin1'))).toEqual([
    '- not-text',
  ]);
  expect(await problemsOf(`recipient,amount\n${one},5\n${two},5\n`, { maxRecipients: 1 })).toEqual([
    '- too-many-recipients',
  ]);
  const most = formatAmount(MAX_U64, 6);
  expect(await problemsOf(`recipient,amount\n${one},${most}\n${two},${most}\n`)).toEqual(['- total-too-large']);
});

it('mentions no address and no amount', async () => {
  const error = await read(`recipient,amount\n${one},1234567.12345678\n${two}0,7654321\n`).catch(
    (thrown: Error) => thrown,
  );
  expect((error as Error).message).not.toMatch(/1234567|7654321/);
  for (const address of [one, two]) expect((error as Error).message).not.toContain(address.slice(0, 8));
});

it('takes a recipient twice, and says so', async () => {
  const { lines, doubts } = await read(`recipient,amount\n${one},5\n${two},5\n${one},6\n`);
  expect(lines).toHaveLength(3);
  expect(doubts.map(problemText)).toEqual([
    'Line 4: The recipient is in line 2 already and would be paid both amounts.',
  ]);
});

it('displays an amount so that it can be read again', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: MAX_U64 }), fc.integer({ min: 0, max: 20 }), (amount, decimals) => {
      expect(readAmount(displayAmount(amount, decimals), decimals)).toBe(amount);
    }),
  );
  expect(readAmount('12,34', 2)).toBe('invalid');
  expect(readAmount('1.500000000', 1)).toBe(15n);
});
