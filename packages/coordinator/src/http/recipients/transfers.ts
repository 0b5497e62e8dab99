import {
  addressFromBytes,
  addressToBytes,
  paymentCodeOf,
  type SignedTransfer,
  signTransfer,
  transferReceiptToJson,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { PaymentCodes } from '../../balances/paymentCodes.ts';
import { isKeptTransfer, type TransferRecord } from '../../withdrawals/keptRecord.ts';
import type { Kept } from '../../withdrawals/withdrawalBook.ts';
import type { OwnInput } from './own.ts';
import type { TransferView } from './schemas.ts';
import { readTokens } from './tokens.ts';

/** Signed transfers that are remembered; the longest unused give way. */
const REMEMBERED = 10_000;

/** One side of a private transfer as it is kept; `salt`: of the code's balance, on the payee's side. */
export type KeptSide = Kept<TransferRecord> & { readonly salt: Uint8Array | undefined };

/** A recipient's private transfers, and what proves each. */
export class OwnTransfers {
  readonly #codes: PaymentCodes;
  /** By the payer's mark: both sides are given the same. */
  readonly #signed = new LRUCache<Address, Promise<SignedTransfer>>({ max: REMEMBERED });

  constructor(private readonly input: OwnInput) {
    this.#codes = new PaymentCodes(input);
  }

  /** What was paid to their codes of these tokens, first seen in the month of `until` (unix milliseconds) or before. Throws as `PayloadKeys`. */
  async received(recipient: Address, mints: Iterable<Address>, until: number): Promise<KeptSide[]> {
    const found: KeptSide[] = [];
    for (const mint of mints) {
      const own = await this.#codes.of(mint, recipient);
      if (own === undefined) continue;
      for (const kept of await this.input.withdrawals.of(addressFromBytes(own.owner), until)) {
        if (isKeptTransfer(kept) && kept.record.mint === mint) found.push({ ...kept, salt: own.salt });
      }
    }
    return found;
  }

  /** As the recipient is shown it. Throws as `PayloadKeys`, and `RunError` when the token can't be read. */
  async view(recipient: Address, own: KeptSide): Promise<Static<typeof TransferView>> {
    const { salt } = own;
    const record = await this.#noted(own);
    const { mint, amount, seenAt: at, state } = record;
    return {
      kind: 'transfer',
      at,
      side: salt === undefined ? 'payer' : 'payee',
      mint,
      amount: amount.toString(),
      paymentCode: paymentCodeOf(addressToBytes(record.code)),
      state: state === 'made' ? 'made' : 'unconfirmed',
      receipt: state === 'made' ? await this.#receipt(recipient, { record, salt }) : null,
    };
  }

  /** What is kept of a transfer, with what the layer knows of one that was sent when the service stopped, before it had noted what became of it. */
  async #noted({ salt: _, ...kept }: KeptSide): Promise<TransferRecord> {
    const { layer, withdrawals } = this.input;
    const { record } = kept;
    if (record.state !== 'asked') return record;
    // Where it does not answer, it is shown as unconfirmed until it does.
    const [status] = await layer.statuses([record.signature]).catch(() => []);
    if (status?.err !== null) return record;
    const made = { ...record, state: 'made' } as const;
    await withdrawals.change({ ...kept, record: made });
    return made;
  }

  async #receipt(recipient: Address, { record, salt }: Pick<KeptSide, 'record' | 'salt'>) {
    const transfer = await this.#sign(record);
    const opening =
      salt === undefined
        ? { side: 'payer' as const, recipient, secret: await this.#codes.secretOf(record.mint, record) }
        : { side: 'payee' as const, recipient, secret: salt };
    return transferReceiptToJson({ transfer, opening });
  }

  #sign(record: TransferRecord): Promise<SignedTransfer> {
    const known = this.#signed.get(record.payer);
    if (known !== undefined) return known;
    const signed = this.#signNow(record);
    this.#signed.set(record.payer, signed);
    signed.catch(() => this.#signed.delete(record.payer));
    return signed;
  }

  async #signNow({ mint, amount, code, payer, sentAt }: TransferRecord): Promise<SignedTransfer> {
    const { program, issuer } = this.input;
    const { symbol, decimals } = (await readTokens(this.input, [mint])).get(mint) ?? { symbol: null, decimals: 0 };
    const terms = { program, mint, decimals, symbol, amount, madeAt: sentAt };
    const parties = { paymentCode: paymentCodeOf(addressToBytes(code)), payer: addressToBytes(payer) };
    return signTransfer({ ...terms, ...parties }, issuer);
  }
}
