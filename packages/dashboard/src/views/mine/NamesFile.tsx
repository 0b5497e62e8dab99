import { countText } from '@payouts/pages/format/amount';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import { forgetNames, names } from './names.ts';

/** Whoever opens no file loads nothing that reads one. */
async function read(file: File): Promise<void> {
  const { readNames } = await import('@payouts/payroll');
  names.value = await readNames(new Uint8Array(await file.arrayBuffer()));
}

/** The employer's own file, for names: the coordinator has none. It is read here and sent nowhere. */
export function NamesFile({ addresses }: { readonly addresses: readonly string[] }) {
  const [error, setError] = useState('');
  const open = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file === undefined) return;
    setError('');
    read(file).catch((reason: Error) => setError(reason.message));
    // The same file may be opened again after it was corrected.
    input.value = '';
  };
  const known = addresses.filter((address) => names.value.has(address)).length;
  return (
    <div class="names">
      <label class="button file">
        Open your payroll CSV for names
        <input
          class="hidden"
          type="file"
          accept=".csv,.tsv,text/csv,text/tab-separated-values"
          onChange={(event) => open(event.currentTarget)}
        />
      </label>
      {names.value.size > 0 ? (
        <p role="status">
          {countText(known, 'name')} for {countText(addresses.length, 'entry', 'entries')}.{' '}
          <button type="button" class="link" onClick={forgetNames}>
            Forget the names
          </button>
        </p>
      ) : (
        <p class="faint">The coordinator knows no names. Your file is read in this tab and sent nowhere.</p>
      )}
      {error !== '' && (
        <Notice kind="bad" title="No names were read.">
          {error}
        </Notice>
      )}
    </div>
  );
}
