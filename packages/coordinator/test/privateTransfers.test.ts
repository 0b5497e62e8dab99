import { randomBytes } from 'node:crypto';
import {
  addressFromBytes,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  paymentCodeOf,
  secureRandomBelow,
  transferFaults,
  transferReceiptFromJson,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { generateKeyPairSigner, getBase58Decoder, type KeyPairSigner, type Signature } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { PaymentCodes } from '../src/balances/paymentCodes.ts';
import type { ObservedTransfer } from '../src/balances/personal.ts';
import { pageOfPlace, slotOfPlace } from '../src/domain/places.ts';
import { MovedPlaces } from '../src/liabilities/movedPlaces.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import type { LayerOutcome } from '../src/withdrawals/layerActions.ts';
import { TransferHistory } from '../src/withdrawals/transferHistory.ts';
import { MOST_AN_HOUR, Transfers } from '../src/withdrawals/transfers.ts';
import { WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { useApi } from './support/api.ts';
import { balancesOver } from './support/balances.ts';
import { countOf } from './support/counted.ts';
import { FakeBalances } from './support/fakeBalances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { useLedger } from './support/ledgerStub.ts';
import { silentLog } from './support/log.ts';
import { observed, underWay } from './support/personal.ts';
import { promise, randomAddress, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const payloadKeys = localPayloadKeys(randomBytes(32));
const issuer = await generateKeyPairSigner();
const someSignature = () => getBase58Decoder().decode(randomBytes(64)) as Signature;
const AMOUNT = 7_000_250_001n;

describe('private transfers', () => {
  const store = useStore();
  const ledger = useLedger();
  const service = useApi(store, { ledger, payloadKeys, issuer });

  /** Two who are paid in one token whose pages the layer has, and a process that makes their transfers. */
  async function scene() {
    const [payer, payee] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
    const own = [payer, payee].map(({ address }) => ({ recipient: address, amount: 5n }));
    const promised = promise(ledger, randomAddress(), [...somePayees(2), ...own]);
    await service.register(promised);
    service.recipients.prepare();
    await service.recipients.idle();
    const { mint, schedulePda, list } = promised;
    const layer = new FakeBalances(mint, PAYOUT_LEDGER_PROGRAM_ADDRESS);
    const balances = balancesOver({ database: store.query, payloadKeys, layer: layerShowing(() => layer.accounts()) });
    const row = (await findList(store.query, schedulePda, Buffer.from(list.root).toString('hex'))) as ListRow;
    const payees = await new PayableLists({ database: store.query, payloadKeys }).read(row);
    await balances.place(row, payees, promised);
    for (const { number, nonce } of (await balances.of(mint, payees)).values()) layer.makePage(number, nonce);

    const time = manualTime(Date.now());
    const metrics = createMetrics();
    const codes = new PaymentCodes({ database: store.query, payloadKeys, balances, time });
    const book = new WithdrawalBook({ database: store.query, payloadKeys, time });
    const made: ObservedTransfer[] = [];
    let outcome: LayerOutcome = 'done';
    const moved = new MovedPlaces();
    const recorder = { moved, shared: <T>(work: () => Promise<T>) => work() };
    const keeping = (kept: Pick<WithdrawalBook, 'of' | 'add' | 'change'> = book) =>
      new TransferHistory({ book: kept, codes, time, log: silentLog });
    /** A process that has just begun; `history`: what it keeps, if not what it really does. */
    const start = (history: Pick<TransferHistory, 'begin' | 'end' | 'keep'> = keeping()) => {
      const transfers = new Transfers({
        ...{ time, metrics, log: silentLog, balances, codes, history, randomBelow: secureRandomBelow },
        draining: new AbortController().signal,
        actions: {
          executeTransfer: async (transfer) => ({
            signature: someSignature(),
            send: async () => {
              if (outcome === 'done') made.push(transfer);
              return outcome;
            },
          }),
        },
      });
      return { make: (...waiting: ObservedTransfer[]) => transfers.make(recorder, waiting) };
    };
    const code = await codes.give(mint, payee.address, secureRandomBelow);
    if (code === undefined) throw new Error('The pages have room.');
    const page = layer.addressOf(pageOfPlace(code.place));
    const slot = (slotOfPlace(code.place) + 1) % PAGE_SLOTS;
    const address = randomAddress();
    const asked = (owner: Uint8Array = code.owner, id = 3): ObservedTransfer => {
      const wallet = addressFromBytes(owner);
      const withdrawals = [underWay({ id, amount: AMOUNT, wallet, toCode: 1 })];
      const personal = observed({ mint, page, slot, recipient: payer.address, withdrawals }, { address });
      return personal.transfers()[0] as ObservedTransfer;
    };
    return {
      ...{ payer, payee, mint, codes, code, book, made, moved, time, start, keeping, asked },
      paymentCode: paymentCodeOf(code.owner),
      answer: (next: LayerOutcome) => {
        outcome = next;
      },
      counted: (what: string) => countOf(metrics, 'service_transfers_total', { outcome: what }),
    };
  }

  type Item = {
    readonly kind: string;
    readonly side: string;
    readonly amount: string;
    readonly state: string;
    readonly paymentCode: string;
    readonly receipt: object | null;
  };
  const historyOf = async (signer: KeyPairSigner): Promise<Item[]> => {
    const { status, body } = await service.get('/api/recipients/me/history', signer);
    expect(status, JSON.stringify(body)).toBe(200);
    return (body as { items: Item[] }).items.filter(({ kind }) => kind === 'transfer');
  };

  it('are shown to both sides with a receipt each, which says nothing of the other, and to nobody else', async () => {
    const { payer, payee, made, moved, start, asked, paymentCode, counted } = await scene();
    await start().make(asked());
    expect(made).toHaveLength(1);
    expect(moved.take(1n)?.size).toBe(2);
    expect(await counted('made')).toBe(1);
    const [sent, received] = await Promise.all([payer, payee].map(historyOf));
    const shown = { amount: String(AMOUNT), paymentCode, state: 'made' };
    expect(sent).toMatchObject([{ ...shown, side: 'payer' }]);
    expect(received).toMatchObject([{ ...shown, side: 'payee' }]);
    expect(await historyOf(await generateKeyPairSigner())).toEqual([]);

    const receipts = [sent, received].map((items) => transferReceiptFromJson(items?.[0]?.receipt));
    for (const receipt of receipts) expect(await transferFaults(receipt, issuer.address)).toEqual([]);
    expect(receipts[0]?.transfer).toEqual(receipts[1]?.transfer);
    expect(receipts.map(({ opening }) => opening.recipient)).toEqual([payer.address, payee.address]);
    expect(JSON.stringify(received)).not.toContain(payer.address);
    expect(JSON.stringify(sent)).not.toContain(payee.address);
  });

  it('of one payer to one code are two, with marks that don’t show it', async () => {
    const { payer, payee, start, asked } = await scene();
    await start().make(asked(undefined, 3), asked(undefined, 4));
    expect(await historyOf(payer)).toHaveLength(2);
    const receipts = (await historyOf(payee)).map(({ receipt }) => transferReceiptFromJson(receipt));
    const marks = receipts.map(({ transfer }) => Buffer.from(transfer.payer).toString('hex'));
    expect(new Set(marks).size).toBe(2);
  });

  it('are not made as long as nothing can be kept of them', async () => {
    const { payer, made, book, start, keeping, asked } = await scene();
    const add = () => Promise.reject(new Error('The database does not answer.'));
    await expect(
      start(keeping({ of: (...of) => book.of(...of), change: async () => true, add })).make(asked()),
    ).rejects.toThrow('does not answer');
    expect(made).toEqual([]);
    await start().make(asked());
    expect(made).toHaveLength(1);
    expect(await historyOf(payer)).toHaveLength(1);
  });

  it('that the layer refuses are tried again a minute later, and shown once they are made', async () => {
    const { payer, payee, made, time, start, answer, asked, counted } = await scene();
    const one = start();
    answer('InsufficientBalance');
    await one.make(asked());
    await time.advance(59_000);
    await one.make(asked());
    expect(await counted('refused')).toBe(1);
    expect([await historyOf(payer), await historyOf(payee)]).toEqual([[], []]);
    answer('done');
    await time.advance(1_000);
    await one.make(asked());
    expect(made).toHaveLength(1);
    for (const side of [payer, payee]) expect(await historyOf(side)).toMatchObject([{ state: 'made' }]);
  });

  it('of a process that died in the middle are unconfirmed and have no receipt, until another makes them', async () => {
    const { payer, payee, start, keeping, asked } = await scene();
    await keeping().begin(asked(), someSignature());
    for (const side of [payer, payee]) {
      expect(await historyOf(side)).toMatchObject([{ state: 'unconfirmed', receipt: null }]);
    }
    await start().make(asked());
    for (const side of [payer, payee]) expect(await historyOf(side)).toMatchObject([{ state: 'made' }]);
  });

  it('of a process that died when the layer had made them have receipts, by what the layer says of what was sent', async () => {
    const { payer, payee, time, keeping, asked } = await scene();
    const sentAt = time.now();
    await keeping().begin(asked(), someSignature());
    const receipts = async (state: string) => {
      const items = [...(await historyOf(payer)), ...(await historyOf(payee))];
      expect(items.map((item) => item.state)).toEqual([state, state]);
      return items.map(({ receipt }) => receipt);
    };
    for (const err of [{ InstructionError: [1, { Custom: 1 }] }, 'AccountInUse']) {
      ledger.status = { err, confirmationStatus: 'confirmed' };
      expect(await receipts('unconfirmed')).toEqual([null, null]);
    }
    ledger.status = { err: null, confirmationStatus: 'confirmed' };
    const [sent, received] = (await receipts('made')).map((receipt) => transferReceiptFromJson(receipt));
    expect(sent?.transfer).toEqual(received?.transfer);
    expect(sent?.transfer.madeAt).toBe(sentAt);
    // It is kept: the layer may forget what it has executed.
    ledger.status = null;
    await receipts('made');
  });

  it('are kept as made later, if they can’t be at once', async () => {
    const { payer, book, start, keeping, asked } = await scene();
    let isAway = true;
    const change: WithdrawalBook['change'] = (kept) =>
      isAway ? Promise.reject(new Error('The database does not answer.')) : book.change(kept);
    const one = start(keeping({ of: (...of) => book.of(...of), add: (record) => book.add(record), change }));
    await one.make(asked());
    expect(await historyOf(payer)).toMatchObject([{ state: 'unconfirmed' }]);
    isAway = false;
    await one.make();
    expect(await historyOf(payer)).toMatchObject([{ state: 'made' }]);
  });

  it('of one balance wait where there were many in an hour, since something is kept of each', async () => {
    const { made, time, start, asked } = await scene();
    const one = start({ begin: async () => [] as never, end: async () => {}, keep: async () => {} });
    const all = Array.from({ length: MOST_AN_HOUR + 2 }, (_, id) => asked(undefined, id + 1));
    await one.make(...all);
    expect(made).toHaveLength(MOST_AN_HOUR);
    const left = all.filter((each) => !made.includes(each));
    await time.advance(3_599_999);
    await one.make(...left);
    expect(made).toHaveLength(MOST_AN_HOUR);
    await time.advance(1);
    await one.make(...left);
    expect(made).toHaveLength(all.length);
  });

  it('to a code that nobody has are left alone: nothing is sent to the layer', async () => {
    const { payer, made, start, asked, counted } = await scene();
    await start().make(asked(new Uint8Array(32).fill(9)));
    expect(made).toEqual([]);
    expect(await counted('refused')).toBe(1);
    expect(await historyOf(payer)).toEqual([]);
  });

  it('go to a code that is the same each time, another one for everybody and each token, and has one place', async () => {
    const [one, other] = [await scene(), await scene()];
    const again = await one.codes.give(one.mint, one.payee.address, secureRandomBelow);
    expect(again).toEqual(one.code);
    expect(await one.codes.of(one.mint, one.payee.address)).toEqual(one.code);
    expect(await one.codes.placeOf(one.mint, one.code.owner)).toBe(one.code.place);
    expect(await one.codes.of(one.mint, one.payer.address)).toBeUndefined();
    expect(await one.codes.placeOf(one.mint, other.code.owner)).toBeUndefined();
    const payers = await one.codes.give(one.mint, one.payer.address, secureRandomBelow);
    expect(payers?.owner).not.toEqual(one.code.owner);
    expect(payers?.place).not.toBe(one.code.place);
    const elsewhere = await other.codes.give(other.mint, one.payee.address, secureRandomBelow);
    expect(elsewhere?.owner).not.toEqual(one.code.owner);
  });
});
