import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/views.css';
import { systemTime } from '@payouts/client/browser';
import { render } from 'preact';
import { App } from './App.tsx';
import { follow } from './api/live.ts';
import { tick } from './now.ts';
import { watchWallets } from './session/wallets.ts';
import { PageTime } from './useTime.ts';

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
