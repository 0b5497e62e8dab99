import '@payouts/pages/styles/tokens.css';
import '@payouts/pages/styles/base.css';
import '@payouts/pages/styles/parts.css';
import './styles/views.css';
import { systemTime } from '@payouts/client';
import { Redeem } from './redeem/Redeem.tsx';
import { start } from './start.tsx';

start(Redeem, systemTime);
