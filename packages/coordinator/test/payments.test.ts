import { randomBytes } from 'node:crypto';
import { bitmapHash, type Schedule } from '@payouts/client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StageContext, StageInput } from '../src/runs/context.ts';
import { checkPayments } from '../src/runs/payments.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { listKey } from '../src/store/crypto/listKey.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { isPaid, openPayments, type PaymentPlace, sealPayments } from '../src/store/crypto/paymentRecord.ts';
import { endAttempt } from '../src/store/queries/attempts.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import { findPayments, savePayments } from '../src/store/queries/payments.ts';
import { sqlRunStore } from '../src/store/runStore.ts';
import { useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { keptLog } from './support/log.ts';
import { type Promised, promise, randomAddress, scheduleOver, somePayees } from './support/promised.ts';
import { addRun, begin, SUCCEEDED } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const RECIPIENTS = 19;
const bitmap = Uint8Array.of(0b1111_1011, 0b0000_1111, 0b0000_0101);
const record = { bitmap, held: [3, 18] };

describe('a record of who was paid', () => {
  const key = randomBytes(32);
  const place: PaymentPlace = { schedule: randomAddress(), root: 'ab'.repeat(32), recipients: RECIPIENTS, window: 7n };

  it('tells paid from held back and unpaid', () => {
    const opened = openPayments(key, sealPayments(key, record, place), place);
    expect(opened.held).toEqual([3, 18]);
    const paid = Array.from({ length: RECIPIENTS }, (_, index) => index).filter((index) => isPaid(opened, index));
    expect(paid).toEqual([0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 16]);
  });

  it('opens as that of its own list and window alone', () => {
    const sealed = sealPayments(key, record, place);
    for (const other of [
      { window: 8n },
      { root: 'cd'.repeat(32) },
      { schedule: randomAddress() },
      { recipients: 20 },
    ]) {
      expect(() => openPayments(key, sealed, { ...place, ...other })).toThrow(DecryptionFailed);
    }
    expect(() => openPayments(randomBytes(32), sealed, place)).toThrow(DecryptionFailed);
  });
});

describe('what was kept of a window', () => {
  const store = useStore();
  const keys = localPayloadKeys(randomBytes(32));
  const ledger = useLedger();
  const service = useApi(store, { ledger, payloadKeys: keys });
  const { log, logged } = keptLog();
  let promised: Promised;
  let list: ListRow;

  beforeAll(async () => {
    promised = promise(ledger, randomAddress(), somePayees(RECIPIENTS));
    await service.register(promised);
    const root = Buffer.from(promised.list.root).toString('hex');
    list = (await findList(store.query, promised.schedulePda, root)) as ListRow;
  });
  /** A run whose window the ledger has settled with this hash. */
  async function settledRun(window: bigint, lastBitmapHash: Uint8Array, rootVersions: [number, number] = [0, 0]) {
    const { query: database } = store;
    const key = { schedule: promised.schedulePda, window };
    const run = await addRun(database, key, { recipients: RECIPIENTS });
    const { signal } = new AbortController();
    const context = { store: sqlRunStore(database), payloadKeys: keys, log, signal } as unknown as StageContext;
    const input = { run, at: key } as unknown as StageInput;
    const [rootVersion, windowRootVersion] = rootVersions;
    const settled = {
      ...scheduleOver(promised.list),
      lastBitmapHash,
      rootVersion,
      windowRootVersion,
    } as unknown as Schedule;
    const keep = async (kept = record) => {
      const paid = sealPayments(await listKey(list, keys), kept, { ...list, window });
      await savePayments(database, run.id, { listId: list.id, paid });
    };
    const check = async () => {
      const arePaymentsRight = await checkPayments(context, input, settled);
      const { attemptId } = await begin(database, key, 'commit', 2_000);
      const over = { state: 'settled', paidAmount: null, arePaymentsRight, at: 2_000 } as const;
      await endAttempt(database, attemptId, SUCCEEDED, { landed: [], over }, 2_000);
    };
    return { run, keep, check };
  }

  const hashOf = (window: bigint) => bitmapHash({ schedule: promised.schedulePda, window, bitmap });
  const isConfirmed = async (runId: number) => {
    const { rows } = await store.database.pool.query('select is_confirmed from run_payments where run_id = $1', [
      runId,
    ]);
    return rows[0]?.is_confirmed as boolean | undefined;
  };

  it('is confirmed by the hash that the ledger settled it with, and stands from then on', async () => {
    const { run, keep, check } = await settledRun(0n, hashOf(0n));
    await keep();
    expect(await isConfirmed(run.id)).toBe(false);
    await check();
    expect(await isConfirmed(run.id)).toBe(true);
    const before = await findPayments(store.query, run.id);
    await keep({ bitmap: Uint8Array.of(0, 0, 0), held: [] });
    expect(await findPayments(store.query, run.id)).toEqual(before);
  });

  it('is not believed when the ledger settled something else', async () => {
    const { run, keep, check } = await settledRun(1n, hashOf(0n));
    await keep();
    await check();
    expect(await isConfirmed(run.id)).toBe(false);
    expect(logged()).toContain('the ledger settled another bitmap');
  });

  it('is noted as unknown where nothing was kept, if the schedule still tells which list it was', async () => {
    const known = await settledRun(2n, hashOf(2n));
    await known.check();
    expect(await findPayments(store.query, known.run.id)).toMatchObject({ paid: null, list: { id: list.id } });
    const replaced = await settledRun(3n, hashOf(3n), [1, 0]);
    await replaced.check();
    expect(await findPayments(store.query, replaced.run.id)).toBeUndefined();
  });

  it('does not stop a run when it can be opened no more', async () => {
    const { run, check } = await settledRun(4n, hashOf(4n));
    await savePayments(store.query, run.id, { listId: list.id, paid: randomBytes(60) });
    await check();
    expect(await isConfirmed(run.id)).toBe(false);
    expect(logged()).toContain('who was paid could not be kept');
  });
});
