import '@payouts/pages/styles/tokens.css';
import '@payouts/pages/styles/base.css';
import '@payouts/pages/styles/parts.css';
import './styles/views.css';
import './styles/audit.css';
import { systemTime } from '@payouts/client/browser';
import { tick } from '@payouts/pages/now';
import { watchWallets } from '@payouts/pages/session/wallets';
import { PageTime } from '@payouts/pages/useTime';
import { render } from 'preact';
import { App } from './App.tsx';
import { follow } from './api/live.ts';

watchWallets();
tick(systemTime);
void follow(systemTime);
const root = document.querySelector('#app');
if (root !== null) {
  render(
    <PageTime.Provider value={systemTime}>
      <App />
    </PageTime.Provider>,
    root,
  );
}
