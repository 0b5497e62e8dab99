import type { Time } from '@payouts/client';
import { withTimeout } from '../../platform/withTimeout.ts';

/** What a check found: fine, to be thought about, or to be fixed before a start. */
export type CheckResult = { readonly mark: '✔' | '!' | '✖'; readonly text: string };

export const passed = (text: string): CheckResult => ({ mark: '✔', text });
export const warned = (text: string): CheckResult => ({ mark: '!', text });
export const failed = (text: string): CheckResult => ({ mark: '✖', text });

/** Milliseconds that one check may take, unless it says more. */
const WITHIN_MS = 8_000;

/** What a check finds, or that it took too long or failed: `otherwise` says what that means, and the remedy. */
export async function checkWithin(
  time: Time,
  check: () => Promise<CheckResult[]>,
  otherwise: (error: unknown) => string,
  withinMs = WITHIN_MS,
): Promise<CheckResult[]> {
  try {
    const found = await withTimeout(time, withinMs, check());
    return found ?? [failed(otherwise(new Error('timeout')))];
  } catch (error) {
    return [failed(otherwise(error))];
  }
}
