import { go, href } from '@payouts/pages/router';
import { useId, useState } from 'preact/hooks';

/** Base 58 of 32 bytes has 32 to 44 characters. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Finds a schedule by its address. */
export function Lookup({ label = 'Schedule’s address' }: { readonly label?: string }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    const address = text.trim();
    if (ADDRESS.test(address)) go(href(`schedules/${address}`));
    else setWrong(true);
  };
  return (
    <search>
      <form class="lookup" onSubmit={submit}>
        <label for={id}>{label}</label>
        <div class="row">
          <input
            id={id}
            data-search
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder="7YttLkHD…"
            value={text}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? `${id}-wrong` : undefined}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setWrong(false);
            }}
          />
          <button type="submit">Look up</button>
        </div>
        {isWrong && (
          <p id={`${id}-wrong`} class="wrong" role="alert">
            This is no address: 32 to 44 letters and digits, without 0, O, I and l. The employer’s command{' '}
            <code>payout schedule list</code> shows it.
          </p>
        )}
      </form>
    </search>
  );
}
