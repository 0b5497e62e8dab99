import { bitmapHash, countBits, type SignedWindow, signWindow } from '@payouts/client';
import type { Address, MessagePartialSigner, Signature } from '@solana/kit';
import { LRUCache } from 'lru-cache';
import { amountsOf, BLOCK_RECIPIENTS } from '../domain/listRecords.ts';
import { Problem } from '../domain/problems.ts';
import { vaultOf } from '../ledger/accounts.ts';
import type { FindLanded } from '../ledger/landed.ts';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import type { ListSource } from '../lists/listProofs.ts';
import { listKey } from '../store/crypto/listKey.ts';
import { isPaid, openPayments, type PaymentRecord } from '../store/crypto/paymentRecord.ts';
import { findVault } from '../store/queries/funds.ts';
import { type ListRow, openBlocks } from '../store/queries/lists.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';
import type { WindowRow } from '../store/queries/settledWindows.ts';

/** Windows that are remembered, some ten kilobytes each; the longest unused give way. */
const REMEMBERED = 200;

/** A settled window as its issuer signs it, with the list that it paid and who of it was paid. */
export type ProvenWindow = {
  readonly list: ListRow;
  readonly record: PaymentRecord;
  readonly settled: SignedWindow;
};

export type SettledWindowsInput = ListSource & {
  readonly base: BaseLedger;
  readonly program: Address;
  readonly landed: FindLanded;
  /** The execution authority. */
  readonly issuer: MessagePartialSigner;
};

/** Signs what settled windows paid, each once: whoever asks for a payslip of it is given the same. */
export class SettledWindows {
  readonly #proven = new LRUCache<number, Promise<ProvenWindow>>({ max: REMEMBERED });

  constructor(private readonly input: SettledWindowsInput) {}

  /**
   * A window with what proves it. Throws `payslip-not-found` for one that is not settled, or of which too little is known; `RunError`
   * ledger-unavailable.
   */
  of(schedule: ScheduleRow, row: WindowRow | undefined): Promise<ProvenWindow> {
    if (row?.state !== 'settled') {
      return refuse('not-settled', 'The window is not settled: it can be proven once it is final on the base ledger.');
    }
    const { run_id: id } = row;
    const known = this.#proven.get(id);
    if (known !== undefined) return known;
    const proven = this.#prove(schedule, row);
    this.#proven.set(id, proven);
    proven.catch(() => this.#proven.delete(id));
    return proven;
  }

  async #prove(schedule: ScheduleRow, row: WindowRow): Promise<ProvenWindow> {
    const { list, paid: sealed, signature, finished_at: finishedAt } = row;
    if (list === undefined || sealed === undefined || signature === null || finishedAt === null) {
      return refuse(
        'not-known',
        'This service does not know whom the window paid, or by which transaction it was settled.',
      );
    }
    const { base, database, payloadKeys, program, landed, issuer } = this.input;
    const window = BigInt(row.window_number);
    const record = openPayments(await listKey(list, payloadKeys), sealed, { ...list, window });
    const found = await landed(signature as Signature);
    if (found === undefined && (row.wire ?? '') === '') {
      return refuse('not-known', "The ledger's node no longer has the transaction that settled the window.");
    }
    const vault = await findVault(database, schedule.vault);
    const decimals = vault?.decimals ?? vaultOf(await readAccount(base, schedule.vault as Address), program)?.decimals;
    if (decimals === undefined)
      return refuse('not-known', 'The vault is closed, so the decimals of its token are not known.');
    const settled = await signWindow(
      {
        program,
        vault: schedule.vault as Address,
        schedule: schedule.address as Address,
        mint: schedule.mint as Address,
        decimals,
        symbol: vault?.symbol ?? null,
        window,
        root: new Uint8Array(Buffer.from(list.root, 'hex')),
        recipients: list.recipients,
        ...(await this.#sums(list, record, row)),
        held: [...record.held].sort((one, other) => one - other),
        bitmapHash: bitmapHash({ schedule: schedule.address as Address, window, bitmap: record.bitmap }),
        settlement: {
          signature,
          slot: found?.slot ?? null,
          transaction: found?.transaction ?? new Uint8Array(Buffer.from(row.wire ?? '', 'base64')),
        },
        settledAt: Number(row.settled_at ?? found?.time ?? finishedAt),
      },
      issuer,
    );
    return { list, record, settled };
  }

  /** What the list promised and the window paid. Throws when that is not what the ledger settled: nothing wrong is ever signed. */
  async #sums(list: ListRow, record: PaymentRecord, row: WindowRow) {
    const { database, payloadKeys } = this.input;
    let promised = 0n;
    let paid = 0n;
    for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
      for (const [place, amount] of amountsOf(block).entries()) {
        promised += amount;
        if (isPaid(record, number * BLOCK_RECIPIENTS + place)) paid += amount;
      }
    }
    const paidCount = countBits(record.bitmap) - record.held.length;
    const isSettled = row.paid_amount === null || BigInt(row.paid_amount) === paid;
    if (isSettled && paidCount >= 0) return { promised, paidCount, paid };
    throw new Error('The list and its bitmap do not add up to what the window paid.');
  }
}

/** Answers that there is no proof, and why. */
function refuse(reason: 'not-settled' | 'not-known', detail: string): Promise<never> {
  return Promise.reject(new Problem('payslip-not-found', detail, { reason }));
}
