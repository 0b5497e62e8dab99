import { RunError } from '../../domain/errors.ts';
import { isWord, type LogFields } from './fields.ts';
import { placeOf } from './place.ts';

/**
 * What a log says of an error: its kind, where it was thrown, and the words of our own errors. Words of others are left out: a driver
 * or a ledger may put values into them.
 */
export function errorFields(error: unknown): Pick<LogFields, 'error' | 'detail' | 'place'> {
  if (error instanceof RunError) return { error: error.code, detail: error.message };
  if (!(error instanceof Error)) return { error: 'unknown' };
  const { code } = error as NodeJS.ErrnoException;
  return { error: [code, error.name].find(isWord) ?? 'unknown', place: placeOf(error) };
}

/** One sentence about an error that nobody expected, for a terminal. */
export function unexpected(error: unknown): string {
  const { error: kind, detail, place } = errorFields(error);
  return detail ?? `An unexpected error (${kind}${place === undefined ? '' : `, ${place}`}).`;
}
