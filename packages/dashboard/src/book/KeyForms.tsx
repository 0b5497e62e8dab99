import { signedIn, walletOfSession } from '@payouts/pages/session/session';
import { useState } from 'preact/hooks';
import { type BookKey, type Lock, newPassphraseKey, newWalletKey, passphraseKey, walletKey } from './bookKey.ts';
import { NamesError } from './namesError.ts';

type FormProps = {
  /** What its button says. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly onKey: (make: () => Promise<BookKey>) => void;
};

/** Asks what is to open names from now on: the session's wallet, or a passphrase. */
export function NewKeyForm({ action, isBusy, onKey }: FormProps) {
  const sign = walletOfSession();
  const [way, setWay] = useState<Lock['kind']>(sign === undefined ? 'passphrase' : 'wallet');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    onKey(async () => {
      if (way === 'wallet' && sign !== undefined) return newWalletKey(signedIn.value?.wallet ?? '', sign);
      if (passphrase === again) return newPassphraseKey(passphrase);
      throw new NamesError('NAMES_WRONG_PASSPHRASE', 'The two passphrases differ. Type them again.');
    });
  };
  return (
    <form onSubmit={submit}>
      {sign !== undefined && (
        <fieldset class="ways">
          <legend>Encrypt them with</legend>
          <Way
            name="Your wallet"
            says="It signs a text, and does so again whenever the names are opened. It is asked twice now."
            isChosen={way === 'wallet'}
            onChoose={() => setWay('wallet')}
          />
          <Way
            name="A passphrase"
            says="For a colleague with another wallet, and for the day on which a wallet is lost."
            isChosen={way === 'passphrase'}
            onChoose={() => setWay('passphrase')}
          />
        </fieldset>
      )}
      {way === 'passphrase' && (
        <>
          <Passphrase label="Passphrase" isNew value={passphrase} onInput={setPassphrase} />
          <Passphrase label="Passphrase, once more" isNew value={again} onInput={setAgain} />
          <p class="faint small">At least 12 characters. Nobody can tell it to you when it is forgotten.</p>
        </>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy && way === 'wallet' ? 'Confirm in your wallet …' : action}
      </button>
    </form>
  );
}

/** Asks for the key to what is locked already. */
export function KeyForm({ lock, action, isBusy, onKey }: FormProps & { readonly lock: Lock }) {
  const sign = walletOfSession();
  const [passphrase, setPassphrase] = useState('');
  if (lock.kind === 'wallet' && sign === undefined) {
    return <p>They were locked by your wallet: sign in with it in this browser to open them.</p>;
  }
  const submit = (event: Event) => {
    event.preventDefault();
    onKey(() => {
      if (lock.kind === 'passphrase') return passphraseKey(passphrase, lock);
      if (sign === undefined) throw new Error('No wallet is signed in.');
      return walletKey(signedIn.value?.wallet ?? '', sign);
    });
  };
  return (
    <form onSubmit={submit}>
      {lock.kind === 'passphrase' && <Passphrase label="Passphrase" value={passphrase} onInput={setPassphrase} />}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy && lock.kind === 'wallet' ? 'Confirm in your wallet …' : action}
      </button>
    </form>
  );
}

type WayProps = {
  readonly name: string;
  readonly says: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

const Way = ({ name, says, isChosen, onChoose }: WayProps) => (
  <label class="way">
    <input type="radio" name="way" checked={isChosen} onChange={onChoose} />
    <span>
      <b>{name}</b> <span class="faint">{says}</span>
    </span>
  </label>
);

type PassphraseProps = {
  readonly label: string;
  readonly isNew?: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

const Passphrase = ({ label, isNew = false, value, onInput }: PassphraseProps) => (
  <label>
    {label}
    <input
      type="password"
      required
      autocomplete={isNew ? 'new-password' : 'current-password'}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);
