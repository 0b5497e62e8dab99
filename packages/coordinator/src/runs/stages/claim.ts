import { type Batch, BatchPhase, MAX_CLAIMS_PER_TRANSACTION, type Schedule } from '@payouts/client';
import { RunError, Waiting } from '../../domain/errors.ts';
import type { UnpaidReasons } from '../../domain/run.ts';
import { batchDeadline } from '../../domain/schedule.ts';
import { CLOCK_ADDRESS, clockTime } from '../../ledger/clock.ts';
import { readAccount } from '../../ledger/ledger.ts';
import { probeWindow, readLayerBatch } from '../../ledger/probe.ts';
import { SMALL_LIST } from '../../liabilities/recorder.ts';
import type { PayableList } from '../../lists/payableList.ts';
import { OVER } from '../../platform/withTimeout.ts';
import type { ListRow } from '../../store/queries/lists.ts';
import { makeBitmap } from '../bitmap.ts';
import { claimRecipients, closedWindow, type ListPages, type Paid } from '../claimRecipients.ts';
import type { StageContext, StageInput } from '../context.ts';
import { permitEverything } from '../formerPermissions.ts';
import { fundCounter } from '../fundCounter.ts';
import { lackingDelivery, openDeliveries } from '../openDeliveries.ts';
import { rootOf, sealedPayments } from '../payments.ts';
import { permit } from '../permissions.ts';
import { readPayees } from '../readPayees.ts';
import { explained, isComplete } from '../unpaid.ts';

/** Milliseconds until recipients who could not be paid are tried again, within the batch timeout. */
const UNPAID_RETRY_MS = 60_000;
/** Milliseconds between two looks of the liabilities tree at what claims have paid. */
const PREPARE_EVERY_MS = 100;

/** Pays every recipient of the open window who is not paid, in the execution layer, until the batch timeout. */
export async function claim(context: StageContext, input: StageInput): Promise<void> {
  const { base, layer, clock } = context;
  const { run, at } = input;
  // Asked for at once, they are one reading.
  const [{ position, schedule }] = await Promise.all([probeWindow(base, at), learnTime(context)]);
  if (position === 'settled' || position === 'returned') return;
  const batch = await readLayerBatch(layer, at);
  if (batch === undefined) {
    throw new RunError('batch-not-visible', "The execution layer does not show the window's batch.");
  }

  // When its time is over, a window is committed as it is: nothing is begun any more.
  const isOver = clock.now() >= batchDeadline(batch);
  const pay = () =>
    isOver ? unpaidByTimeout(batch, run.unpaid_reasons) : payRegisteredList(context, input, batch, schedule);
  const paid = await (batch.phase === BatchPhase.Open ? pay() : closedWindow(batch));
  if (paid === 'closed') return;
  input.findings.payments = await sealedPayments(context, input, paid.batch, paid.list);
  input.findings.claims = { paid: paid.batch.paidCount, reasons: paid.reasons };
  if (!isComplete(paid.batch) && !isOver) throw waiting(context, paid.batch);
}

async function payRegisteredList(
  context: StageContext,
  input: StageInput,
  batch: Batch,
  schedule: Schedule,
): Promise<Paid | 'closed'> {
  const list = await context.store.findList(input.at.schedule, rootOf(batch));
  if (list === undefined) throw new RunError('list-missing', "No list is registered for the open window's root.");
  // From here on the layer is shown who is paid.
  input.findings.quoteHash = await context.trust.quoteHash();
  return context.listRoom.within(list.recipients, async () => {
    const payees = await readPayees(context, list);
    // That of a short list is made with its claims.
    const isShort = list.recipients <= MAX_CLAIMS_PER_TRANSACTION;
    const [open, pages] = await Promise.all([
      isShort ? batch : makeBitmap(context, input.at, batch),
      balancesReady(context, input, list, payees, schedule),
    ]);
    const payment = { batch: open, list, payees, ...pages };
    const paid = await preparing(context, input, batch, () => claimRecipients(context, input, payment));
    if (paid === 'closed' || paid.batch.phase !== BatchPhase.Open) return paid;
    await permitEverything(context, input.at);
    await openDeliveries(context, input.at, paid.batch, payees);
    return paid;
  });
}

/** Gives the list's balances their places, and has nobody else read those of their pages that are there: the others are made with claims. */
async function balancesReady(
  context: StageContext,
  { at }: StageInput,
  list: ListRow,
  payees: PayableList,
  schedule: Schedule,
): Promise<ListPages> {
  const { balances } = context;
  const { mint } = schedule;
  await balances.place(list, payees, schedule);
  const pages = await balances.of(mint, payees);
  const missing = new Set((await balances.pages.missing(mint, pages.values())).map(({ number }) => number));
  const there = [...pages.values()].filter(({ number }) => !missing.has(number));
  const fund = async () => {
    const deliveries = (await lackingDelivery(context, mint, payees)).length;
    await fundCounter(context, at, mint, { recipients: payees.count, deliveries });
  };
  await Promise.all([permit(context, at, [at.batch, ...there.map(({ address }) => address)]), fund()]);
  return { pages, missing };
}

/** While claims go on, the liabilities tree takes what they have paid, so that the settlement of a large list has less to do. */
async function preparing<T>(
  { liabilities, time, signal }: StageContext,
  { at }: StageInput,
  { mint, recipients }: Batch,
  work: () => Promise<T>,
): Promise<T> {
  if (recipients <= SMALL_LIST) return work();
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const prepare = async () => {
    for (;;) {
      await time.pause(PREPARE_EVERY_MS, ended);
      await liabilities.of(mint).prepare(at.schedule, recipients);
    }
  };
  // Whatever it could not take, the settlement does; a look that is under way goes on while the batch is sent back.
  prepare().catch(() => {});
  try {
    return await work();
  } finally {
    over.abort(OVER);
  }
}

/** Nobody is paid any more; reasons that an earlier try found, and that account for everybody unpaid, stand. */
function unpaidByTimeout(batch: Batch, found: UnpaidReasons): Paid {
  return { batch, reasons: explained(found, batch.recipients - batch.paidCount, batch.heldCount) };
}

async function learnTime({ base, clock }: StageContext): Promise<void> {
  const now = clockTime(await readAccount(base, CLOCK_ADDRESS));
  if (now !== undefined) clock.learn(now);
}

/** The unpaid are tried again later, and the window is committed without them when its time is over. */
function waiting({ clock, time }: StageContext, batch: Batch): Waiting {
  const until = Math.min(clock.localTimeOf(batchDeadline(batch)), time.now() + UNPAID_RETRY_MS);
  const unpaid = batch.recipients - batch.paidCount - batch.heldCount;
  return new Waiting(until, `${unpaid} recipients can't be paid now; they are tried again until the batch timeout.`);
}
