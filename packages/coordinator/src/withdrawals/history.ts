import { addressFromBytes, type Time } from '@payouts/client';
import { LRUCache } from 'lru-cache';
import type { ObservedPersonal, ObservedWithdrawal } from '../balances/personal.ts';
import { isUnreachable } from '../domain/errors.ts';
import type { NoticeBook } from '../notices/noticeBook.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import { isDatabaseOutage } from '../store/db/outage.ts';
import { isWithdrawal, rankOf, type WithdrawalRecord, type WithdrawalState } from './keptRecord.ts';
import type { Kept, WithdrawalBook } from './withdrawalBook.ts';

type KeptWithdrawal = Kept<WithdrawalRecord>;

/** Withdrawals remembered; of those forgotten it is read again what is kept. */
const MOST = 10_000;
/** Paid ones remembered, of which no more is known than that their recipients are told, or that that is kept as well. */
const MOST_PAID = 100_000;

export type WithdrawalHistoryInput = {
  readonly book: WithdrawalBook;
  readonly notices: Pick<NoticeBook, 'tell'>;
  readonly time: Time;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

const keyOf = ({ personal, number }: ObservedWithdrawal) => `${personal.mint}:${number}`;

/**
 * Records withdrawals as the worker sees them, behind its back: it waits for nothing and fails by nothing here. Only what is paid stays in the
 * layer until it is recorded.
 */
export class WithdrawalHistory {
  /** What was noted last of each, whether it is kept already or is about to be. */
  readonly #noted = new LRUCache<string, { state: WithdrawalState; wallet: string; kept?: KeptWithdrawal }>({
    max: MOST,
  });
  readonly #paid = new LRUCache<string, 'told' | 'kept'>({ max: MOST_PAID });
  #queue: Promise<void> = Promise.resolve();

  constructor(private readonly input: WithdrawalHistoryInput) {}

  /** A withdrawal is seen to have got so far; what is known already costs nothing. */
  note(seen: ObservedWithdrawal, state: WithdrawalState): void {
    const key = keyOf(seen);
    const noted = this.#noted.peek(key);
    const isOlder = noted !== undefined && rankOf(state) <= rankOf(noted.state);
    if (isOlder && noted.wallet === seen.wallet) return;
    const next = { ...noted, state: isOlder ? noted.state : state, wallet: seen.wallet };
    this.#noted.set(key, next);
    const at = this.input.time.now();
    this.#queue = this.#queue.then(() => this.#keep(key, seen, next.state, at));
  }

  /**
   * A withdrawal is seen to be paid. Whether that is kept, and its recipient told: until then the layer must not forget it, for nobody
   * would see it again.
   */
  paid(seen: ObservedWithdrawal): boolean {
    this.note(seen, 'paid');
    return this.#paid.get(keyOf(seen)) === 'kept';
  }

  /** The last of a balance's parts that stood ready was begun: its recipient is told, if they want to be. */
  orderEnded({ recipient }: Pick<ObservedPersonal, 'recipient'>): void {
    const { notices, log } = this.input;
    this.#queue = this.#queue.then(async () => {
      await notices.tell(recipient, 'order.ended').catch((error: unknown) => {
        log.warn({ kind: 'order-ended', ...errorFields(error) }, 'a recipient could not be told of a change');
      });
    });
  }

  /** Ends when nothing is to be written any more. */
  idle(): Promise<void> {
    return this.#queue;
  }

  async #keep(key: string, seen: ObservedWithdrawal, state: WithdrawalState, at: number): Promise<void> {
    const { book, log, signal } = this.input;
    try {
      const kept = this.#noted.peek(key)?.kept ?? (await this.#find(seen, at));
      const record = advanced(kept?.record, seen, state, at);
      // First, so that a recipient is told twice rather than never.
      if (record.state === 'paid' && kept?.record.state !== 'paid') await this.#tellPaid(key, record);
      const changed = kept === undefined ? await book.add(record) : await this.#change({ ...kept, record }, seen, at);
      const noted = this.#noted.peek(key);
      if (noted !== undefined && changed !== undefined) noted.kept = changed;
      if (record.state === 'paid') this.#paid.set(key, 'kept');
    } catch (error) {
      // Noted again at the next look, and until then missing in what the recipient is shown; the money goes on.
      this.#noted.delete(key);
      // What passes is waited for. What won't, such as a key that is missing, must not keep a withdrawal in the layer for ever.
      const passes = isUnreachable(error) || isDatabaseOutage(error);
      if (state === 'paid' && !passes) this.#paid.set(key, 'kept');
      if (!signal.aborted)
        log.debug({ mint: seen.personal.mint, ...errorFields(error) }, 'a withdrawal could not be recorded yet');
    }
  }

  async #tellPaid(key: string, { recipient, mint, amount }: WithdrawalRecord): Promise<void> {
    if (this.#paid.has(key)) return;
    await this.input.notices.tell(recipient, 'withdrawal.paid', { mint, amount: String(amount) });
    this.#paid.set(key, 'told');
  }

  /** Where a key was renewed meanwhile, it is kept in another place; nothing is kept of what was forgotten. */
  async #change(kept: KeptWithdrawal, seen: ObservedWithdrawal, at: number): Promise<KeptWithdrawal | undefined> {
    const { book } = this.input;
    if (await book.change(kept)) return kept;
    const found = await this.#find(seen, at);
    const moved = found && { ...found, record: kept.record };
    return moved && (await book.change(moved)) ? moved : undefined;
  }

  /** What another process, or this one before its last start, has kept of a withdrawal. */
  async #find(seen: ObservedWithdrawal, at: number): Promise<KeptWithdrawal | undefined> {
    const kept = await this.input.book.of(seen.personal.recipient, at);
    return kept.find(
      (each): each is KeptWithdrawal =>
        isWithdrawal(each.record) && each.record.mint === seen.personal.mint && each.record.number === seen.number,
    );
  }
}

/** A record with what is seen now: a state never goes back. */
function advanced(
  before: WithdrawalRecord | undefined,
  seen: ObservedWithdrawal,
  state: WithdrawalState,
  at: number,
): WithdrawalRecord {
  const furthest = before !== undefined && rankOf(before.state) > rankOf(state) ? before.state : state;
  return {
    recipient: seen.personal.recipient,
    balance: addressFromBytes(seen.owner),
    mint: seen.personal.mint,
    number: seen.number,
    amount: seen.amount,
    wallet: seen.wallet,
    state: furthest,
    seenAt: before?.seenAt ?? at,
    issuedAt: before?.issuedAt ?? (state === 'issued' ? at : null),
    paidAt: before?.paidAt ?? (state === 'paid' ? at : null),
  };
}
