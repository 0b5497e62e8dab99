import { checkPoolHoldings, checkVault, checkWindow, findPoolAddress, type Violation } from '@payouts/client';
import { RunError } from '../domain/errors.ts';
import { batchOf, poolOf, vaultOf } from '../ledger/accounts.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import type { WindowProbe } from '../ledger/probe.ts';
import type { StageContext } from './context.ts';

/** Where a token account holds its amount: u64 after mint and owner, in SPL Token's layout. */
const TOKEN_AMOUNT_OFFSET = 64;

function refuse(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  throw new RunError('money-rule-broken', violations.map(({ sentence }) => sentence).join(' '));
}

/** Checks what came back against its window, before it is settled. Throws `RunError`: money-rule-broken. */
export function checkReturned({ schedule, batch }: WindowProbe, { program }: StageContext): void {
  const returned = batchOf(batch, program);
  if (returned !== undefined) refuse(checkWindow(schedule, returned));
}

/** Base units in a token account; 0 if there is none. */
export const tokensIn = (account: LedgerAccount | null | undefined): bigint =>
  account ? new DataView(account.data.buffer, account.data.byteOffset).getBigUint64(TOKEN_AMOUNT_OFFSET, true) : 0n;

/** Checks that the schedule's vault and its token's pool hold what their counters say. Throws `RunError`: money-rule-broken. */
export async function checkHoldings({ base, program }: StageContext, { schedule }: WindowProbe): Promise<void> {
  const addresses = [schedule.vault, await findPoolAddress(schedule.mint, { programAddress: program })];
  const first = (await base.accounts(addresses, 'finalized')).accounts;
  const places = [vaultOf(first[0], program)?.tokenAccount, poolOf(first[1], program)?.tokenAccount];
  const [vaultToken, poolToken] = places;
  if (vaultToken === undefined || poolToken === undefined) {
    throw new RunError('schedule-missing', "The schedule's vault or its token's pool is not on the base ledger.");
  }
  // Read together, so that counters and tokens are of one moment.
  const { accounts } = await base.accounts([...addresses, vaultToken, poolToken], 'finalized');
  const vault = vaultOf(accounts[0], program);
  const pool = poolOf(accounts[1], program);
  if (vault !== undefined) refuse(checkVault(vault, tokensIn(accounts[2])));
  if (pool !== undefined) refuse(checkPoolHoldings(pool, tokensIn(accounts[3])));
}
