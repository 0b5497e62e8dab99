import { Address } from '@payouts/pages/parts/Address';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { changePeople, people } from './book.ts';
import { NamesTrouble } from './NamesTrouble.tsx';
import { FIELDS, type Person, personOf, withPerson } from './people.ts';
import { useAttempt } from './useAttempt.ts';

const edited = signal<string | undefined>(undefined);

/** Opens the form for what is known of a recipient. */
export const editPerson = (address: string): void => {
  edited.value = address;
};
const close = (): void => {
  edited.value = undefined;
};

const WORDS: Readonly<Record<keyof Person, string>> = {
  name: 'Name',
  label: 'Label, such as a department',
  note: 'Note',
};

/** What is known of one recipient, to be changed. */
export function EditPerson() {
  // Whoever signs in next finds no form of whoever was there before.
  useEffect(() => close, []);
  const address = edited.value;
  return (
    <Dialog title="Name and label" isOpen={address !== undefined} onClose={close}>
      {address !== undefined && <Fields address={address} />}
    </Dialog>
  );
}

function Fields({ address }: { readonly address: string }) {
  const [person, setPerson] = useState(people.value.get(address) ?? personOf({}));
  const { isBusy, error, attempt } = useAttempt();
  const submit = (event: Event) => {
    event.preventDefault();
    attempt(() => changePeople((now) => withPerson(now, address, person)).then(close));
  };
  return (
    <form onSubmit={submit}>
      <p>
        For <Address address={address} />. It stays in this browser.
      </p>
      {FIELDS.map((field) => (
        <label key={field}>
          {WORDS[field]}
          <input
            type="text"
            autocomplete="off"
            value={person[field]}
            onInput={(event) => setPerson({ ...person, [field]: event.currentTarget.value })}
          />
        </label>
      ))}
      <NamesTrouble error={error} />
      <button type="submit" class="primary" disabled={isBusy}>
        Save
      </button>
    </form>
  );
}
