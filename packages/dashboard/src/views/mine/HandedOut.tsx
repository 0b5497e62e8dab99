import { Copy } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { useEffect, useState } from 'preact/hooks';
import type { Elsewhere } from '../../employer/sending.ts';
import { PasteField } from '../../parts/PasteField.tsx';
import { Effects } from './Effects.tsx';

type Props = {
  readonly out: Elsewhere;
  readonly effects: readonly string[];
  /** Who signs it last and sends it; undefined: whoever has the key, and it comes back. */
  readonly coSigner: string | undefined;
  readonly onSigned: (signed: string) => void;
  readonly onArrived: () => void;
};

const MISSED = {
  late: 'It was not sent in time, and nothing has changed. Close this, and begin again.',
  failed: 'The ledger refused it, and nothing has changed. Close this, and begin again.',
};

/** A transaction to be signed elsewhere, with what it does, and the place where it comes back. */
export function HandedOut({ out, effects, coSigner, onSigned, onArrived }: Props) {
  const [signed, setSigned] = useState('');
  const [missed, setMissed] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    const follow = async () => {
      const end = await out.arrival(controller.signal);
      if (end === 'landed') onArrived();
      else if (end !== 'left') setMissed(MISSED[end]);
    };
    // Where the ledger can't be asked, it is still pasted back.
    if (coSigner !== undefined) follow().catch(() => {});
    return () => controller.abort();
  }, [out]);
  const submit = (event: Event) => {
    event.preventDefault();
    onSigned(signed);
  };
  return (
    <section class="carry" aria-label="Signed elsewhere">
      <Effects sentences={effects} />
      {coSigner === undefined ? (
        <p>Have this transaction signed where the key is, within a minute, and paste what comes back.</p>
      ) : (
        <p>
          Give this transaction to <code class="break">{coSigner}</code>, who signs and sends it within a minute: on
          this page, under <b>My payrolls</b>, <b>Approve a withdrawal</b>. Or paste it here once they have signed it.
        </p>
      )}
      {missed !== '' && <Notice kind="bad" title={missed} />}
      <p class="command">
        <code>{out.wire}</code> <Copy text={out.wire} what="the transaction" />
      </p>
      <form onSubmit={submit}>
        <PasteField label="The signed transaction" value={signed} onInput={setSigned} />
        <p class="actions">
          <button type="submit" class="primary" disabled={signed.trim() === ''}>
            Send it
          </button>
        </p>
      </form>
    </section>
  );
}
