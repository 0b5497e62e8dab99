import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { useState } from 'preact/hooks';
import { answerQuestions, questions } from './book.ts';
import { NamesTrouble } from './NamesTrouble.tsx';
import type { NameQuestion } from './people.ts';
import { useAttempt } from './useAttempt.ts';

const SHOWN = 100;

/** Asks, once for all, what is right where a file contradicts what is known. Closing it keeps what is known. */
export function NamesQuestions() {
  const close = () => void answerQuestions([]);
  return (
    <Dialog title="What is right?" isOpen={questions.value.length > 0} onClose={close}>
      <Answers asked={questions.value} />
    </Dialog>
  );
}

function Answers({ asked }: { readonly asked: readonly NameQuestion[] }) {
  const [taken, setTaken] = useState<ReadonlySet<NameQuestion>>(new Set());
  const { isBusy, error, attempt } = useAttempt();
  const toggle = (question: NameQuestion) => {
    const next = new Set(taken);
    if (!next.delete(question)) next.add(question);
    setTaken(next);
  };
  const columns: readonly Column<NameQuestion>[] = [
    { name: 'Address', show: ({ address }) => <Address address={address} /> },
    { name: 'Known', show: ({ kept }) => kept },
    {
      name: 'In the file',
      show: (question) => (
        <label class="check">
          <input type="checkbox" checked={taken.has(question)} onChange={() => toggle(question)} /> {question.read}
        </label>
      ),
    },
  ];
  return (
    <>
      <p>
        {countText(asked.length, 'entry', 'entries')} of the file {asked.length === 1 ? 'says' : 'say'} something else
        than is known here. Tick those where the file is right.
      </p>
      <NamesTrouble error={error} />
      <Table rows={asked.slice(0, SHOWN)} columns={columns} keyOf={({ address, field }) => `${address} ${field}`} />
      {asked.length > SHOWN && <p class="faint">And {countText(asked.length - SHOWN, 'more', 'more')}.</p>}
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => attempt(() => answerQuestions([...taken]))}
        >
          {taken.size === 0 ? 'Keep what is known' : `Take ${countText(taken.size, 'entry', 'entries')}`}
        </button>
        <button type="button" disabled={isBusy} onClick={() => attempt(() => answerQuestions(asked))}>
          Take all from the file
        </button>
      </p>
    </>
  );
}
