/*
 * The one payroll that all pictures and the command's story show: the same people, amounts and days, so that whoever reads them one after the
 * other finds the same sums. The documents' pictures are compared with it by test/lint/pictures.test.ts.
 */

/** A year that is yet to come: a ledger's clock is turned forward alone. */
const YEAR = new Date().getUTCFullYear() + 1;
const at = (day: string): Date => new Date(`${YEAR}-${day}Z`);

/** The days of the story; pay runs are on the 28th at nine, UTC. */
export const DAYS = {
  begins: at('01-04T08:30'),
  first: at('01-28T09:00'),
  change: at('02-15T09:00'),
  second: at('02-28T09:00'),
  after: at('03-01T09:00'),
  /** Until when the auditor may look. */
  grant: `${YEAR}-12-31`,
} as const;

export const TOKEN = 'USDC';
export const DEPOSIT = '120,000';

/** Names, labels and notes are long enough to be looked for in what programs say. */
export const PEOPLE = [
  { name: 'Ada Example', label: 'Engineering', note: 'leads the team' },
  { name: 'Björn Sample', label: 'Engineering', note: '' },
  { name: 'Chiara Prova', label: 'Sales abroad', note: 'half days in May' },
  { name: 'Dmitri Obrazets', label: 'Sales abroad', note: 'leaves in January' },
  { name: 'Esi Nhwɛso', label: 'Front office', note: '' },
] as const;
export type Name = (typeof PEOPLE)[number]['name'];
type Amounts = Readonly<Partial<Record<Name, string>>>;

/** What the payroll pays at first, and once it was changed: a raise, one who left, one who came. */
export const JANUARY: Amounts = {
  'Ada Example': '2500.00',
  'Björn Sample': '2250.50',
  'Chiara Prova': '1980.00',
  'Dmitri Obrazets': '1875.25',
};
export const FEBRUARY: Amounts = {
  'Ada Example': '2750.00',
  'Björn Sample': '2250.50',
  'Chiara Prova': '1980.00',
  'Esi Nhwɛso': '2100.00',
};
/** Who is held back in February. */
export const HELD: Name = 'Chiara Prova';

/** Each of the people with what is theirs, such as a key. */
export const withPeople = <T>(make: () => Promise<T>): Promise<ReadonlyMap<Name, T>> =>
  Promise.all(PEOPLE.map(async ({ name }) => [name, await make()] as const)).then((pairs) => new Map(pairs));

/** A payroll file, as a clerk has it. */
export function payrollFile(amounts: Amounts, addressOf: (name: Name) => string): string {
  const paid = PEOPLE.filter(({ name }) => name in amounts);
  const lines = paid.map(({ name, label, note }) => [name, label, note, addressOf(name), amounts[name]].join(','));
  return ['name,label,note,recipient,amount', ...lines, ''].join('\n');
}
