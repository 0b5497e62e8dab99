import { addressFromBytes, payerMark, type Time } from '@payouts/client';
import type { Signature } from '@solana/kit';
import type { PaymentCodes } from '../balances/paymentCodes.ts';
import type { ObservedTransfer } from '../balances/personal.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import { isTransfer, type TransferRecord } from './keptRecord.ts';
import type { Kept, WithdrawalBook } from './withdrawalBook.ts';

type KeptTransfer = Kept<TransferRecord>;
type Sent = Pick<TransferRecord, 'signature' | 'sentAt'>;
/** The payer's side and the payee's. */
export type NotedTransfer = readonly [KeptTransfer, KeptTransfer];

export type TransferHistoryInput = {
  readonly book: Pick<WithdrawalBook, 'of' | 'add' | 'change'>;
  readonly codes: Pick<PaymentCodes, 'secretOf'>;
  readonly time: Pick<Time, 'now'>;
  readonly log: Logger;
};

/** Keeps both sides of private transfers: before each is made, so that none is made of which nothing is known, and what became of it. */
export class TransferHistory {
  /** What could not be kept yet. */
  #waiting: KeptTransfer[] = [];

  constructor(private readonly input: TransferHistoryInput) {}

  /** Keeps that a transfer is about to be made by a transaction. Throws as `PayloadKeys`, and when the database does not answer. */
  async begin(transfer: ObservedTransfer, signature: Signature): Promise<NotedTransfer> {
    const sent = { signature, sentAt: this.input.time.now() };
    const asked = await this.#asked(transfer, sent);
    const before = await this.#find(asked, () => true);
    const [payer, payee] = sides({ ...(before?.record ?? asked), ...sent });
    const found = before && (await this.#find(payee, (one) => one.payer === payee.payer));
    return [await this.#begun(before, payer), await this.#begun(found, payee)];
  }

  async #begun(kept: KeptTransfer | undefined, record: TransferRecord): Promise<KeptTransfer> {
    const { book } = this.input;
    if (kept === undefined) return book.add(record);
    const again = { ...kept, record };
    await book.change(again);
    return again;
  }

  /** Keeps what became of it; what can't be kept now is kept later, and until then shown as unconfirmed. */
  async end(noted: NotedTransfer, state: 'made' | 'refused'): Promise<void> {
    this.#waiting.push(...noted.map((kept) => ({ ...kept, record: { ...kept.record, state } })));
    await this.keep();
  }

  /** Keeps what could not be kept before. */
  async keep(): Promise<void> {
    const { book, log } = this.input;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const kept of waiting) {
      try {
        if (!(await book.change(kept))) await this.#changeMoved(kept);
      } catch (error) {
        this.#waiting.push(kept);
        log.debug(errorFields(error), 'a private transfer could not be recorded yet');
      }
    }
  }

  /** Where a key was renewed meanwhile, it is kept in another place; nothing is kept of what was forgotten. */
  async #changeMoved(kept: KeptTransfer): Promise<void> {
    const moved = await this.#find(kept.record, ({ payer }) => payer === kept.record.payer);
    if (moved !== undefined) await this.input.book.change({ ...moved, record: kept.record });
  }

  async #asked({ personal, id, amount, code }: ObservedTransfer, sent: Sent): Promise<TransferRecord> {
    const { mint, recipient } = personal;
    const terms = { recipient, mint, id: BigInt(id), amount, code: addressFromBytes(code), seenAt: sent.sentAt };
    const secret = await this.input.codes.secretOf(mint, terms);
    return { ...terms, ...sent, payer: addressFromBytes(payerMark(recipient, secret)), state: 'asked' };
  }

  /** What is kept of a transfer that was begun before and not made. */
  async #find(
    { recipient, mint, id, amount, code, seenAt }: TransferRecord,
    isMeant: (record: TransferRecord) => boolean,
  ): Promise<KeptTransfer | undefined> {
    const kept = await this.input.book.of(recipient, seenAt);
    return kept.find((each): each is KeptTransfer => {
      const { record } = each;
      if (!isTransfer(record) || record.state === 'made') return false;
      const isSame = record.mint === mint && record.id === id && record.amount === amount && record.code === code;
      return isSame && isMeant(record);
    });
  }
}

/** The payer's side of a transfer that is about to be made, and that of whoever has the code. */
const sides = (payer: TransferRecord): readonly [TransferRecord, TransferRecord] => [
  { ...payer, state: 'asked' },
  { ...payer, state: 'asked', recipient: payer.code, id: 0n },
];
