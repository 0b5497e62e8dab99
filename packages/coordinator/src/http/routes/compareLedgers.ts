import { timeoutSignal } from '@payouts/client';
import { Problem } from '../../domain/problems.ts';
import { resultJson } from '../../reconciliation/compareAll.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import { OPERATED, operatorOf, viewProblems } from '../dashboard/access.ts';
import type { DashboardInput } from '../dashboard/input.ts';
import { COMPARISON_EXAMPLE, ComparisonBody, ComparisonView, MAX_DIFFERENCES } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';

/** Milliseconds after which a comparison is ended behind the step under way: whoever asked waits for it. */
const ENOUGH_MS = 15_000;
/** Seconds after which one that is under way may be over. */
const RETRY_AFTER = 20;

const schema = {
  ...OPERATED,
  operationId: 'compareLedgers',
  summary: 'Compares the database with both ledgers',
  description:
    'What `reconcile` does, for 15 s: with `fix`, the database is brought to what the base ledger says. One at a time in each process. ' +
    'Signed by an operator; the signature also covers `content-digest`.',
  body: ComparisonBody,
  response: {
    ...viewProblems(...BODY_CODES, 'concurrency-limited', 'ledger-unavailable', 'key-service-unavailable'),
    200: json('What was found', ComparisonView, COMPARISON_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/reconcile */
export function compareLedgersRoute(app: Api, input: DashboardInput): void {
  let isUnderWay = false;
  app.post('/api/reconcile', { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const operator = await operatorOf(request, reply, input);
    const { fix } = request.body;
    if (isUnderWay) {
      reply.header('retry-after', RETRY_AFTER);
      throw new Problem('concurrency-limited', 'A comparison is under way in this process; ask again in a moment.');
    }
    isUnderWay = true;
    try {
      const found = await input.dashboard.compare(fix, timeoutSignal(input.time, ENOUGH_MS));
      const [healed, remaining] = [found.healed.length, found.remaining.length];
      input.log.info({ operator, count: remaining }, 'an operator has compared the database with the ledgers');
      const { differences, ...view } = resultJson(found);
      return {
        ...view,
        isComplete: found.isComplete,
        healed,
        remaining,
        differences: differences.slice(0, MAX_DIFFERENCES),
      };
    } finally {
      isUnderWay = false;
    }
  });
}
