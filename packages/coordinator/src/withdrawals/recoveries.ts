import { RECOVERY_SECONDS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type ObservedPersonal, observedPersonal, recoverableAround } from '../balances/personal.ts';
import type { ExecutionLayer } from '../ledger/ledger.ts';
import type { NoticeBook } from '../notices/noticeBook.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import { areNoticesOf } from '../store/queries/notices.ts';
import type { Db } from '../store/schema.ts';

/** Milliseconds between two looks for recoveries that were asked for. */
const EVERY_MS = 10_000;

export type RecoveriesInput = LoopContext & {
  readonly database: Db;
  readonly layer: Pick<ExecutionLayer, 'programAccounts'>;
  readonly program: Address;
  readonly notices: Pick<NoticeBook, 'tell'>;
};

/**
 * Has recipients told that somebody has asked to recover their balance, however the layer was asked: they have fourteen days to refuse. Told once
 * each, and once more after a start. Asks the layer nothing while nobody wants to be told.
 */
export function tellRecoveries(input: RecoveriesInput): Promise<void> {
  const { database, notices } = input;
  let told: ReadonlySet<string> = new Set();
  return runLoop({ ...input, name: 'recoveries' }, async (alive) => {
    if (!(await areNoticesOf(database, 'recovery.changed'))) return EVERY_MS;
    const still = new Set<string>();
    for (const { key, personal } of await underWay(input)) {
      alive();
      if (told.has(key) || (await notices.tell(personal.recipient, 'recovery.changed')) > 0) still.add(key);
    }
    told = still;
    return EVERY_MS;
  });
}

/** The accounts of which a recovery is under way, and what names it. */
async function underWay({ layer, program, time }: RecoveriesInput) {
  const now = BigInt(Math.floor(time.now() / 1_000));
  const found = new Map<string, ObservedPersonal>();
  for (const at of [now, now + BigInt(RECOVERY_SECONDS)]) {
    for (const account of await layer.programAccounts(program, recoverableAround(at))) {
      const personal = observedPersonal(account, program);
      const completesAt = personal?.recovery(now).completesAt ?? null;
      if (personal !== undefined && completesAt !== null) found.set(`${personal.address} ${completesAt}`, personal);
    }
  }
  return [...found].map(([key, personal]) => ({ key, personal }));
}
