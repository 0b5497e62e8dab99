import { isAddressText, type Time } from '@payouts/client/browser';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import { type AuditGrant, type GrantWish, grantBody, grantsPath } from '@payouts/statements';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { PasteField } from '../../parts/PasteField.tsx';
import { sendAsWallet } from '../../session/sendAsWallet.ts';
import { connectedWallet } from '../../session/wallet.ts';
import { Window } from '../audit/WishForm.tsx';
import { SigningTrouble } from './SigningTrouble.tsx';

type Props = {
  readonly schedule: Address;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onGranted: () => void;
};

/** What an employer fills in. */
type Fields = {
  readonly auditor: string;
  readonly scope: 'totals' | 'recipients';
  readonly recipients: string;
  readonly from: string;
  readonly to: string;
  readonly until: string;
};

const EMPTY: Fields = { auditor: '', scope: 'totals', recipients: '', from: '', to: '', until: '' };

/** Grants an auditor something: the employer's wallet signs it. */
export function GrantForm({ schedule, isOpen, onClose, onGranted }: Props) {
  return (
    <Dialog title="Grant an auditor" isOpen={isOpen} onClose={onClose}>
      {connectedWallet.value === undefined ? (
        <p>
          A grant outlasts this session, so your key itself signs it. Sign in with a wallet of this browser, or run{' '}
          <code>payout audit grant</code> where the key is.
        </p>
      ) : (
        <Form schedule={schedule} onGranted={onGranted} />
      )}
    </Dialog>
  );
}

function Form({ schedule, onGranted }: Pick<Props, 'schedule' | 'onGranted'>) {
  const time = useTime();
  const [fields, setFields] = useState(EMPTY);
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (part: Partial<Fields>) => setFields((before) => ({ ...before, ...part }));
  const submit = (event: Event) => {
    event.preventDefault();
    const wallet = connectedWallet.value;
    const wish = wishOf(fields, time);
    setWrong(typeof wish === 'string' ? wish : undefined);
    if (wallet === undefined || typeof wish === 'string') return;
    setBusy(true);
    setError(undefined);
    sendAsWallet<AuditGrant>(wallet, time, 'POST', grantsPath(schedule), grantBody(wish))
      .then(onGranted, setError)
      .finally(() => setBusy(false));
  };
  return (
    <form onSubmit={submit}>
      <label>
        The auditor’s address
        <input
          type="text"
          required
          spellcheck={false}
          autocomplete="off"
          value={fields.auditor}
          onInput={(event) => set({ auditor: event.currentTarget.value })}
        />
      </label>
      <label>
        May read
        <select value={fields.scope} onChange={(event) => set({ scope: event.currentTarget.value as Fields['scope'] })}>
          <option value="totals">what each pay run paid in all, and nobody’s name or amount</option>
          <option value="recipients">what the recipients are paid that I name</option>
        </select>
      </label>
      {fields.scope === 'recipients' && (
        <PasteField
          label="Their addresses, one a line"
          value={fields.recipients}
          onInput={(recipients) => set({ recipients })}
        />
      )}
      <Window name="From window (empty: all from the first)" value={fields.from} onInput={(from) => set({ from })} />
      <Window name="To window (empty: all to come)" value={fields.to} onInput={(to) => set({ to })} />
      <label>
        Until the end of
        <input
          type="date"
          required
          value={fields.until}
          onInput={(event) => set({ until: event.currentTarget.value })}
        />
      </label>
      {wrong !== undefined && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
      {error !== undefined && <SigningTrouble error={error} what="Not granted" />}
      <Notice kind="info" title="Your wallet signs this one request.">
        You see each time that the auditor reads by it, and can revoke it here at any time.
      </Notice>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Confirm in your wallet …' : 'Grant'}
      </button>
    </form>
  );
}

/** What was filled in as a wish, or what is wrong with it. */
function wishOf({ auditor, scope, recipients, from, to, until }: Fields, time: Time): GrantWish | string {
  const named = scope === 'totals' ? [] : recipients.split(/[\s,;]+/).filter((word) => word !== '');
  // The last moment of that day, in the reader's time.
  const endsAt = new Date(`${until}T23:59:59.999`).getTime();
  if (!isAddressText(auditor.trim())) return 'The auditor’s address is none: base 58 of 32 bytes.';
  if (scope === 'recipients' && named.length === 0) return 'Name at least one recipient.';
  const other = named.find((word) => !isAddressText(word));
  if (other !== undefined) return `This is no address: ${other}`;
  if (Number.isNaN(endsAt) || endsAt <= time.now()) return 'Name a day to come.';
  return {
    auditor: auditor.trim() as Address,
    recipients: named.filter(isAddressText),
    fromWindow: from.trim() === '' ? undefined : BigInt(from.trim()),
    toWindow: to.trim() === '' ? undefined : BigInt(to.trim()),
    endsAt,
  };
}
