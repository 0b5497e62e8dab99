import type { Family } from '../attack.ts';
import { access } from './access.ts';
import { bodies } from './bodies.ts';
import { http } from './http.ts';
import { idempotency } from './idempotency.ts';
import { invitations } from './invitations.ts';
import { limits } from './limits.ts';
import { notices } from './notices.ts';
import { origins } from './origins.ts';
import { paths } from './paths.ts';
import { privacy } from './privacy.ts';
import { rounds } from './rounds.ts';
import { sessions } from './sessions.ts';
import { signatures } from './signatures.ts';
import { webhooks } from './webhooks.ts';

export const FAMILIES: readonly Family[] = [
  origins,
  sessions,
  signatures,
  access,
  privacy,
  rounds,
  idempotency,
  bodies,
  http,
  paths,
  webhooks,
  notices,
  invitations,
  limits,
];
