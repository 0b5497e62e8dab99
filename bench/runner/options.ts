import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1. */
export function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It is not a whole number from 1.');
  return value;
}

/** Whole numbers of at least 1, separated by commas. */
export const counts = (text: string): number[] => text.split(',').map(count);

/** NAME=value, beside those given before. */
export function setting(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [name = '', ...value] = text.split('=');
  if (name === '' || value.length === 0) throw new InvalidArgumentError('It is not NAME=value.');
  return { ...before, [name]: value.join('=') };
}
