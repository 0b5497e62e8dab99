import { isAddressText, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { readTotals, type Totals } from '../audit/read.ts';
import { isRight, statementJson, statementText } from '../audit/statement.ts';
import { loadPayloadKeys } from '../config/keys.ts';
import type { Settings } from '../config/specs.ts';
import { connectHistory } from '../ledger/history.ts';
import { connectBase } from '../ledger/rpc.ts';
import { type LiabilitiesSum, liabilitiesSum } from '../liabilities/proof.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import type { Db } from '../store/schema.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** A rule does not hold. */
const EXIT_DIFFERS = 3;

/** What a schedule's windows have paid, by the base ledger alone, whether its recipients are forgotten or not. */
export const schedulesTotals = command({
  synopsis: 'ADDRESS [--json]',
  summary:
    "proves by the base ledger alone that what a schedule's windows have paid adds up, without its list; ends with 3 if it does not",
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, [address, ...more], { time }) {
    if (address === undefined || more.length > 0 || !isAddressText(address)) {
      throw new UsageError("It takes one schedule's address.");
    }
    const found = await withDatabase(time, (database, settings) => findTotals(database, settings, address, time));
    await printTotals(found, json);
    return isRight(found.totals, found.liabilities) ? 0 : EXIT_DIFFERS;
  },
});

export type FoundTotals = { readonly totals: Totals; readonly liabilities: LiabilitiesSum | undefined };

/** Throws `TotalsUnknown`, or `RunError` when the ledger can't be read: then nothing is claimed. */
export async function findTotals(database: Db, settings: Settings, address: string, time: Time): Promise<FoundTotals> {
  const { programAddress: program, baseRpcUrl: url } = settings;
  const at = { url, time, signal: new AbortController().signal, isPatient: true };
  const base = connectBase(at);
  const totals = await readTotals({ base, history: connectHistory(at), program, schedule: address as Address, time });
  const payloadKeys = await loadPayloadKeys(settings, time);
  const liabilities = await liabilitiesSum({ base, database, payloadKeys, program }, totals.schedule.mint).catch(
    (error: unknown) => {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) return undefined;
      throw error;
    },
  );
  return { totals, liabilities };
}

export async function printTotals({ totals, liabilities }: FoundTotals, json: boolean): Promise<void> {
  await show(json, statementJson(totals, liabilities), statementText(totals, liabilities));
}
