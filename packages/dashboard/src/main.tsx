import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/views.css';
import { render } from 'preact';
import { App } from './App.tsx';
import { follow } from './api/live.ts';
import { watchWallets } from './session/wallets.ts';

watchWallets();
void follow();
const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
