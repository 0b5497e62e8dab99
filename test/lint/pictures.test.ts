import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAYS, DEPOSIT, FEBRUARY, HELD, JANUARY } from '@payouts/testing/example';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const images = join(root, 'docs/images');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'reports'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

const LINK = /(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g;
/** What a document's links and pictures lead to in the repository, from its root. */
function targetsOf(document: string): { readonly file: string; readonly anchor: string | undefined }[] {
  const text = read(document).replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
  return [...text.matchAll(LINK)]
    .map(([, link]) => link as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#');
      const whole = file === '' ? document : relative(root, join(root, dirname(document), file));
      return { file: whole, anchor };
    });
}

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('shows every picture that it keeps, and leads to what is there alone', () => {
  const targets = documents.flatMap((document) => targetsOf(document).map((target) => ({ document, ...target })));
  const lost = targets.filter(({ file, anchor }) => {
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
  });
  expect(lost).toEqual([]);

  const shown = new Set(targets.map(({ file }) => file));
  // Beside each picture stands the text in it.
  const kept = readdirSync(images).filter((name) => !name.endsWith('.txt'));
  expect(kept.filter((name) => !shown.has(join('docs/images', name)))).toEqual([]);
  const texts = readdirSync(images).filter((name) => name.endsWith('.txt'));
  expect(texts).toEqual(kept.filter((name) => name.endsWith('.png')).map((name) => name.replace(/png$/, 'txt')));
});

/** Cents of an amount: "1,250.50" is 125050. */
const cents = (amount: string): number => Math.round(Number(amount.replaceAll(',', '')) * 100);
const written = (amount: number): string => (amount / 100).toLocaleString('en', { minimumFractionDigits: 2 });

/** All amounts that the example's people, pay runs and vault come to in its two months. */
function amountsOfTheExample(): ReadonlySet<string> {
  const each = [JANUARY, FEBRUARY].map((list) => Object.values(list).map(cents));
  const [first, second] = each.map((amounts) => amounts.reduce((sum, amount) => sum + amount, 0)) as [number, number];
  const deposit = cents(DEPOSIT);
  const paidSecond = second - cents(FEBRUARY[HELD] as string);
  const [reservedFirst, reservedChanged, reservedLast] = [12 * first, 11 * second, 10 * second];
  const left = deposit - first - paidSecond - reservedLast;
  const vault = [
    ...[deposit, 0, reservedFirst, reservedChanged, reservedLast, left],
    ...[deposit - reservedFirst, deposit - first - reservedChanged],
    // What the change takes more, and the first pay run that what is left does not cover.
    ...[11 * (second - first), second - (left % second)],
  ];
  const runs = [first, second, paidSecond, first + paidSecond, first + second];
  const both = (name: 'Ada Example' | 'Björn Sample') =>
    cents(JANUARY[name] as string) + cents(FEBRUARY[name] as string);
  const [ada, bjorn, out] = [both('Ada Example'), both('Björn Sample'), cents('1,000')];
  return new Set([...each.flat(), ...vault, ...runs, ada, bjorn, out, ada - out].map(written));
}

/** What the pictures of the page say, and the story of the command, by their names. */
const said: ReadonlyMap<string, string> = new Map([
  ...readdirSync(images)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => [name, read(join('docs/images', name))] as const),
  ['payout.svg', read('docs/images/payout.svg').replaceAll(/<style>[\s\S]*<\/style>|<[^>]+>/g, '\n')] as const,
]);
/** Pay runs that the employer promises. */
const PROMISED = 12;
/** Beside them, what documents say of them. */
const told = new Map([
  ...said,
  ...['README.md', 'docs/tutorials/a-month.md'].map((name) => [name, read(name)] as const),
]);
const all = (text: string, searched: RegExp): string[] => [...text.matchAll(searched)].map(([found]) => found);

it('tells one story in the pictures, in the terminal and in the README: each amount is one of the example’s', () => {
  const expected = amountsOfTheExample();
  for (const [name, text] of told) {
    const others = all(text, /(?<!Node )\b\d[\d,]*\.\d\d\b(?! s\b)/g).filter((amount) => !expected.has(amount));
    expect(others, name).toEqual([]);
    expect(text, name).not.toMatch(/NaN|undefined|Reading the|Connecting/);
  }
  const terminal = said.get('payout.svg') as string;
  const pages = [...said].filter(([name]) => name.startsWith('month-')).map(([, text]) => text);
  // Deposited, promised, both pay runs, and what was paid in all.
  for (const amount of ['120,000.00', '103,269.00', '8,605.75', '9,080.50', '7,100.50', '15,706.25']) {
    expect(expected).toContain(amount);
    expect(terminal).toContain(`${amount} `);
    expect(
      pages.some((text) => text.includes(amount)),
      amount,
    ).toBe(true);
  }
  expect(all(read('README.md'), /[\d,.]+ USDC/g)).not.toEqual([]);
});

it('tells of the same days and times everywhere', () => {
  const at = (day: string | Date) => new Date(day).toISOString();
  // The preview shows all pay days before they are promised, a month between them.
  const payDays = Array.from({ length: PROMISED }, (_, month) => {
    const day = new Date(DAYS.first);
    day.setUTCMonth(day.getUTCMonth() + month);
    return at(day);
  });
  expect(payDays).toContain(at(DAYS.second));
  const dayOf = (iso: string, month: 'short' | 'long') =>
    new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month, timeZone: 'UTC' });
  const days = [...payDays, at(DAYS.grant)];
  const expected = new Set(days.flatMap((day) => [dayOf(day, 'short'), dayOf(day, 'long')]));
  const years = new Set<string>();
  const named = /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*/g;
  for (const [name, text] of said) {
    expect(
      all(text, named).filter((day) => !expected.has(day)),
      name,
    ).toEqual([]);
    // The month's pay runs are at nine, UTC: in the pictures' Berlin at ten.
    for (const time of all(text, /(?<![\d:])\d\d:\d\d(?= (?:UTC|CET))/g))
      expect(['09:00', '10:00'], name).toContain(time);
    for (const iso of all(text, /\b20\d\d-\d\d-\d\d\b/g))
      expect(
        days.map((day) => day.slice(4, 10)),
        name,
      ).toContain(iso.slice(4));
    for (const year of all(text, /\b20\d\d(?=-\d\d-\d\d|, \d\d:\d\d|\.?$)/gm)) years.add(year);
  }
  // Made in the same year; whichever is older is to be made anew: npm run story, npm run page:pictures.
  expect(years.size).toBe(1);
});
