import {
  BankFileError,
  type BankPayment,
  camt053,
  camt054,
  currencyOf,
  type ListedEntry,
  outcomesOf,
  pain001,
  pain002,
  quickBooksJournal,
  readPaymentFile,
  xeroJournal,
} from '@payouts/bank-files';
import { readPayroll } from '@payouts/payroll';
import { monthOf, type Period, periodOf, type VaultMovement } from '@payouts/statements';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { all, parsed, texts, unitsOf } from './parsed.ts';

const TOKEN = { currency: 'USD', decimals: 6 };
const AT = Date.UTC(2026, 10, 27, 9);
/** The finest amount that such files can hold: ten base units. */
const STEP = 10n;

let people: Address[];
let vault: Address;
let schedule: Address;

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 32 }, () => generateKeyPairSigner()));
  [vault, schedule, ...people] = keys.map(({ address }) => address) as [Address, Address, ...Address[]];
});

const amounts = fc.bigInt({ min: 1n, max: 10n ** 14n }).map((steps) => steps * STEP);
const words = fc.string({ unit: 'binary', maxLength: 200 });
/** Payments to people of whom none is there twice. */
const somePayments = fc
  .array(fc.record({ amount: amounts, name: words, reference: words }), { minLength: 1, maxLength: 12 })
  .map((all): BankPayment[] =>
    all.map((each, place) => ({ ...each, recipient: people[place] as Address, endToEndId: `pay-${place}` })),
  );

const order = (payments: readonly BankPayment[]) =>
  pain001({
    messageId: 'message',
    createdAt: AT,
    day: '2026-11-30',
    payer: 'Example & Co',
    vault,
    token: TOKEN,
    payments,
  });

const signature = '5'.repeat(88);

function thrownBy(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof BankFileError ? error.code : error;
  }
}

