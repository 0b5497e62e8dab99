import type { SignedSend } from '@payouts/client';
import { addingEffects, addWebhook, publicJwk, type WebhookTypeName, type WebhookWish } from '@payouts/employer';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../../book/useAttempt.ts';
import { Change } from '../ChangeDialog.tsx';
import { ActionTrouble } from '../Trouble.tsx';
import { Secret } from './Secret.tsx';
import { TYPE_WORDS, TYPES } from './words.ts';

type Props = {
  readonly schedule: Address;
  readonly send: SignedSend;
  readonly isOpen: boolean;
  readonly onAdded: () => void;
  readonly onClose: () => void;
};

/** Adds a webhook: what is filled in, what will happen, and then its secret. */
export const AddWebhook = ({ isOpen, onClose, ...rest }: Props) => (
  <Dialog title="Add a webhook" isOpen={isOpen} onClose={onClose}>
    <Adding {...rest} />
  </Dialog>
);

/** What an employer fills in. */
type Fields = {
  readonly url: string;
  readonly scope: 'schedule' | 'vault';
  readonly types: ReadonlySet<WebhookTypeName>;
  readonly encryptionKey: object | undefined;
};

const EMPTY: Fields = { url: '', scope: 'schedule', types: new Set(TYPES), encryptionKey: undefined };

const wishOf = ({ url, scope, types, encryptionKey }: Fields): WebhookWish => ({
  url: url.trim(),
  scope,
  ...(types.size < TYPES.length && { types: [...types] }),
  ...(encryptionKey !== undefined && { encryptionKey }),
});

function Adding({ schedule, send, onAdded }: Omit<Props, 'isOpen' | 'onClose'>) {
  const [fields, setFields] = useState(EMPTY);
  const [wish, setWish] = useState<WebhookWish>();
  if (wish === undefined) {
    return <Form fields={fields} onChange={setFields} onSubmit={() => setWish(wishOf(fields))} />;
  }
  const add = async () => {
    const webhook = await addWebhook(send, schedule, wish);
    onAdded();
    return <Secret webhook={webhook} />;
  };
  return (
    <Change
      change={{ name: 'Add the webhook', effects: addingEffects(wish), send: add }}
      onBack={() => setWish(undefined)}
    />
  );
}

type FormProps = {
  readonly fields: Fields;
  readonly onChange: (fields: Fields) => void;
  readonly onSubmit: () => void;
};

/** What a button outside of it submits. */
const FORM = 'add-webhook';

function Form({ fields, onChange, onSubmit }: FormProps) {
  const { url, scope, types, encryptionKey } = fields;
  const set = (part: Partial<Fields>) => onChange({ ...fields, ...part });
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <>
      <form id={FORM} onSubmit={submit}>
        <label>
          Address of your receiver, https
          <input
            type="text"
            required
            spellcheck={false}
            autocomplete="off"
            placeholder="https://payroll.example.com/hooks/payouts"
            value={url}
            onInput={(event) => set({ url: event.currentTarget.value })}
          />
        </label>
        <label>
          Tells of
          <select value={scope} onChange={(event) => set({ scope: event.currentTarget.value as Fields['scope'] })}>
            <option value="schedule">this payroll</option>
            <option value="vault">all payrolls of its vault</option>
          </select>
        </label>
        <Types types={types} onChange={(changed) => set({ types: changed })} />
      </form>
      <KeyFile isGiven={encryptionKey !== undefined} onKey={(key) => set({ encryptionKey: key })} />
      <p class="actions">
        <button type="submit" form={FORM} class="primary" disabled={url.trim() === '' || types.size === 0}>
          See what will happen
        </button>
      </p>
    </>
  );
}

type TypesProps = {
  readonly types: Fields['types'];
  readonly onChange: (types: Fields['types']) => void;
};

function Types({ types, onChange }: TypesProps) {
  const turn = (type: WebhookTypeName) => {
    const changed = new Set(types);
    if (!changed.delete(type)) changed.add(type);
    onChange(changed);
  };
  return (
    <fieldset class="ways">
      <legend>Sends a message when</legend>
      {TYPES.map((type) => (
        <label key={type} class="way">
          <input type="checkbox" checked={types.has(type)} onChange={() => turn(type)} />
          <span>
            {TYPE_WORDS[type]} <code class="faint">{type}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type KeyProps = { readonly isGiven: boolean; readonly onKey: (key: object | undefined) => void };

/** A key for which unpaid recipients are named. */
function KeyFile({ isGiven, onKey }: KeyProps) {
  const { isBusy, error, attempt } = useAttempt();
  const open = (file: File) => attempt(async () => onKey(publicJwk(await file.text(), file.name)));
  return (
    <>
      {isGiven ? (
        <p>
          Unpaid recipients are named to the holder of the key.{' '}
          <button type="button" class="link" onClick={() => onKey(undefined)}>
            Leave the key out
          </button>
        </p>
      ) : (
        <>
          <p>Unpaid recipients are counted, not named, unless you give a public key (JWK) of whoever may know them.</p>
          <FileDrop label="Open a public key" accept=".jwk,.json,application/json" isBusy={isBusy} onFile={open} />
        </>
      )}
      {error !== undefined && <ActionTrouble error={error} />}
    </>
  );
}
