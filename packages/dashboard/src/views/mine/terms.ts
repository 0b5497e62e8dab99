/** How often a payroll is paid, as the form offers it. */
export const INTERVALS = [
  { value: '1mo', name: 'every month' },
  { value: '1w', name: 'every week' },
  { value: '2w', name: 'every 2 weeks' },
  { value: '3mo', name: 'every 3 months' },
  { value: '12mo', name: 'every year' },
  { value: '1d', name: 'every day' },
  { value: '1h', name: 'every hour' },
] as const;

/** Days of a month, as the form offers them. */
export const DAYS = [
  { value: '', name: 'the day of the first' },
  { value: 'last', name: 'the last day' },
  { value: 'last-business-day', name: 'the last business day' },
  ...Array.from({ length: 31 }, (_, day) => ({ value: `${day + 1}`, name: `day ${day + 1}` })),
];

/** How long a pay run may take, as the form offers it. */
export const DEADLINES = [
  { value: '1h', name: '1 hour' },
  { value: '10m', name: '10 minutes' },
  { value: '6h', name: '6 hours' },
  { value: '1d', name: '1 day' },
] as const;

/** What the form holds. */
export type TermsForm = {
  readonly every: string;
  readonly on: string;
  /** As the browser's own field writes it, in the reader's time; empty: at once, or on the rule's next day. */
  readonly first: string;
  readonly executions: string;
  readonly timeout: string;
  readonly missed: 'catchUp' | 'skip';
};

export const FIRST_TERMS: TermsForm = {
  every: '1mo',
  on: '',
  first: '',
  executions: '12',
  timeout: '1h',
  missed: 'catchUp',
};

/** A time of the browser's field, in the reader's zone, as the terms take it: in UTC; undefined: none. */
export function firstOf(field: string): string | undefined {
  if (field === '') return undefined;
  return new Date(field).toISOString().slice(0, 16);
}
