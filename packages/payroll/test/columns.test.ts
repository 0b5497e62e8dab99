import { PayrollError, problemText, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

let one: Address;
let two: Address;

beforeAll(async () => {
  one = (await generateKeyPairSigner()).address;
  two = (await generateKeyPairSigner()).address;
});

const read = (content: string, map = {}) => readPayroll(content, { decimals: 6, map });

/** What columns were taken for, by their headers. */
async function takenIn(content: string, map = {}): Promise<Record<string, string>> {
  const { columns } = await read(content, map);
  return Object.fromEntries(columns.taken.map(({ column, header }) => [column, header]));
}

/** What is asked: the code, the column that it is about, and what it may be. */
async function askedIn(content: string, map = {}): Promise<unknown[]> {
  const error: unknown = await read(content, map).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayrollError);
  return (error as PayrollError).problems.map(({ code, question }) =>
    question?.option === 'map' ? [code, question.column, ...question.choices] : code,
  );
}

describe('columns are known by what people call them', () => {
  it.each([
    ['Wallet', 'Net pay (USDC)'],
    ['wallet_address', 'SALARY'],
    ['Payee', 'Payment'],
    ['Employee', 'Take-home pay'],
    ['Public Key', 'Payout amount [USDC]'],
    ['Empfänger', 'Nettobetrag'],
    ['Wallet-Adresse', 'Gehalt'],
    ['Bénéficiaire', 'Net à payer'],
    ['ADRESSE', 'Montant'],
  ])('%s, %s', async (recipient, amount) => {
    expect(await takenIn(`${recipient};${amount}\n${one};5\n`)).toEqual({ recipient, amount });
  });

  it('a person’s column beside one of addresses has names; which of two has addresses is told from the lines', async () => {
    expect(await takenIn(`Employee,Wallet,Net\nAda,${one},5\n`)).toEqual({
      recipient: 'Wallet',
      amount: 'Net',
      name: 'Employee',
    });
    expect(await takenIn(`address,payee,net\n1 High Street,${one},5\n"2, Low Street",${two},6\n`)).toMatchObject({
      recipient: 'payee',
    });
    expect(await takenIn(`label,wallet,amount,name\nx,${one},5,Ada\n`)).toMatchObject({ name: 'name' });
  });

  it('all others are left alone, and named, but for those that are known to be the employer’s own', async () => {
    const { columns, doubts } = await read(`wallet,amount,Bonus,Office,note,e-mail\n${one},5,100,x,y,z\n`);
    expect(columns.unread).toEqual([
      { place: 2, header: 'Bonus' },
      { place: 3, header: 'Office' },
    ]);
    expect(doubts.map(problemText)).toContain('Line 1: The columns “Bonus” and “Office” are not read.');
  });
});

it('a header that names another currency than the token’s is asked about', async () => {
  const doubtsOf = async (header: string, token?: string) => {
    const { doubts } = await readPayroll(`wallet;${header}\n${one};5\n`, { decimals: 6, token });
    return doubts.map(({ code }) => code);
  };
  for (const header of ['Net pay (EUR)', 'Amount €', 'Salary CHF', 'Amount [SOL]', 'Net pay in EUR']) {
    expect(await doubtsOf(header, 'USDC'), header).toEqual(['amount-currency']);
    expect(await doubtsOf(header)).toEqual([]);
  }
  for (const header of ['Amount (USDC)', 'NET PAY', 'Net pay, USD', 'Amount $', 'Salary']) {
    expect(await doubtsOf(header, 'USDC'), header).toEqual([]);
  }
});

describe('what headers leave open is asked, and never guessed', () => {
  it('several columns that may be the amount, or the recipient', async () => {
    expect(await askedIn(`wallet,salary,net pay\n${one},5,4\n`)).toEqual([
      ['column-unclear', 'amount', 'salary', 'net pay'],
    ]);
    expect(await askedIn(`wallet,recipient,amount\n${one},${two},4\n`)).toEqual([
      ['column-unclear', 'recipient', 'wallet', 'recipient'],
    ]);
    expect(await askedIn(`wallet,amount,amount\n${one},5,4\n`)).toEqual([['column-unclear', 'amount', 'B', 'C']]);
  });

  it('none that may be; of a file without headers nothing is repeated', async () => {
    expect(await askedIn(`Person code,Wallet,Gross\n7,${one},5\n`)).toEqual([
      ['column-missing', 'amount', 'Person code', 'Gross'],
    ]);
    expect(await askedIn(`${one},1250.50,Ada\n${two},5,Ben\n`)).toEqual([
      ['column-missing', 'recipient', 'Ada'],
      ['column-missing', 'amount', 'Ada'],
    ]);
  });

  it('an answer counts before everything that headers say: by a header, or by the letters of a column', async () => {
    const content = `wallet;old wallet;gross, EUR;net\n${one};${two};5;4\n`;
    expect(await takenIn(content, { amount: 'Gross, EUR' })).toEqual({ recipient: 'wallet', amount: 'gross, EUR' });
    expect(await takenIn(content, { recipient: 'b', amount: 'd' })).toEqual({ recipient: 'old wallet', amount: 'net' });
    expect(await takenIn(`who;how much\n${one};5\n`, { recipient: 'who', amount: 'how much' })).toEqual({
      recipient: 'who',
      amount: 'how much',
    });
  });

  it('an answer that fits no column, several, or one that is given already', async () => {
    const content = `wallet,x,x\n${one},5,4\n`;
    expect(await askedIn(content, { amount: 'y' })).toEqual([['column-unknown', 'amount', 'wallet', 'B', 'C']]);
    expect(await askedIn(content, { amount: 'x' })).toEqual([['column-unclear', 'amount', 'B', 'C']]);
    expect(await askedIn(content, { recipient: 'B', amount: 'B' })).toEqual([
      ['column-unclear', 'amount', 'wallet', 'C'],
    ]);
  });
});
