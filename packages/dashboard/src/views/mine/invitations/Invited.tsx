import { forgedText, type ReadInvitation, wholeMinute } from '@payouts/employer';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { draft } from '../../../employer/inviting.ts';
import type { Doings } from './doings.ts';

/** Somebody who is invited, with each address that was given for them. */
export function Invited({ invitation, onTake, onForget }: { readonly invitation: ReadInvitation } & Doings) {
  const { id, name, expiresAt, answers, forged } = invitation;
  const isTaken = draft.value?.taken.has(name) === true;
  return (
    <article class="given" aria-labelledby={id}>
      <h3 id={id} class="break">
        {name}
      </h3>
      {answers.length > 1 && (
        <Notice
          kind="warn"
          title={`${answers.length} addresses were given: somebody else has the link. Ask ${name} which code is theirs.`}
        />
      )}
      {forged > 0 && <Notice kind="warn" title={forgedText(forged)} />}
      {answers.map((answer) => (
        <Facts key={answer.address}>
          <Fact name="Address">
            <code class="break">{answer.address}</code>
          </Fact>
          <Fact name="Code">
            <strong>{answer.check}</strong>
          </Fact>
          <Fact name="Given">
            <Time at={answer.answeredAt} as="local" />
          </Fact>
        </Facts>
      ))}
      <p class="actions">
        {answers.length > 0 && !isTaken && (
          <button type="button" aria-label={`Take the address of ${name}`} onClick={() => onTake(name)}>
            Take the address
          </button>
        )}
        {!isTaken && (
          <button
            type="button"
            class="quiet"
            aria-label={`Withdraw the invitation of ${name}`}
            onClick={() => onForget(name, 'Withdraw the invitation')}
          >
            Withdraw
          </button>
        )}
        <span class="faint">
          {isTaken ? 'In your draft. ' : answers.length === 0 && 'Not answered. '}
          Good until <Time at={wholeMinute(expiresAt)} as="local" />
        </span>
      </p>
    </article>
  );
}
