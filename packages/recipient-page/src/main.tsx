import '@payouts/pages/styles/tokens.css';
import '@payouts/pages/styles/base.css';
import '@payouts/pages/styles/parts.css';
import './styles/views.css';
import { systemTime } from '@payouts/client';
import { App } from './App.tsx';
import { start } from './start.tsx';

start(App, systemTime);
