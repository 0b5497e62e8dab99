import type { Time } from '@payouts/client';
import { tick } from '@payouts/pages/now';
import { watchWallets } from '@payouts/pages/session/wallets';
import { PageTime } from '@payouts/pages/useTime';
import { type ComponentType, render } from 'preact';

/** Shows a page, and has its files kept for when its server is gone. */
export function start(Page: ComponentType, time: Time): void {
  watchWallets();
  tick(time);
  const root = document.querySelector('#app');
  if (root !== null) {
    render(
      <PageTime.Provider value={time}>
        <Page />
      </PageTime.Provider>,
      root,
    );
  }
  // Not offered on pages without https; the page works without.
  void navigator.serviceWorker?.register('./worker.js').catch(() => undefined);
}
