import { dueAt, findBatchAddress, type Time, timeoutSignal } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Settings } from '../config/specs.ts';
import { RunError } from '../domain/errors.ts';
import type { RunKey } from '../domain/run.ts';
import { batchDeadline } from '../domain/schedule.ts';
import { probeWindow, type WindowPosition } from '../ledger/probe.ts';
import { connectBase } from '../ledger/rpc.ts';
import { relative, utc } from './format.ts';

const WITHIN_MS = 15_000;

/** Where a window stands on the base ledger, in words too; `unknown`: it can't be read, or doesn't fit. */
export type WindowOnLedger = { readonly position: WindowPosition | 'unknown'; readonly sentence: string };

/** Asks the base ledger of the settings. */
export async function windowOnLedger(
  settings: Settings,
  { schedule, window }: RunKey,
  time: Time,
): Promise<WindowOnLedger> {
  const { baseRpcUrl, programAddress: program } = settings;
  const base = connectBase({ url: baseRpcUrl, time, signal: timeoutSignal(time, WITHIN_MS) });
  const address = schedule as Address;
  const batch = await findBatchAddress(address, { programAddress: program });
  try {
    const { position, schedule: terms } = await probeWindow(base, { schedule: address, batch, window, program });
    if (position === 'settled') return { position, sentence: 'It is settled.' };
    if (position === 'unopened') {
      const due = Number(dueAt(terms)) * 1_000;
      return { position, sentence: `It is not open; due ${utc(due)} UTC, ${relative(due, time.now())}.` };
    }
    const deadline = Number(batchDeadline(terms)) * 1_000;
    const where = position === 'delegated' ? 'its batch is with the execution layer' : 'its batch is back and closed';
    const until = `batch timeout ${utc(deadline)} UTC, ${relative(deadline, time.now())}`;
    return { position, sentence: `It is open, ${where}; ${until}.` };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { position: 'unknown', sentence: error.message };
  }
}
