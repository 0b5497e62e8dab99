import {
  addNotice,
  confirmNotice,
  listNotices,
  type NoticeJson,
  type NoticeWish,
  noticeEffects,
  noticeStanding,
  removeNotice,
  type SignedSend,
} from '@payouts/client';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import type { Schedule } from '../../../api/types.ts';
import { useAttempt } from '../../../book/useAttempt.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { connectedWallet } from '../../../session/wallet.ts';
import { type AskedChange, ChangeDialog } from '../ChangeDialog.tsx';
import { readBySession, sendBy } from '../signedSend.ts';
import { ActionTrouble } from '../Trouble.tsx';
import { TYPES } from './words.ts';

/** Whether messages arrive changes without an event. */
const EVERY_MS = 10_000;

/** People who are told of a payroll by e-mail or in a chat, and what is done with them. */
export function People({ schedule: { schedulePda, vault } }: { readonly schedule: Schedule }) {
  const time = useTime();
  const wallet = connectedWallet.value;
  const send = wallet && sendBy(wallet, time);
  const notices = useResource('notices', () => listNotices(readBySession), { concerns: () => false, every: EVERY_MS });
  const [change, setChange] = useState<AskedChange>();
  const isOfThis = (notice: NoticeJson) =>
    notice.vault === vault && (notice.schedulePda ?? schedulePda) === schedulePda;
  return (
    <section aria-labelledby="people">
      <h2 id="people">E-mail and chat</h2>
      <p>People are told in words, without names or amounts unless you choose otherwise.</p>
      <Loaded of={notices} what="who is told">
        {(all) => {
          const told = all.filter(isOfThis);
          if (told.length === 0) return <Empty title="No person is told of this payroll." />;
          return told.map((notice) => (
            <One key={notice.id} notice={notice} send={send} onAsk={setChange} onChanged={notices.refresh} />
          ));
        }}
      </Loaded>
      {send !== undefined && (
        <Adding schedule={schedulePda as Address} send={send} onAsk={setChange} onChanged={notices.refresh} />
      )}
      <ChangeDialog change={change} onClose={() => setChange(undefined)} />
    </section>
  );
}

type Doings = { readonly onAsk: (change: AskedChange) => void; readonly onChanged: () => void };
type OneProps = Doings & { readonly notice: NoticeJson; readonly send: SignedSend | undefined };

function One({ notice: { id, address: to, schedulePda, types, details, state }, send, onAsk, onChanged }: OneProps) {
  const remove = (by: SignedSend) => async () => {
    await removeNotice(by, id);
    onChanged();
    return <Notice kind="good" title="Removed." />;
  };
  return (
    <section aria-labelledby={id}>
      <h3 id={id} class="break">
        {to}
      </h3>
      <Facts>
        <Fact name="Status">{noticeStanding({ state })}</Fact>
        <Fact name="Tells of">{schedulePda === null ? 'all payrolls of the vault' : 'this payroll'}</Fact>
        <Fact name="Messages">{types.length === TYPES.length ? 'all' : types.join(', ')}</Fact>
        <Fact name="Amounts">{details === 'amounts' ? 'are said' : 'are not said'}</Fact>
      </Facts>
      {send !== undefined && (
        <>
          {state === 'unconfirmed' && <Code id={id} send={send} onChanged={onChanged} />}
          <p class="actions">
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${to}`}
              onClick={() =>
                onAsk({
                  name: 'Remove the notice',
                  effects: [`Sends nothing more to ${to}, and forgets it.`],
                  send: remove(send),
                })
              }
            >
              Remove
            </button>
          </p>
        </>
      )}
    </section>
  );
}

type CodeProps = { readonly id: string; readonly send: SignedSend; readonly onChanged: () => void };

function Code({ id, send, onChanged }: CodeProps) {
  const { isBusy, error, attempt } = useAttempt();
  const [code, setCode] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    attempt(async () => {
      await confirmNotice(send, id, code);
      onChanged();
    });
  };
  return (
    <form onSubmit={submit}>
      <label>
        Code in the e-mail
        <input
          type="text"
          required
          spellcheck={false}
          autocomplete="off"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          Confirm
        </button>
      </p>
      {error !== undefined && <ActionTrouble error={error} />}
    </form>
  );
}

type AddingProps = Doings & { readonly schedule: Address; readonly send: SignedSend };

function Adding({ schedule, send, onAsk, onChanged }: AddingProps) {
  const [to, setTo] = useState('');
  const [scope, setScope] = useState<'schedule' | 'vault'>('schedule');
  const [isFull, setFull] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const details = isFull ? 'amounts' : 'none';
    const wish: NoticeWish = { address: to.trim(), schedulePda: schedule, scope, details };
    const add = async () => {
      const { state } = await addNotice(send, wish);
      onChanged();
      setTo('');
      return (
        <Notice kind="good" title="Added.">
          {state === 'unconfirmed' && 'A code was sent there: enter it here within an hour.'}
        </Notice>
      );
    };
    onAsk({ name: 'Add e-mail or chat', effects: noticeEffects(wish), send: add });
  };
  return (
    <form onSubmit={submit}>
      <p class="fields">
        <label>
          E-mail address, or the https address of a chat’s webhook
          <input
            type="text"
            required
            spellcheck={false}
            autocomplete="off"
            placeholder="finance@example.com"
            value={to}
            onInput={(event) => setTo(event.currentTarget.value)}
          />
        </label>
        <label>
          Tells of
          <select value={scope} onChange={(event) => setScope(event.currentTarget.value as typeof scope)}>
            <option value="schedule">this payroll</option>
            <option value="vault">all payrolls of its vault</option>
          </select>
        </label>
      </p>
      <fieldset class="ways">
        <legend>Says what has happened</legend>
        <label class="way">
          <input type="checkbox" checked={isFull} onChange={() => setFull(!isFull)} />
          <span>and amounts, and which payroll: whoever carries the message can read them</span>
        </label>
      </fieldset>
      <p class="actions">
        <button type="submit" disabled={to.trim() === ''}>
          Add e-mail or chat
        </button>
      </p>
    </form>
  );
}
