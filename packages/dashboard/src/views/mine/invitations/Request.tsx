import type { ReadChange } from '@payouts/employer';
import { shortAddress } from '@payouts/pages/format/amount';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Time } from '@payouts/pages/parts/Time';
import { nameOf } from '../../../book/book.ts';
import { draft } from '../../../employer/inviting.ts';
import type { Doings } from './doings.ts';

/** A recipient who wants to be paid at another address; both keys have signed it. */
export function Request({ request, onTake, onForget }: { readonly request: ReadChange } & Doings) {
  const { id, present, next, check, askedAt } = request;
  const name = nameOf(present) ?? shortAddress(present);
  const isTaken = draft.value?.taken.has(present) === true;
  return (
    <article class="given" aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      <Facts>
        <Fact name="Paid now at">
          <code class="break">{present}</code>
        </Fact>
        <Fact name="New address">
          <code class="break">{next}</code>
        </Fact>
        <Fact name="Code">
          <strong>{check}</strong>
        </Fact>
        <Fact name="Asked">
          <Time at={askedAt} as="local" />
        </Fact>
      </Facts>
      <p class="actions">
        {isTaken ? (
          <span class="faint">In your draft.</span>
        ) : (
          <>
            <button type="button" aria-label={`Take the new address of ${name}`} onClick={() => onTake(present)}>
              Take the new address
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Refuse the new address of ${name}`}
              onClick={() => onForget(present, 'Refuse the request')}
            >
              Refuse
            </button>
          </>
        )}
      </p>
    </article>
  );
}
