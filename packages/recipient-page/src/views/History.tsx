import {
  type HistoryItem,
  type PastTransfer,
  type PastWithdrawal,
  payslipFromJson,
  type ReceivedPayment,
  type TransferReceipt,
  transferReceiptToJson,
} from '@payouts/client';
import { tokenText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { saveFile } from '@payouts/pages/saveFile';
import { useEffect, useState } from 'preact/hooks';
import { account } from '../account.ts';
import { readOwn } from '../api.ts';
import { money } from '../money.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

const WITHDRAWN: Readonly<Record<PastWithdrawal['state'], string>> = {
  requested: 'asked for',
  issued: 'being paid',
  paid: 'paid',
};

/** What they were paid, took out and paid inside, newest first. */
export function History() {
  const [items, setItems] = useState<readonly HistoryItem[]>();
  const [next, setNext] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  const read = (cursor?: string) =>
    run(async () => {
      const page = await account.value?.client.history(cursor === undefined ? {} : { cursor });
      if (page === undefined) return;
      setItems((before = []) => [...(cursor === undefined ? [] : before), ...page.items]);
      setNext(page.nextCursor);
    });
  useEffect(() => read(), []);
  return (
    <>
      <h1>History</h1>
      <Trouble error={error} />
      {items === undefined && error === undefined && (
        <p class="loading" role="status">
          Reading your history …
        </p>
      )}
      {items?.length === 0 && <Empty title="Nothing has been paid to you yet." />}
      {items !== undefined && items.length > 0 && (
        <Table rows={items} columns={COLUMNS} keyOf={keyOf} caption="Newest first" isBusy={isBusy} />
      )}
      {next !== null && (
        <button type="button" disabled={isBusy} onClick={() => read(next)}>
          Older
        </button>
      )}
    </>
  );
}

function keyOf(item: HistoryItem): string {
  if (item.kind === 'payment') return `${item.schedulePda} ${item.window}`;
  if (item.kind === 'withdrawal') return `${item.balance} ${item.number}`;
  return `${item.side} ${item.at} ${item.paymentCode} ${item.amount}`;
}

function amountOf({ mint, amount }: HistoryItem): string {
  const token = money.value?.tokens.find((each) => each.mint === mint);
  return tokenText(amount, { mint, symbol: token?.name ?? null, decimals: token?.decimals ?? null });
}

/** Whether it has come; else it has left. */
const isIn = (item: HistoryItem): boolean =>
  item.kind === 'payment' || (item.kind === 'transfer' && item.side === 'payee');

function What({ item }: { readonly item: HistoryItem }) {
  if (item.kind === 'payment') return <>Paid to you{item.known ? '' : ', as the list says'}</>;
  if (item.kind === 'transfer') return <Inside item={item} />;
  return (
    <>
      Taken out, {WITHDRAWN[item.state]}, to <Address address={item.wallet} copy what="wallet" />
    </>
  );
}

const Inside = ({ item: { side, state, paymentCode } }: { readonly item: PastTransfer }) => (
  <>
    {side === 'payer' ? 'Paid inside' : 'Received inside'}
    {state === 'made' ? '' : ', unconfirmed'}, {side === 'payer' ? 'to' : 'by your code'}{' '}
    <Address address={paymentCode} copy what="payment code" />
  </>
);

const COLUMNS: readonly Column<HistoryItem>[] = [
  { name: 'When', show: ({ at }) => <Time at={at} as="local" /> },
  {
    name: 'What',
    show: (item) => <What item={item} />,
  },
  {
    name: 'Amount',
    class: 'number',
    show: (item) => `${isIn(item) ? '+' : '−'}${amountOf(item)}`,
  },
  {
    name: 'Proof',
    show: (item) => {
      if (item.kind === 'payment') return item.signature === null ? '' : <Payslip of={item} />;
      return item.kind === 'transfer' && item.receipt !== null ? <Receipt of={item.receipt} /> : '';
    },
  },
];

type Form = 'pdf' | 'json';

/** Saves a payment's payslips: what proves it without this page, years later. */
function Payslip({ of: { schedulePda, window, at } }: { readonly of: ReceivedPayment }) {
  const { isBusy, error, run } = useAction();
  const save = (form: Form) =>
    run(async () => {
      const text = await readOwn(`/api/schedules/${schedulePda}/recipients/me/payslips/${window}`);
      const { payslips } = JSON.parse(text) as { readonly payslips: readonly unknown[] };
      const day = new Date(at).toISOString().slice(0, 10);
      for (const [place, payslip] of payslips.entries()) {
        const name = `payslip-${day}-${window}${payslips.length > 1 ? `-${place + 1}` : ''}.${form}`;
        saveFile(name, form === 'json' ? JSON.stringify(payslip, null, 2) : await pdfOf(payslip));
      }
    });
  return (
    <>
      {(['pdf', 'json'] as const).map((form) => (
        <button key={form} type="button" class="quiet" disabled={isBusy} onClick={() => save(form)}>
          {form.toUpperCase()}
          <span class="hidden">: save the payslip of pay run {String(window)}</span>
        </button>
      ))}
      <Trouble error={error} />
    </>
  );
}

/** Saves a private transfer's receipt: what proves it without this page. */
function Receipt({ of }: { readonly of: TransferReceipt }) {
  const save = () => {
    const day = new Date(of.transfer.madeAt).toISOString().slice(0, 10);
    saveFile(`transfer-${day}.json`, JSON.stringify(transferReceiptToJson(of), null, 2));
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      JSON<span class="hidden">: save the receipt of this transfer</span>
    </button>
  );
}

/** A payslip as a page, which holds the payslip. What draws it is loaded when it is first needed. */
async function pdfOf(payslip: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const { payslipPdf } = await import('@payouts/statements');
  return new Uint8Array(await payslipPdf(payslipFromJson(payslip)));
}
