import { randomBytes } from 'node:crypto';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, secureRandomBelow, systemTime } from '@payouts/client';
import { Balances, type BalancesInput } from '../../src/balances/balances.ts';
import { sqlBalanceStore } from '../../src/store/balanceStore.ts';
import type { PayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import type { Db } from '../../src/store/schema.ts';
import { silentLog } from './log.ts';

type Over = Pick<BalancesInput, 'layer'> &
  Partial<BalancesInput> & { readonly database: Db; readonly payloadKeys: PayloadKeys };

/** Balances as a process that has just begun knows them, over a database and a layer. */
export const balancesOver = ({ database, payloadKeys, ...input }: Over): Balances =>
  new Balances({
    store: sqlBalanceStore(database, payloadKeys),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    time: systemTime,
    log: silentLog,
    randomBelow: secureRandomBelow,
    newNonce: () => randomBytes(16),
    mostBalances: 1_000_000,
    ...input,
  });
