import { millisOf } from '@payouts/client';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { type OperatorsInput, signerProblems } from '../dashboard/access.ts';
import { SESSION_EXAMPLE, SessionView } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { sessionOf, signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'readSession',
  summary: 'For whom a request is signed',
  description: "The key that signs, or the wallet whose session does, and whether it is an operator's.",
  response: { ...signerProblems(), 200: json('The signer', SessionView, SESSION_EXAMPLE, LIMIT_FIELDS) },
};

/** GET /api/session */
export function readSessionRoute(app: Api, input: OperatorsInput): void {
  app.get('/api/session', { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const wallet = await signerOf(request, reply, input);
    const session = sessionOf(request);
    return {
      wallet,
      isOperator: input.dashboard.operators.includes(wallet),
      expiresAt: session === undefined ? null : millisOf(session.expires),
    };
  });
}
