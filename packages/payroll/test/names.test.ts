import { readNames } from '@payouts/payroll';
import { expect, it } from 'vitest';

it('reads names from the payroll that the command reads, whatever its separator and order of columns', async () => {
  const expected = [
    ['AAA', { name: 'Ada Example' }],
    ['BBB', { name: 'Björn, Sample' }],
  ];
  for (const file of [
    'name,recipient,amount\nAda Example,AAA,1\n"Björn, Sample",BBB,2\n',
    '\ufeffrecipient;amount;name\r\nAAA;1;Ada Example\r\nBBB;2;"Björn, Sample"\r\n',
    'Recipient\tName\n\nAAA\tAda Example\nBBB\t"Björn, Sample"\n',
  ]) {
    expect(await readNames(file)).toEqual(expected);
  }
  expect(await readNames('label,recipient,note\nSales,AAA,part-time\n')).toEqual([
    ['AAA', { label: 'Sales', note: 'part-time' }],
  ]);
});

it('says what a file lacks', async () => {
  await expect(readNames('recipient,amount\nAAA,1\n')).rejects.toThrow('No column is named “name”, “label” or “note”');
  await expect(readNames('')).rejects.toThrow('no recipients');
  await expect(readNames('recipient,name\nAAA,Example, Ada\n')).rejects.toThrow('Line 2');
  await expect(readNames('recipient,name\n"AAA,1\n')).rejects.toThrow('never closed');
});
