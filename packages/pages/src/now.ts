import type { Time } from '@payouts/client/browser';
import { signal } from '@preact/signals';

/** Unix milliseconds, by this machine; everything that says how long ago something was ticks with it. */
export const now = signal(0);

/** Has `now` tick by this time. */
export function tick(time: Time): void {
  const look = () => {
    now.value = time.now();
  };
  look();
  time.every(1_000, () => {
    // A page in the background has nobody to tell.
    if (!document.hidden) look();
  });
  document.addEventListener('visibilitychange', look);
}
