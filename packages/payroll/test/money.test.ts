import { MAX_U64 } from '@payouts/client';
import { convertedAmount } from '@payouts/client/browser';
import { PayrollError, type PayrollToken, readPayroll, readRates, tokenParts } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

let people: Address[];
let tokens: PayrollToken[];

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, generateKeyPairSigner));
  const [usdc, eurc, sol, ...rest] = keys.map(({ address }) => address) as [Address, Address, Address, ...Address[]];
  people = rest;
  tokens = [
    { mint: usdc, name: 'USDC', decimals: 6 },
    { mint: eurc, name: 'EURC', decimals: 6 },
    { mint: sol, name: 'wSOL', decimals: 9 },
  ];
});

const read = (content: string, rates: readonly string[] = [], of: readonly PayrollToken[] = tokens, source?: string) =>
  readPayroll(content, { decimals: 6, tokens: of, rates: readRates(rates, source) });

/** Codes, with their lines, of what is wrong. */
async function wrong(content: string, rates: readonly string[] = [], of = tokens): Promise<string[]> {
  const error: unknown = await read(content, rates, of).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PayrollError);
  return (error as PayrollError).problems.map(({ code, line }) => `${line ?? '-'} ${code}`);
}

const wrongRates = (written: readonly string[], source?: string): string[] => {
  try {
    readRates(written, source);
    return [];
  } catch (error) {
    return (error as PayrollError).problems.map(({ code }) => code);
  }
};

it('reads several tokens, by their names or mints, and salaries in a currency at the employer’s rate', async () => {
  const [usdc, eurc] = tokens.map(({ mint }) => mint) as [Address, Address];
  const [ada, ben] = people as [Address, Address];
  const content = [
    'Name,Wallet,Net pay,Currency,Token',
    `Ada,${ada},"2,000.00",EUR,usdc`,
    `Ada,${ada},100,,${eurc}`,
    `Ben,${ben},"1,500.5",USD,USDC`,
    `Ben,${ben},7.25,€,EURC`,
  ].join('\n');
  const payroll = await read(content, ['eur/USDC=1.0834'], tokens, 'ECB 2026-11-27');
  const converted = { currency: 'EUR', amount: '2000', rate: '1.0834', source: 'ECB 2026-11-27' };
  expect(payroll.lines).toEqual([
    { line: 2, recipient: ada, amount: 2_166_800_000n, token: usdc, converted },
    { line: 3, recipient: ada, amount: 100_000_000n, token: eurc },
    { line: 4, recipient: ben, amount: 1_500_500_000n, token: usdc },
    { line: 5, recipient: ben, amount: 7_250_000n, token: eurc },
  ]);
  // Whoever is paid in two tokens is no doubt.
  expect(payroll.doubts).toEqual([]);
  expect(tokenParts(payroll).map(({ token, total, names }) => [token, total, names.get(ada)])).toEqual([
    [usdc, 3_667_300_000n, 'Ada'],
    [eurc, 107_250_000n, 'Ada'],
  ]);
});

it('converts by the currency in the amounts’ header, with a decimal comma as well', async () => {
  const content = `Empfänger;Netto (EUR)\n${people[0]};"1.234,56"\n`;
  const { lines, doubts } = await read(content, ['EUR=1.1'], tokens.slice(0, 1));
  expect([lines[0]?.amount, lines[0]?.converted?.amount, doubts]).toEqual([1_358_016_000n, '1234.56', []]);
});

it('names what is wrong with tokens, currencies and rates by stable codes', async () => {
  const [one, two] = people as [Address, Address];
  const lines = (...rows: string[]) => ['recipient,amount,currency,token', ...rows].join('\n');
  expect(await wrong(lines(`${one},5,,`, `${two},5,,DOGE`))).toEqual(['2 token-missing', '3 token-unknown']);
  expect(await wrong(lines(`${one},5,EUR,USDC`, `${two},5,CHF,EURC`), ['GBP=1'])).toEqual([
    '2 rate-missing',
    '3 rate-missing',
  ]);
  expect(await wrong(lines(`${one},5,??,USDC`))).toEqual(['2 currency-invalid']);
  expect(await wrong(lines(`${one},5,,USDC`), ['GBP=1.2', 'EUR/USDC=1'])).toEqual(['- rate-unused', '- rate-unused']);
  expect(await wrong(lines(`${one},5,GBP,USDC`, `${two},5,GBP,EURC`), ['GBP=1.2'])).toEqual(['3 rate-unclear']);
  expect(await wrong(lines(`${one},0.00001,EUR,USDC`), ['EUR=1'])).toEqual(['2 amount-decimals']);
  expect(await wrong(lines(`${one},0.0001,EUR,USDC`), ['EUR=0.001'])).toEqual(['2 amount-zero']);
  expect(await wrong(lines(`${one},99999999999,EUR,USDC`), ['EUR=99999999'])).toEqual(['2 amount-too-large']);
  const twins = tokens.map((token) => ({ ...token, name: 'USDC' }));
  expect(await wrong(lines(`${one},5,,USDC`), [], twins)).toEqual(['2 token-unclear']);
  expect((await read(lines(`${one},5,,${twins[1]?.mint}`), [], twins)).total).toBe(5_000_000n);
  // Without its columns, a payroll of several tokens says nothing of them.
  expect(await wrong(`recipient,amount\n${one},5\n`)).toEqual(['2 token-missing']);
});

