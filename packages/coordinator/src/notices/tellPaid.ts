import { nextTurn } from '@payouts/client';
import type { Address } from '@solana/kit';
import { recipientsOf } from '../domain/listRecords.ts';
import type { RecipientNotice } from '../domain/notice.ts';
import type { ListSource } from '../lists/listProofs.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import { listKey } from '../store/crypto/listKey.ts';
import { isPaid, openPayments } from '../store/crypto/paymentRecord.ts';
import type { RecipientDetails } from '../store/crypto/webhookSeal.ts';
import { openBlocks } from '../store/queries/lists.ts';
import { addRecipientMessage, endNoticeRun, listNoticeRuns, type RecipientMessage } from '../store/queries/notices.ts';
import { findPayments } from '../store/queries/payments.ts';
import { findSchedule } from '../store/queries/schedules.ts';
import { ifReadable } from './ifReadable.ts';
import type { NoticeBook } from './noticeBook.ts';

/** Milliseconds between two looks for runs whose recipients are to be told. */
const EVERY_MS = 2_000;
const PAID: RecipientNotice = 'recipient.paid';

export type TellPaidInput = ListSource & { readonly notices: Pick<NoticeBook, 'messagesFor'> };

type NoticeRun = Awaited<ReturnType<typeof listNoticeRuns>>[number];

/** Has recipients of settled windows told that they were paid, until the signal; one process at a time does it. */
export function tellPaid(input: TellPaidInput & LoopContext): Promise<void> {
  return runLoop({ ...input, name: 'notices' }, async (alive) => {
    for (const run of await listNoticeRuns(input.database)) {
      alive();
      await tellPaidIn(input, run);
    }
    return EVERY_MS;
  });
}

/**
 * Has those told whom a settled run has paid and who want to be: all of them, or none if it breaks off. Costs as much as the list is long,
 * however many want to be told of others.
 */
export async function tellPaidIn(input: TellPaidInput, run: NoticeRun): Promise<void> {
  const messages = (await ifReadable(() => messagesOf(input, run))) ?? [];
  await input.database.transaction().execute(async (transaction) => {
    if (!(await endNoticeRun(transaction, run.runId))) return;
    for (const message of messages) await addRecipientMessage(transaction, message);
  });
}

async function messagesOf({ database, payloadKeys, notices }: TellPaidInput, { runId, window }: NoticeRun) {
  const messages: RecipientMessage[] = [];
  const payments = await findPayments(database, runId, { isConfirmed: true });
  // Who was paid is not known: they see it when they look.
  if (!payments?.paid) return messages;
  const { list, paid } = payments;
  const mint = (await findSchedule(database, list.schedule))?.mint ?? '';
  const record = openPayments(await listKey(list, payloadKeys), paid, { ...list, window });
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    await nextTurn();
    const told = new Map<Address, RecipientDetails>();
    for (const { index, recipient, amount } of recipientsOf(block, number)) {
      if (!isPaid(record, index)) continue;
      const before = BigInt(told.get(recipient)?.amount ?? 0);
      told.set(recipient, { mint, amount: String(before + amount) });
    }
    messages.push(...(await notices.messagesFor(PAID, told)));
  }
  return messages;
}
