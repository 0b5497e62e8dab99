import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { balanceViews, ownBalances } from '../recipients/balances.ts';
import { type OwnInput, ownerOf, ownProblems } from '../recipients/own.ts';
import { BALANCES_EXAMPLE, BalancesView, OwnParams } from '../recipients/schemas.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'readBalances',
  tags: ['recipients'],
  summary: "A recipient's private balances",
  description:
    'What is theirs in the execution layer, over all registered lists in which they stand, with the withdrawal that is under way and ' +
    'the standing order; and what a transaction of theirs is built with. Signed by that recipient: nobody else is shown it, the ' +
    'employer neither.',
  params: OwnParams,
  response: {
    ...ownProblems('invalid-query', 'ledger-unavailable', 'layer-unavailable'),
    200: json('Their balances', BalancesView, BALANCES_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/recipients/:address/balances */
export function readBalancesRoute(app: Api, input: OwnInput): void {
  const path = '/api/recipients/:address/balances';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const recipient = await ownerOf(request, reply, input);
    const entries = await input.recipients.entriesOf(recipient);
    const own = await ownBalances(input, recipient, entries);
    const { blockhash, lastValidBlockHeight } = await input.layer.lifetime();
    return {
      recipient,
      program: input.program,
      executionAuthority: input.issuer.address,
      isPrivate: await input.permissions.areThere(),
      blockhash,
      lastValidBlockHeight: lastValidBlockHeight.toString(),
      balances: await balanceViews(input, own),
    };
  });
}