describe('a payment file that is written', () => {
  it('is read as the same payments, to the unit, whatever people are called', async () => {
    await fc.assert(
      fc.asyncProperty(somePayments, async (payments) => {
        const written = order(payments);
        const { lines, total } = await readPayroll(written, { decimals: 6, token: 'USDC' });
        expect(lines.map(({ recipient, amount }) => [recipient, amount])).toEqual(
          payments.map(({ recipient, amount }) => [recipient, amount]),
        );
        expect(total).toBe(payments.reduce((sum, { amount }) => sum + amount, 0n));
        const file = await readPaymentFile(new TextEncoder().encode(written));
        expect(file.payments.map(({ endToEndId }) => endToEndId)).toEqual(payments.map(({ endToEndId }) => endToEndId));
      }),
      { numRuns: 30 },
    );
  });

  it('has no text that is longer than the standard lets it be', () => {
    fc.assert(
      fc.property(words, words, (name, reference) => {
        const message = parsed(
          order([{ recipient: people[0] as Address, amount: STEP, endToEndId: name, name, reference }]),
        );
        const lengths = (path: string, most: number) => {
          for (const text of texts(message, path)) {
            expect([...text].length).toBeLessThanOrEqual(most);
            expect([...text].length).toBeGreaterThan(0);
          }
        };
        expect(texts(message, 'EndToEndId')).toHaveLength(1);
        lengths('EndToEndId', 35);
        lengths('Cdtr/Nm', 140);
        lengths('Ustrd', 140);
        lengths('Othr/Id', 34);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an amount', () => {
  it('that such files can’t hold is refused, never rounded', () => {
    const one = (amount: bigint) => [{ recipient: people[0] as Address, amount, endToEndId: 'a' }];
    expect(thrownBy(() => order(one(1n)))).toBe('amount-too-fine');
    expect(thrownBy(() => order(one(10n ** 24n)))).toBe('amount-too-large');
    expect(order(one(10n))).toContain('<InstdAmt Ccy="USD">0.00001</InstdAmt>');
    expect(order(one(1_250_000_000n))).toContain('<InstdAmt Ccy="USD">1250.00</InstdAmt>');
  });

  it('has the currency of a token that is known by its mint, or the one that is named', () => {
    expect(currencyOf('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')).toBe('USD');
    expect(currencyOf(vault, 'CHF')).toBe('CHF');
    expect(thrownBy(() => currencyOf(vault))).toBe('currency-unknown');
    expect(thrownBy(() => currencyOf(vault, 'usd'))).toBe('currency-unknown');
  });
});

describe('a status report', () => {
  const states = fc.constantFrom<ListedEntry['state']>('paid', 'held', 'unpaid');

  it('says of each payment whether it was made, and its sums are those of the file', async () => {
    await fc.assert(
      fc.asyncProperty(somePayments, fc.array(states, { minLength: 12, maxLength: 12 }), async (payments, all12) => {
        const original = await readPaymentFile(order(payments));
        const entries = payments.map(({ recipient, amount }, at) => ({
          recipient,
          amount,
          state: all12[at] ?? 'paid',
        }));
        const outcomes = outcomesOf(original, entries.toReversed(), 6);
        const report = parsed(pain002({ messageId: 'report', createdAt: AT, token: TOKEN, original, outcomes }));
        expect(texts(report, 'OrgnlEndToEndId')).toEqual(payments.map(({ endToEndId }) => endToEndId));
        expect(texts(report, 'TxSts')).toEqual(entries.map(({ state }) => (state === 'paid' ? 'ACSC' : 'RJCT')));
        const group = all(report, 'OrgnlGrpInfAndSts')[0];
        const total = payments.reduce((sum, { amount }) => sum + amount, 0n);
        expect(unitsOf(all(report, 'OrgnlGrpInfAndSts/OrgnlCtrlSum')[0]?.text)).toBe(total);
        const parts = group === undefined ? [] : texts(group, 'DtldCtrlSum').map(unitsOf);
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total);
      }),
      { numRuns: 30 },
    );
  });

  it('takes payments that are alike for each other, those that were made first', async () => {
    const same = (endToEndId: string) => ({ recipient: people[0] as Address, amount: STEP, endToEndId });
    const original = await readPaymentFile(order([same('a'), same('b')]));
    const entry = (state: ListedEntry['state']) => ({ recipient: people[0] as Address, amount: STEP, state });
    const states = outcomesOf(original, [entry('unpaid'), entry('paid')], 6).map(({ state }) => state);
    expect(states).toEqual(['paid', 'unpaid']);
  });

  it('is not written of a file that is not what was to be paid', async () => {
    const one = { recipient: people[0] as Address, amount: STEP, endToEndId: 'a' };
    const original = await readPaymentFile(order([one]));
    const entry = { ...one, state: 'paid' } as const;
    const differing = [
      [],
      [{ ...entry, amount: 2n * STEP }],
      [{ ...entry, recipient: people[1] as Address }],
      [entry, entry],
    ];
    for (const entries of differing) expect(thrownBy(() => outcomesOf(original, entries, 6))).toBe('payments-differ');
  });
});

describe('a notification of what was paid', () => {
  it('has every payment, and is refused unless they add up to the pay run', () => {
    fc.assert(
      fc.property(somePayments, (payments) => {
        const amount = payments.reduce((sum, each) => sum + each.amount, 0n);
        const run = { schedule, window: 3n, paidCount: payments.length };
        const entry = { isCredit: false, amount, at: AT, signature, run };
        const given = { createdAt: AT, vault, token: TOKEN, entry };
        const message = parsed(camt054({ ...given, payments }));
        expect(texts(message, 'TxDtls/Amt').map(unitsOf)).toEqual(payments.map((each) => each.amount));
        expect(texts(message, 'CdtrAcct/Prxy/Id')).toEqual(payments.map(({ recipient }) => recipient));
        expect(texts(message, 'Ntry/Amt').map(unitsOf)).toEqual([amount]);
        expect(thrownBy(() => camt054({ ...given, payments: payments.slice(1) }))).toBe('payments-differ');
      }),
      { numRuns: 30 },
    );
  });
});

const NOVEMBER = monthOf('2026-11') as Period;
const DAY = 86_400_000;
/** What a vault went through from October to December: it never has less than nothing. */
const histories = fc
  .array(fc.record({ amount: amounts, isCredit: fc.boolean(), isRun: fc.boolean(), day: fc.nat(90) }), {
    maxLength: 20,
  })
  .map((all): VaultMovement[] => {
    let held = 0n;
    return all
      .toSorted((one, other) => one.day - other.day)
      .flatMap(({ amount, isCredit, isRun, day }, place): VaultMovement[] => {
        if (!isCredit && held < amount) return [];
        held += isCredit ? amount : -amount;
        const run = { schedule, window: BigInt(place), paidCount: 1 };
        const at = NOVEMBER.from + (day - 30) * DAY;
        return [{ isCredit, amount, at, signature, ...(isRun && !isCredit && { run }) }];
      });
  });

describe('a statement of account', () => {
  it('leads from what a vault had to what it has, to the unit, month after month', () => {
    fc.assert(
      fc.property(histories, (movements) => {
        let before = 0n;
        for (const month of ['2026-10', '2026-11', '2026-12']) {
          const period = monthOf(month) as Period;
          const { opening, movements: entries } = periodOf({ movements }, period);
          const statement = { createdAt: period.to, vault, owner: 'Example', token: TOKEN, period, opening, entries };
          const message = parsed(camt053(statement));
          const [first = 0n, last = 0n] = texts(message, 'Bal/Amt').map(unitsOf);
          const [came = 0n, went = 0n] = texts(message, 'TxsSummry/TtlCdtNtries/Sum')
            .concat(texts(message, 'TxsSummry/TtlDbtNtries/Sum'))
            .map(unitsOf);
          expect(first).toBe(before);
          expect(first + came - went).toBe(last);
          const sum = all(message, 'Stmt/Ntry').reduce((total, { inner }) => {
            const text = (name: string) => inner.find((each) => each.name === name)?.text;
            return text('CdtDbtInd') === 'CRDT' ? total + unitsOf(text('Amt')) : total - unitsOf(text('Amt'));
          }, 0n);
          expect(sum).toBe(came - went);
          before = last;
        }
        const balance = movements.reduce((sum, { isCredit, amount }) => (isCredit ? sum + amount : sum - amount), 0n);
        expect(before).toBe(balance);
      }),
      { numRuns: 50 },
    );
  });

  it('is written whatever strangers deposit: what is finer than it can hold is in no amount, and stands beside it', () => {
    const change = fc.record({ amount: fc.bigInt({ min: 1n, max: 40n }), isCredit: fc.boolean(), isRun: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let held = 7n;
        const entries = changes.flatMap(({ amount: any, isCredit, isRun }, place): VaultMovement[] => {
          const run = { schedule, window: BigInt(place), paidCount: 1 };
          const isPayRun = isRun && !isCredit;
          const amount = isPayRun ? (any / STEP + 1n) * STEP : any;
          if (!isCredit && held < amount) return [];
          held += isCredit ? amount : -amount;
          return [{ isCredit, amount, at: AT, signature, ...(isPayRun && { run }) }];
        });
        const period = NOVEMBER;
        const statement = { createdAt: period.to, vault, owner: '', token: TOKEN, period, opening: 7n, entries };
        const message = parsed(camt053(statement));
        expect(texts(message, 'Bal/Amt').map(unitsOf)).toEqual([0n, held - (held % STEP)]);
        const [came = 0n, went = 0n] = [
          ...texts(message, 'TtlCdtNtries/Sum'),
          ...texts(message, 'TtlDbtNtries/Sum'),
        ].map(unitsOf);
        expect(came - went).toBe(held - (held % STEP));
        const runs = entries.filter(({ run }) => run !== undefined).map(({ amount }) => amount);
        expect(texts(message, 'Btch/TtlAmt').map(unitsOf)).toEqual(runs);
      }),
    );
    const given = { createdAt: AT, vault, owner: '', token: TOKEN, period: NOVEMBER, opening: 0n };
    const deposits = [1n, 12n].map((amount) => ({ isCredit: true, amount, at: AT, signature }));
    const message = parsed(camt053({ ...given, entries: deposits }));
    expect(texts(message, 'Ntry/Amt')).toEqual(['0.00001']);
    expect(texts(message, 'Ntry/AddtlNtryInf')[0]).toMatch(/^Deposit of exactly 0\.000012\. Transaction /);
    const run = { schedule, window: 0n, paidCount: 1 };
    const fine = [{ isCredit: false, amount: 1n, at: AT, signature, run }];
    expect(thrownBy(() => camt053({ ...given, opening: 100n, entries: fine }))).toBe('amount-too-fine');
  });

  it('of a month that is not over says what was booked so far', () => {
    const given = { vault, owner: '', token: TOKEN, period: NOVEMBER, opening: 0n, entries: [] };
    expect(texts(parsed(camt053({ ...given, createdAt: AT })), 'Bal/Tp/CdOrPrtry/Cd')).toEqual(['OPBD', 'ITBD']);
    expect(texts(parsed(camt053({ ...given, createdAt: NOVEMBER.to })), 'Bal/Tp/CdOrPrtry/Cd')).toEqual([
      'OPBD',
      'CLBD',
    ]);
    expect(monthOf('2026-13')).toBeUndefined();
  });
});

describe('a journal', () => {
  const run = (amount: bigint, window = 0n): VaultMovement => ({
    isCredit: false,
    amount,
    at: AT,
    signature,
    run: { schedule, window, paidCount: 2 },
  });
  const rowsOf = (csv: string) => Papa.parse<Record<string, string>>(csv.trimEnd(), { header: true }).data;
  const accounts = { debit: 'Wages', credit: 'Payouts' };

  it('debits wages and credits the vault with what each pay run paid, in the columns of each program', () => {
    const entries = [run(1_250_500_000n), run(1_000_000n, 1n), { isCredit: true, amount: 5n, at: AT, signature }];
    const quickBooks = rowsOf(quickBooksJournal(entries, accounts, TOKEN));
    expect(Object.keys(quickBooks[0] ?? {})).toEqual([
      'Journal No.',
      'Journal Date',
      'Account Name',
      'Debits',
      'Credits',
      'Description',
    ]);
    expect(quickBooks.map((row) => [row['Journal Date'], row['Account Name'], row.Debits, row.Credits])).toEqual([
      ['11/27/2026', 'Wages', '1250.50', ''],
      ['11/27/2026', 'Payouts', '', '1250.50'],
      ['11/27/2026', 'Wages', '1.00', ''],
      ['11/27/2026', 'Payouts', '', '1.00'],
    ]);
    const xero = rowsOf(xeroJournal(entries, { ...accounts, taxRate: 'Exempt' }, TOKEN));
    expect(xero.map((row) => [row['*Date'], row['*AccountCode'], row['*TaxRate'], row['*Amount']])).toEqual([
      ['27/11/2026', 'Wages', 'Exempt', '1250.50'],
      ['27/11/2026', 'Payouts', 'Exempt', '-1250.50'],
      ['27/11/2026', 'Wages', 'Exempt', '1.00'],
      ['27/11/2026', 'Payouts', 'Exempt', '-1.00'],
    ]);
  });

  it('is refused where a program would not take it, or would round it, and has no formula', () => {
    expect(thrownBy(() => quickBooksJournal([run(1_000n)], accounts, TOKEN))).toBe('amount-too-fine');
    const many = Array.from({ length: 151 }, (_, at) => run(1_000_000n, BigInt(at)));
    expect(thrownBy(() => xeroJournal(many, { ...accounts, taxRate: 'Exempt' }, TOKEN))).toBe('journal-too-long');
    expect(quickBooksJournal([run(1_000_000n)], { debit: '=1+1', credit: '-2+3' }, TOKEN)).toMatch(
      /'=1\+1[\s\S]*'-2\+3/,
    );
  });
});
