import { signal } from '@preact/signals';

/** Unix milliseconds, by this machine; everything that says how long ago something was ticks with it. */
export const now = signal(Date.now());

setInterval(() => {
  // A page in the background has nobody to tell.
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});
