import {
  addNotice,
  confirmNotice,
  listNotices,
  type NoticeJson,
  noticeStanding,
  removeNotice,
  type SignedSend,
} from '@payouts/client';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useState } from 'preact/hooks';
import { account } from '../account.ts';
import { sendBy } from '../api.ts';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

/** Who is told by e-mail or chat what becomes of their money. */
export function Notices() {
  const { value: own } = account;
  const time = useTime();
  return (
    <>
      <h1>Notices</h1>
      <p class="lead">
        Be told by e-mail or in a chat when you are paid, when a withdrawal arrives, and when something changes about
        where your money goes.
      </p>
      {own !== undefined && <Own send={sendBy(own.wallet, time)} />}
    </>
  );
}

function Own({ send }: { readonly send: SignedSend }) {
  const [notices, setNotices] = useState<readonly NoticeJson[]>();
  const { isBusy, error, result, run } = useAction<string>();
  const change = (work: () => Promise<unknown>, said = '') =>
    run(async () => {
      await work();
      setNotices((await listNotices(send)).filter(({ vault }) => vault === null));
      return said;
    });
  useEffect(() => change(async () => {}), []);
  return (
    <>
      {notices?.length === 0 && <Empty title="You get no messages yet." />}
      {notices?.map((notice) => (
        <One key={notice.id} notice={notice} send={send} isBusy={isBusy} onChange={change} />
      ))}
      <Adding
        isBusy={isBusy}
        onAdd={(to, details) =>
          change(
            () => addNotice(send, { address: to, details }),
            to.includes('://') ? 'Added.' : 'A code was sent there.',
          )
        }
      />
      <Trouble error={error} />
      {result !== undefined && result !== '' && <Notice kind="good" title={result} />}
    </>
  );
}

type OneProps = {
  readonly notice: NoticeJson;
  readonly send: SignedSend;
  readonly isBusy: boolean;
  readonly onChange: (work: () => Promise<unknown>, said?: string) => void;
};

function One({ notice: { id, address: to, state, details }, send, isBusy, onChange }: OneProps) {
  const [code, setCode] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (code.trim() !== '') onChange(() => confirmNotice(send, id, code), 'Confirmed.');
  };
  return (
    <section class="panel" aria-label={to}>
      <p>
        <strong class="break">{to}</strong> {noticeStanding({ state })}
        {details === 'amounts' && ', with amounts'}.
      </p>
      {state === 'unconfirmed' && (
        <form onSubmit={submit}>
          <Field label="Code in the e-mail" value={code} onInput={setCode} />
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Look into your wallet …' : 'Confirm'}
          </button>
        </form>
      )}
      <p class="actions">
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${to}`}
          disabled={isBusy}
          onClick={() => onChange(() => removeNotice(send, id), 'Removed, and forgotten.')}
        >
          Remove
        </button>
      </p>
    </section>
  );
}

type AddingProps = {
  readonly isBusy: boolean;
  readonly onAdd: (to: string, details: NoticeJson['details']) => void;
};

function Adding({ isBusy, onAdd }: AddingProps) {
  const [to, setTo] = useState('');
  const [isFull, setFull] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const isEmpty = to.trim() === '';
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if (!isEmpty) onAdd(to.trim(), isFull ? 'amounts' : 'none');
  };
  return (
    <form class="panel" onSubmit={submit}>
      <Field
        label="E-mail address, or the https address of a chat’s webhook"
        value={to}
        onInput={setTo}
        wrong={isChecked && isEmpty ? 'Enter an address.' : undefined}
        hint="Nothing but a code is sent to an e-mail address until you have entered that code here."
      />
      <label class="choice">
        <input type="checkbox" checked={isFull} onChange={() => setFull(!isFull)} />
        Say amounts, too: whoever carries the message can read them
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Look into your wallet …' : 'Add it'}
      </button>
    </form>
  );
}
