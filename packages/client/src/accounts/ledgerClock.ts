import { address, getBase64Encoder } from '@solana/kit';
import type { Ledgers } from '../transactions/connection.ts';

const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
/** Where the clock has its time. */
const UNIX_TIME_AT = 32;

/** The ledger's own time, by which its program judges: unix seconds. */
export async function ledgerSeconds(base: Ledgers['base']): Promise<bigint> {
  const { value } = await base.getAccountInfo(CLOCK, { encoding: 'base64', commitment: 'finalized' }).send();
  const bytes = getBase64Encoder().encode(value?.data[0] ?? '');
  return new DataView(Uint8Array.from(bytes).buffer).getBigInt64(UNIX_TIME_AT, true);
}