it('takes no rate that is zero, negative, no number, too long or there twice, and no source without a rate', () => {
  for (const rate of [
    '0',
    '0.0',
    '-1',
    '+1',
    '1e3',
    '1,5',
    '.5',
    '1.',
    '01',
    ' ',
    'NaN',
    '1.0000000000001',
    '1'.repeat(20),
  ]) {
    expect(wrongRates([`EUR=${rate}`]), rate).toEqual(['rate-invalid']);
  }
  expect(wrongRates(['EUR', '=1', 'E=1', 'EUR/=1', 'EU1=1'])).toEqual(Array(5).fill('rate-invalid'));
  expect(wrongRates(['EUR=1', 'eur=1.1'])).toEqual(['rate-twice']);
  expect(wrongRates(['EUR=1', 'EUR/USDC=1.1', 'EUR/EURC=0.000000000001'])).toEqual([]);
  expect(wrongRates([], 'ECB')).toEqual(['rate-source']);
  expect(wrongRates(['EUR=1'], 'a\nb')).toEqual(['rate-source']);
  expect(wrongRates(['EUR=1'], 'x'.repeat(61))).toEqual(['rate-source']);
});

const scaled = (most: bigint, decimals: number) =>
  fc.tuple(fc.bigInt(1n, most), fc.integer({ min: 0, max: decimals })).map(([digits, scale]) => {
    const text = digits.toString().padStart(scale + 1, '0');
    const whole = text.slice(0, text.length - scale);
    return { digits, scale, text: scale === 0 ? whole : `${whole}.${text.slice(text.length - scale)}` };
  });

it('converts as rationals do, to the nearest base unit, in the middle to the even one', () => {
  fc.assert(
    fc.property(
      scaled(10n ** 12n, 4),
      scaled(10n ** 15n, 12),
      fc.integer({ min: 0, max: 9 }),
      (amount, rate, decimals) => {
        const units = convertedAmount(amount.text, rate.text, decimals) as bigint;
        // units = amount × rate × 10^decimals, all of it over one divisor.
        const exact = amount.digits * rate.digits * 10n ** BigInt(decimals);
        const one = 10n ** BigInt(amount.scale + rate.scale);
        const off = exact - units * one;
        const distance = (off < 0n ? -off : off) * 2n;
        expect(distance <= one).toBe(true);
        if (distance === one) expect(units % 2n).toBe(0n);
      },
    ),
  );
});

it('is off by at most half a base unit for each line in all', () => {
  fc.assert(
    fc.property(
      fc.array(scaled(10n ** 9n, 2), { minLength: 1, maxLength: 50 }),
      scaled(10n ** 8n, 8),
      (amounts, rate) => {
        const sum = amounts.reduce((total, { text }) => total + (convertedAmount(text, rate.text, 6) as bigint), 0n);
        const scale = 10n ** BigInt(4 + rate.scale);
        const exact = amounts.reduce(
          (total, { digits, scale: own }) => total + digits * 10n ** BigInt(4 - own) * rate.digits * 10n ** 6n,
          0n,
        );
        const off = exact - sum * scale;
        expect((off < 0n ? -off : off) * 2n <= scale * BigInt(amounts.length)).toBe(true);
      },
    ),
  );
});

it('loses no line and no unit when it is taken apart by tokens', async () => {
  const line = fc.record({
    person: fc.nat(8),
    token: fc.nat(2),
    units: fc.bigInt(1n, MAX_U64 / 1_000n),
    isEuro: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), async (wanted) => {
      const rows = wanted.map(({ person, token, units, isEuro }) =>
        [
          people[person],
          isEuro ? (units % 10n ** 9n) + 1n : units / 10n ** 9n + 1n,
          isEuro ? 'GBP' : '',
          tokens[token]?.name,
        ].join(','),
      );
      const used = tokens.filter((_, at) => wanted.some(({ token, isEuro }) => isEuro && token === at));
      const rates = used.map(({ name }) => `GBP/${name}=1.17`);
      const payroll = await read(['recipient,amount,currency,token', ...rows].join('\n'), rates);
      const parts = tokenParts(payroll);
      expect(parts.flatMap(({ lines }) => lines).toSorted((a, b) => a.line - b.line)).toEqual(payroll.lines);
      expect(parts.reduce((sum, { total }) => sum + total, 0n)).toBe(payroll.total);
      for (const { token, lines, total } of parts) {
        expect(lines.every((one) => one.token === token)).toBe(true);
        expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(total);
      }
    }),
    { numRuns: 50 },
  );
});
