import { countText } from '@payouts/pages/format/amount';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { saveFile } from '@payouts/pages/saveFile';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  bookFile,
  bookTrouble,
  forgetPeople,
  isClosed,
  isOpen,
  keepBook,
  keptBehind,
  openBook,
  people,
  removeBook,
  takePeople,
} from './book.ts';
import type { BookKey } from './bookKey.ts';
import { KeyForm, NewKeyForm } from './KeyForms.tsx';
import { NamesQuestions } from './NamesQuestions.tsx';
import { NamesTrouble } from './NamesTrouble.tsx';
import { isSealedBook, openSealed, readSealed, type SealedBook } from './sealedBook.ts';
import { useAttempt } from './useAttempt.ts';

type Asked = 'keep' | 'open' | 'save' | 'remove' | SealedBook;

const asked = signal<Asked | undefined>(undefined);
const ask = (what: Asked) => () => {
  asked.value = what;
};
const close = (): void => {
  asked.value = undefined;
};

/** The employer's own names for these addresses: the coordinator has none. They are read here and sent nowhere. */
export function NamesPanel({ addresses }: { readonly addresses: readonly string[] }) {
  // A question that was open belongs to the session that asked it.
  useEffect(() => close, []);
  return (
    <div class="names">
      {isClosed.value ? <Closed /> : <Known addresses={addresses} />}
      <NamesTrouble error={bookTrouble.value} />
      <NamesQuestions />
      <AskedDialog />
    </div>
  );
}

const Closed = () => (
  <>
    <p class="actions">
      <button type="button" onClick={ask('open')}>
        Open your names
      </button>
      <button type="button" class="link" onClick={ask('remove')}>
        Remove them from this browser
      </button>
    </p>
    <p class="faint">This browser keeps names for this wallet, encrypted.</p>
  </>
);

function Known({ addresses }: { readonly addresses: readonly string[] }) {
  const { isBusy, error, attempt } = useAttempt();
  const known = addresses.filter((address) => people.value.has(address)).length;
  return (
    <>
      <label class="button file">
        {isBusy ? 'Reading …' : 'Read names from a file'}
        <input
          class="hidden"
          type="file"
          disabled={isBusy}
          accept=".csv,.tsv,.xlsx,.xml,.names,text/csv,text/tab-separated-values"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) attempt(() => readFile(file));
            // The same file may be read again after it was corrected.
            currentTarget.value = '';
          }}
        />
      </label>
      {people.value.size === 0 ? (
        <p class="faint">
          The coordinator knows no names. Your payroll, or names that you have saved, are read in this tab and sent
          nowhere.
        </p>
      ) : (
        <p role="status">
          {countText(known, 'name')} for {countText(addresses.length, 'entry', 'entries')}
          {isOpen.value ? ', kept in this browser, encrypted.' : ', in this tab only.'} <Doings />
        </p>
      )}
      <NamesTrouble error={error} />
    </>
  );
}

/** What can be done with names that are known. */
const Doings = () => (
  <span class="doings">
    {!isOpen.value && (
      <button type="button" class="link" onClick={ask('keep')}>
        Keep them in this browser
      </button>
    )}
    <button type="button" class="link" onClick={ask('save')}>
      Save them to a file
    </button>
    {isOpen.value ? (
      <button type="button" class="link" onClick={ask('remove')}>
        Remove them from this browser
      </button>
    ) : (
      <button type="button" class="link" onClick={forgetPeople}>
        Forget the names
      </button>
    )}
  </span>
);

/** A payroll, or names that were saved; the latter asks for their key first. */
async function readFile(file: File): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isSealedBook(bytes)) {
    asked.value = await readSealed(bytes);
    return;
  }
  // Whoever reads no payroll loads nothing that reads one.
  const { readNames } = await import('@payouts/payroll');
  await takePeople(await readNames(bytes));
}

const TITLES = {
  keep: 'Keep names in this browser',
  open: 'Open your names',
  save: 'Save names to a file',
  remove: 'Remove the names from this browser?',
} as const;

function AskedDialog() {
  const what = asked.value;
  const title = typeof what === 'string' ? TITLES[what] : 'Read saved names';
  return (
    <Dialog title={title} isOpen={what !== undefined} onClose={close}>
      {what !== undefined && <AskedForm what={what} />}
    </Dialog>
  );
}

function AskedForm({ what }: { readonly what: Asked }) {
  const { isBusy, error, attempt } = useAttempt();
  const withKey = (use: (key: BookKey) => Promise<unknown>) => (make: () => Promise<BookKey>) =>
    attempt(async () => {
      await use(await make());
      close();
    });
  const fileWith = async (key: BookKey) => saveFile('payouts.names', await bookFile(key));
  return (
    <>
      {what === 'keep' && (
        <>
          <p>They are encrypted before they are written. Signing out closes them, in every tab.</p>
          <NewKeyForm action="Keep" isBusy={isBusy} onKey={withKey(keepBook)} />
        </>
      )}
      {what === 'open' && keptBehind.value !== undefined && (
        <KeyForm lock={keptBehind.value} action="Open" isBusy={isBusy} onKey={withKey(openBook)} />
      )}
      {what === 'save' && (
        <>
          <p>The file is encrypted, too. It opens on any coordinator’s page.</p>
          <NewKeyForm action="Save" isBusy={isBusy} onKey={withKey(fileWith)} />
        </>
      )}
      {what === 'remove' && (
        <>
          <p>Whoever has no file of them loses them. What is paid to whom does not change.</p>
          <button type="button" class="primary" onClick={() => attempt(() => removeBook().then(close))}>
            Remove them
          </button>
        </>
      )}
      {typeof what === 'object' && (
        <KeyForm
          lock={what.lock}
          action="Read"
          isBusy={isBusy}
          onKey={withKey(async (key) => takePeople([...(await openSealed(what, key))]))}
        />
      )}
      <NamesTrouble error={error} />
    </>
  );
}
