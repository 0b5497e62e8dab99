import type { TokenInfo } from '@payouts/employer';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import { type Draft, draft } from '../../employer/inviting.ts';
import type { OpenedPayroll, PayrollRules, RefusedFile } from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';
import { Rates } from './Rates.tsx';
import { ActionTrouble } from './Trouble.tsx';

type Props = {
  readonly desk: RemoteDesk;
  readonly token: TokenInfo;
  readonly vault: string;
  readonly onOpen: (payroll: OpenedPayroll | undefined, file: string) => void;
};

/** Opens a payroll file, and says line by line what is wrong with one that can't be taken. */
export function OpenPayroll({ desk, token, vault, onOpen }: Props) {
  const [refused, setRefused] = useState<RefusedFile>();
  const [error, setError] = useState<unknown>();
  const [file, setFile] = useState<File>();
  const [isBusy, setBusy] = useState(false);
  const [answers, setAnswers] = useState<Answers>({});
  const [currencies, setCurrencies] = useState<readonly string[]>([]);
  const open = async (chosen: File, given: Answers = {}) => {
    setBusy(true);
    setFile(chosen);
    setAnswers(given);
    if (chosen !== file) setCurrencies([]);
    setRefused(undefined);
    setError(undefined);
    onOpen(undefined, chosen.name);
    try {
      const refusedAddresses = new Map([
        [token.mint as string, "the token's mint"],
        [vault, 'your vault'],
      ]);
      const opened = await desk.open(chosen, { token, refused: refusedAddresses, ...given });
      // Those that have a rate may get another.
      setCurrencies((before) => [...new Set([...(chosen === file ? before : []), ...(opened.currencies ?? [])])]);
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
        accept=".csv,.tsv,.xlsx,.xml,text/csv,text/tab-separated-values"
        isBusy={isBusy}
        onFile={open}
      />
      {draft.value !== undefined && (
        <p class="actions">
          <button type="button" disabled={isBusy} onClick={() => draft.value && open(fileOf(draft.value))}>
            Open your draft
          </button>
          <span class="faint break">{draft.value.name}, with the addresses that you have taken</span>
        </p>
      )}
      {error !== undefined && <ActionTrouble error={error} />}
      {refused !== undefined && refused.sentences.length > 0 && file !== undefined && (
        <WrongFile refused={refused} file={file} onAnswer={(more) => open(file, merged(answers, more))} />
      )}
      {currencies.length > 0 && file !== undefined && (
        <Rates
          key={file}
          currencies={currencies}
          token={token.name}
          isBusy={isBusy}
          onGive={(rates) => open(file, { ...answers, ...rates })}
        />
      )}
    </>
  );
}

const fileOf = ({ name, content }: Draft): File => new File([content], name);

/** What somebody has said of a file that does not say it itself. */
type Answers = Pick<PayrollRules, 'style' | 'sheet' | 'map' | 'rates' | 'rateSource'>;

const merged = (known: Answers, more: Answers): Answers => ({ ...known, ...more, map: { ...known.map, ...more.map } });

type WrongProps = {
  readonly refused: RefusedFile;
  readonly file: File;
  readonly onAnswer: (answer: Answers) => void;
};

/** What is wrong with a file, or the question that it leaves open. */
function WrongFile({ refused: { sentences, question }, file, onAnswer }: WrongProps) {
  return (
    <Notice kind="bad" title={`${file.name} can’t be taken as it is.`}>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {question !== undefined && (
        <p class="actions">
          {question.choices.map((choice) => (
            <button key={choice} type="button" onClick={() => onAnswer(answerOf(question, choice))}>
              {question.option === 'style' ? STYLES[choice as keyof typeof STYLES] : choice}
            </button>
          ))}
        </p>
      )}
    </Notice>
  );
}

const STYLES = { point: '1,250 is more than a thousand', comma: '1,250 is one and a quarter' };

function answerOf(question: NonNullable<RefusedFile['question']>, choice: string): Answers {
  if (question.option === 'style') return { style: choice as keyof typeof STYLES };
  return question.option === 'sheet' ? { sheet: choice } : { map: { [question.column]: choice } };
}
