import { href } from '@payouts/pages/router';
import { storeChoice, storedChoice } from '@payouts/pages/storage';
import { signal } from '@preact/signals';
import { Lookup } from '../../parts/Lookup.tsx';
import { PublicAndPrivate } from '../About.tsx';

const isWelcomed = signal(storedChoice('welcomed') === 'yes');

type Props = {
  /** Shown whatever was put away. */
  readonly isOpen: boolean;
  /** Whether schedules are looked up here, because the page has no other place for it. */
  readonly hasLookup?: boolean;
};

/** What this is, on a first visit; whoever has read it puts it away. */
export function Welcome({ isOpen, hasLookup = true }: Props) {
  if (isWelcomed.value && !isOpen) return null;
  const putAway = () => {
    isWelcomed.value = true;
    storeChoice('welcomed', 'yes');
  };
  return (
    <section class="welcome" aria-labelledby="welcome">
      <h2 id="welcome">About this page</h2>
      <p>
        Employers lock recurring payrolls on a public ledger; this coordinator pays each one when it is due. Everybody
        may check that it does. Only the employer and each recipient see individual pay.
      </p>
      <PublicAndPrivate />
      {hasLookup && <Lookup label="Begin with a schedule: its address" />}
      <p class="actions">
        <a href={href('about')}>Read more</a>
        {!isOpen && (
          <button type="button" class="quiet" onClick={putAway}>
            Got it
          </button>
        )}
      </p>
    </section>
  );
}
