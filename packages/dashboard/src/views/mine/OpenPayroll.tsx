import type { TokenInfo } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import type { OpenedPayroll, PayrollRules, Refused } from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';
import { FileDrop } from './FileDrop.tsx';
import { ActionTrouble } from './Trouble.tsx';

type Props = {
  readonly desk: RemoteDesk;
  readonly token: TokenInfo;
  readonly vault: string;
  readonly onOpen: (payroll: OpenedPayroll | undefined, file: string) => void;
};

type Style = NonNullable<PayrollRules['style']>;

/** Opens a payroll file, and says line by line what is wrong with one that can't be taken. */
export function OpenPayroll({ desk, token, vault, onOpen }: Props) {
  const [refused, setRefused] = useState<Refused>();
  const [error, setError] = useState<unknown>();
  const [file, setFile] = useState<File>();
  const [isBusy, setBusy] = useState(false);
  const open = async (chosen: File, style?: Style) => {
    setBusy(true);
    setFile(chosen);
    setRefused(undefined);
    setError(undefined);
    onOpen(undefined, chosen.name);
    try {
      const refusedAddresses = new Map([
        [token.mint as string, "the token's mint"],
        [vault, 'your vault'],
      ]);
      const content = new Uint8Array(await chosen.arrayBuffer());
      const opened = await desk.open(content, { token, refused: refusedAddresses, style });
      if (opened.kind === 'payroll') onOpen(opened, chosen.name);
      else setRefused(opened);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <FileDrop
        label={file === undefined ? 'Open the payroll' : 'Open another file'}
        accept=".csv,.tsv,.xlsx,text/csv,text/tab-separated-values"
        isBusy={isBusy}
        onFile={open}
      />
      {error !== undefined && <ActionTrouble error={error} />}
      {refused !== undefined && file !== undefined && (
        <WrongFile refused={refused} file={file} onStyle={(style) => open(file, style)} />
      )}
    </>
  );
}

type WrongProps = { readonly refused: Refused; readonly file: File; readonly onStyle: (style: Style) => void };

function WrongFile({ refused, file, onStyle }: WrongProps) {
  const isAmbiguous = refused.sentences.some((sentence) => sentence.includes('--decimal'));
  return (
    <Notice kind="bad" title={`${file.name} can’t be taken as it is.`}>
      {isAmbiguous ? (
        <p class="actions">
          Its amounts can be read in two ways:
          <button type="button" onClick={() => onStyle('point')}>
            1,250 is more than a thousand
          </button>
          <button type="button" onClick={() => onStyle('comma')}>
            1,250 is one and a quarter
          </button>
        </p>
      ) : (
        <ul>
          {refused.sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
