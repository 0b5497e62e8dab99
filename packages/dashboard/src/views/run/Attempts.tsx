import { useState } from 'preact/hooks';
import type { Attempt } from '../../api/types.ts';
import { countText, shortAddress } from '../../format/amount.ts';
import { durationText } from '../../format/time.ts';
import { OUTCOME_WORDS, STAGE_WORDS } from '../../format/words.ts';
import { now } from '../../now.ts';
import { Copy } from '../../parts/Address.tsx';
import { Time } from '../../parts/Time.tsx';

const MARKS: Readonly<Record<Attempt['outcome'], string>> = {
  running: '◐',
  succeeded: '✓',
  retried: '↻',
  held: '‖',
  waiting: '◷',
  failed: '✕',
  cancelled: '−',
  interrupted: '⌁',
};

/** The newest tries that are shown at first: a run that was held for a week has thousands. */
const SHOWN = 20;

/** Every try, in order, in words. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, attempts.length - SHOWN);
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      {hidden > 0 && (
        <p>
          <button type="button" class="link" onClick={() => setWhole(true)}>
            Show {countText(hidden, 'earlier attempt')}
          </button>
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Outcome</th>
            <th scope="col">Started</th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col" class="wide">
              Transactions
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.slice(hidden).map((attempt) => (
            <tr key={`${attempt.stage}${attempt.number}`}>
              <td>
                {STAGE_WORDS[attempt.stage].name} <span class="faint">{attempt.number}</span>
              </td>
              <td>
                <span class={`outcome ${attempt.outcome}`}>
                  <span aria-hidden="true">{MARKS[attempt.outcome]}</span> {OUTCOME_WORDS[attempt.outcome]}
                </span>
                {attempt.errorCode !== null && (
                  <div class="small">
                    <code>{attempt.errorCode}</code> <span class="faint">{attempt.errorDetail}</span>
                  </div>
                )}
              </td>
              <td>
                <Time at={attempt.startedAt} as="local" />
              </td>
              <td class="number">{durationText((attempt.endedAt ?? now.value) - attempt.startedAt)}</td>
              <td class="wide">
                <Signatures attempt={attempt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The first of them by name; a claim may have hundreds. */
const NAMED = 2;

function Signatures({ attempt: { signatures } }: { readonly attempt: Attempt }) {
  if (signatures.length === 0) return <span class="faint">–</span>;
  return (
    <>
      {signatures.slice(0, NAMED).map((signature) => (
        <span key={signature} class="address">
          <code title={signature}>{shortAddress(signature)}</code>
          <Copy text={signature} what="signature" />
        </span>
      ))}
      {signatures.length > NAMED && (
        <span class="faint">and {(signatures.length - NAMED).toLocaleString('en')} more</span>
      )}
    </>
  );
}
