import { durationText } from '@payouts/pages/format/time';
import { now } from '@payouts/pages/now';
import { type Attempt, type RunDetail, STAGES } from '../../api/types.ts';
import { outcomeText, STAGE_WORDS } from '../../format/words.ts';
import { ticksOf } from './axis.ts';

/** Of the width, in per cent. */
const LEAST_WIDTH = 0.6;

/** The stages on one line of time: a lane each, a bar for every try. The table below says the same in words. */
export function StageLine({ run }: { readonly run: RunDetail }) {
  const { attempts } = run;
  const begun = Math.min(...attempts.map(({ startedAt }) => startedAt));
  // The ledger's clock may be ahead of the service's.
  const from = Math.min(run.dueAt ?? begun, begun);
  const last = Math.max(...attempts.map(({ endedAt }) => endedAt ?? now.value));
  if (attempts.length === 0) return <p class="faint">No stage has been tried yet.</p>;
  const length = Math.max(last - from, 1);
  const at = (moment: number) => ((moment - from) / length) * 100;
  const bar = ({ startedAt, endedAt }: Attempt) => ({
    left: `${Math.min(at(startedAt), 100 - LEAST_WIDTH)}%`,
    width: `${Math.max(LEAST_WIDTH, at(endedAt ?? now.value) - at(startedAt))}%`,
  });
  return (
    <figure class="stages" aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      <div class="lanes" aria-hidden="true">
        {STAGES.map((stage) => (
          <div key={stage} class="lane">
            <span class="name">{STAGE_WORDS[stage].name}</span>
            <span class="track">
              {attempts
                .filter((attempt) => attempt.stage === stage)
                .map((attempt) => (
                  <i
                    key={attempt.number}
                    class={`bar ${attempt.outcome}`}
                    style={bar(attempt)}
                    title={`${STAGE_WORDS[stage].name} ${attempt.number}: ${outcomeText(attempt.outcome)}`}
                  />
                ))}
            </span>
          </div>
        ))}
        <div class="lane axis">
          <span class="name">{from === run.dueAt ? 'after due' : 'after the start'}</span>
          <span class="track">
            {ticksOf(length).map((tick) => (
              <span key={tick} class="tick" style={{ left: `${(tick / length) * 100}%` }}>
                {tick === 0 ? '0' : durationText(tick)}
              </span>
            ))}
          </span>
        </div>
      </div>
      <figcaption>
        {STAGES.map((stage) => `${STAGE_WORDS[stage].name}: ${STAGE_WORDS[stage].meaning}`).join(' ')}
      </figcaption>
    </figure>
  );
}
