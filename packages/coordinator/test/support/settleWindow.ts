import { bitmapSize, buildTransaction, settleInstructions } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import type { Kysely } from 'kysely';
import type { Landed } from '../../src/ledger/landed.ts';
import { listKey } from '../../src/store/crypto/listKey.ts';
import type { PayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { sealPayments } from '../../src/store/crypto/paymentRecord.ts';
import { findList } from '../../src/store/queries/lists.ts';
import { confirmPayments, savePayments } from '../../src/store/queries/payments.ts';
import { saveLostRun } from '../../src/store/queries/reconcile.ts';
import type { Tables } from '../../src/store/schema.ts';
import { setBit } from './bits.ts';
import { type Promised, randomAddress } from './promised.ts';

/** Whom a window did not pay, and whether the ledger settled it with the bitmap that is kept. */
export type Out = {
  readonly held?: readonly number[];
  readonly unpaid?: readonly number[];
  readonly isConfirmed?: boolean;
};

type Where = {
  readonly query: Kysely<Tables>;
  readonly keys: PayloadKeys;
  readonly authority: KeyPairSigner;
  /** The ledger's history. */
  readonly landed: Map<string, Landed>;
};

/** A settled window as the stages leave it, with its transaction on the ledger; returns the transaction's signature. */
export async function settleWindow(
  { query, keys, authority, landed }: Where,
  promised: Promised,
  window: bigint,
  { held = [], unpaid = [], isConfirmed = true }: Out = {},
): Promise<string> {
  const { schedulePda, vault, mint, list } = promised;
  const { wire, signature } = await buildTransaction({
    feePayer: authority,
    lifetime: { blockhash: randomAddress() as never, lastValidBlockHeight: 1n },
    instructions: await settleInstructions({
      authority,
      mint,
      windows: [{ schedule: schedulePda, vault, window, paid: 0n }],
      liabilities: {
        sequence: 1n,
        root: new Uint8Array(32),
        total: 0n,
        openings: 1n,
        movedIn: 0n,
        coveredTo: 1n,
        leaves: 0,
        withdrawalsRoot: new Uint8Array(32),
        withdrawalLeaves: 0,
      },
    }),
  });
  landed.set(signature, {
    slot: 4_711n,
    time: 1_700_000_000_000,
    transaction: new Uint8Array(Buffer.from(wire, 'base64')),
  });
  const paid = list.recipients.filter(({ index }) => !held.includes(index) && !unpaid.includes(index));
  const runId = await saveLostRun(query, {
    schedule: schedulePda,
    ending: {
      window,
      claimsPaid: paid.length,
      paidAmount: paid.reduce((sum, { amount }) => sum + amount, 0n),
      at: 1_700_000_000_000,
    },
    recipients: list.recipients.length,
    reasons: { held: held.length, 'batch-timeout': unpaid.length },
    openedAt: 1,
    transactions: [{ purpose: 'settle', signature, at: 1_700_000_000_000 }],
  });
  if (runId === undefined) throw new Error('not stored');
  const set = list.recipients.map(({ index }) => index).filter((index) => !unpaid.includes(index));
  await keepPayments({ query, keys }, promised, { runId, window, set, held, isConfirmed });
  return signature;
}

type Kept = {
  readonly runId: number;
  readonly window: bigint;
  /** Indexes of those who were paid or held back. */
  readonly set: readonly number[];
  readonly held: readonly number[];
  readonly isConfirmed: boolean;
};

/** Keeps whom a window paid, as the stages do. */
export async function keepPayments(
  { query, keys }: Pick<Where, 'query' | 'keys'>,
  { schedulePda, list }: Promised,
  { runId, window, set, held, isConfirmed }: Kept,
): Promise<void> {
  const row = await findList(query, schedulePda, Buffer.from(list.root).toString('hex'));
  if (row === undefined) throw new Error('not stored');
  const bitmap = new Uint8Array(bitmapSize(list.recipients.length));
  for (const index of set) setBit(bitmap, index);
  const sealed = sealPayments(await listKey(row, keys), { bitmap, held: [...held] }, { ...row, window });
  await savePayments(query, runId, { listId: row.id, paid: sealed });
  await confirmPayments(query, runId, isConfirmed);
}
