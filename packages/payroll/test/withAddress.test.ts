import { addressFromBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_PAYROLL, type PayrollError, readNames, withAddress } from '../src/index.ts';

const addressOf = (byte: number): Address => addressFromBytes(new Uint8Array(32).fill(byte));
const [ada, ben, newer] = [addressOf(1), addressOf(2), addressOf(3)];
const codesOf = (work: Promise<unknown>) =>
  work.then(
    () => [],
    (error: PayrollError) => error.problems.map(({ code }) => code),
  );

describe('an address written into a payroll', () => {
  it('replaces that of a name, and leaves every other byte as it is', async () => {
    const text = `\uFEFFPerson;Wallet;Amount;Memo\r\nAda;${ada};980,50;"a; ""b"""\r\n"Ben\r\nB.";${ben};1,00;x\r\n`;
    const written = await withAddress(text, { name: 'Ada' }, newer);
    expect(written).toEqual({ text: text.replace(ada, newer), lines: 1, before: ada, isNew: false });
    const second = await withAddress(written.text, { from: ben }, ada);
    expect(second.text).toBe(written.text.replace(ben, ada));
  });

  it('of a new name gets a line without an amount, of which nothing is a formula', async () => {
    const { text, isNew, before } = await withAddress(EMPTY_PAYROLL, { name: 'Ada, "the" first' }, ada);
    expect({ isNew, before }).toEqual({ isNew: true, before: undefined });
    expect(await withAddress(text, { name: '=1+1' }, ben)).toMatchObject({
      text: `name,recipient,amount\n"Ada, ""the"" first",${ada},\n"'=1+1",${ben},\n`,
    });
    expect((await withAddress('name,recipient', { name: 'Ada' }, ada)).text).toBe(`name,recipient\nAda,${ada}`);
  });

  it('is refused where somebody else has it, where it is not clear who is meant, and where nobody is', async () => {
    const text = `name,recipient,amount\nAda,${ada},1\nAda,${addressOf(9)},1\nBen,${ben},1\n`;
    expect(await codesOf(withAddress(text, { name: 'Ben' }, ada))).toEqual(['recipient-twice']);
    expect(await codesOf(withAddress(text, { name: 'Ada' }, newer))).toEqual(['name-twice']);
    expect(await codesOf(withAddress(text, { from: newer }, addressOf(7)))).toEqual(['recipient-missing']);
    expect(await codesOf(withAddress(`recipient,amount\n${ada},1\n`, { name: 'Ada' }, newer))).toEqual([
      'column-missing',
    ]);
    expect(await codesOf(withAddress('', { name: 'Ada' }, newer))).toEqual(['no-recipients']);
  });

  it('is read again under its name, whatever that is', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => text.trim());
    await fc.assert(
      fc.asyncProperty(
        name.filter((text) => text !== '' && !/^[=+\-@\t\r']/.test(text) && !text.includes('\r')),
        async (called) => {
          const { text } = await withAddress(EMPTY_PAYROLL, { name: called }, ada);
          expect(await readNames(text)).toEqual([[ada, { name: called }]]);
          expect(await withAddress(text, { name: called }, ben)).toMatchObject({ before: ada, isNew: false });
        },
      ),
      { numRuns: 200 },
    );
  });
});
