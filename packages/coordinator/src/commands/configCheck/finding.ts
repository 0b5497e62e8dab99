import type { Time } from '@payouts/client';
import { within } from '../../platform/within.ts';

/** What a check found: fine, to be thought about, or to be mended before a start. */
export type Finding = { readonly mark: '✔' | '!' | '✖'; readonly text: string };

export const fine = (text: string): Finding => ({ mark: '✔', text });
export const doubtful = (text: string): Finding => ({ mark: '!', text });
export const wrong = (text: string): Finding => ({ mark: '✖', text });

/** Milliseconds that one check may take. */
const WITHIN_MS = 8_000;

/** What a check finds, or that it took too long or failed: `otherwise` says what that means, and the mend. */
export async function findWithin(
  time: Time,
  check: () => Promise<Finding[]>,
  otherwise: (error: unknown) => string,
): Promise<Finding[]> {
  try {
    const found = await within(time, WITHIN_MS, check());
    return found ?? [wrong(otherwise(new Error('timeout')))];
  } catch (error) {
    return [wrong(otherwise(error))];
  }
}
