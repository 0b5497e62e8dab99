import { useState } from 'preact/hooks';
import { shortAddress } from '../format/amount.ts';
import { useTime } from '../useTime.ts';
import { Icon } from './Icon.tsx';

type Props = { readonly address: string; readonly to?: string; readonly copy?: boolean; readonly what?: string };

/** The ends of an address; whole in the title, and to be copied. With `to` it leads somewhere. */
export function Address({ address, to, copy = false, what = 'address' }: Props) {
  const text = (
    <code title={address}>
      <span aria-hidden="true">{shortAddress(address)}</span>
      <span class="hidden">{address}</span>
    </code>
  );
  return (
    <span class="address">
      {to === undefined ? text : <a href={to}>{text}</a>}
      {copy && <Copy text={address} what={what} />}
    </span>
  );
}

const SAID_MS = 1_500;

/** Puts a text into the clipboard and says so. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState('');
  const time = useTime();
  const copy = () => {
    const say = (sentence: string) => {
      setSaid(sentence);
      time.after(SAID_MS, () => setSaid(''));
    };
    // Not offered by browsers on pages without https.
    if (navigator.clipboard === undefined) return say('select it by hand');
    navigator.clipboard.writeText(text).then(
      () => say('copied'),
      () => say('not permitted'),
    );
  };
  return (
    <>
      <button type="button" class="icon" onClick={copy} aria-label={`Copy ${what}`} title={`Copy ${what}`}>
        <Icon path="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
      </button>
      <span class="faint small" role="status">
        {said}
      </span>
    </>
  );
}
