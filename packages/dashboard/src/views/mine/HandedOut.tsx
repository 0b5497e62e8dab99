import { Copy } from '@payouts/pages/parts/Address';
import { useState } from 'preact/hooks';
import type { Elsewhere } from '../../employer/sending.ts';
import { Effects } from './Effects.tsx';

type Props = {
  readonly out: Elsewhere;
  readonly effects: readonly string[];
  readonly onSigned: (signed: string) => void;
};

/** A transaction to be signed elsewhere, with what it does, and the place where it comes back. */
export function HandedOut({ out, effects, onSigned }: Props) {
  const [signed, setSigned] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    onSigned(signed);
  };
  return (
    <section class="carry" aria-label="Signed elsewhere">
      <Effects sentences={effects} />
      <p>Have this transaction signed where the key is, within a minute, and paste what comes back.</p>
      <p class="command">
        <code>{out.wire}</code> <Copy text={out.wire} what="the transaction" />
      </p>
      <form onSubmit={submit}>
        <label>
          The signed transaction
          <textarea
            rows={4}
            spellcheck={false}
            autocomplete="off"
            value={signed}
            onInput={(event) => setSigned(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="primary" disabled={signed.trim() === ''}>
            Send it
          </button>
        </p>
      </form>
    </section>
  );
}
