import { randomBytes } from 'node:crypto';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, secureRandomBelow, systemTime } from '@payouts/client';
import { Balances, type BalancesInput } from '../../src/balances/balances.ts';
import { silentLog } from './log.ts';

/** Balances as a process that has just begun knows them, over a database and a layer. */
export const balancesOver = (
  input: Pick<BalancesInput, 'database' | 'payloadKeys' | 'layer'> & Partial<BalancesInput>,
): Balances =>
  new Balances({
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    time: systemTime,
    log: silentLog,
    randomBelow: secureRandomBelow,
    newNonce: () => randomBytes(16),
    mostBalances: 1_000_000,
    ...input,
  });
