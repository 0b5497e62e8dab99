import { type LiabilityProof, proofFileToJson } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { RecordedTrees } from '../../liabilities/recordedTrees.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { ownBalances } from '../recipients/balances.ts';
import { type OwnInput, ownerOf, ownProblems } from '../recipients/own.ts';
import { OwnParams, PROOFS_EXAMPLE, ProofsView } from '../recipients/schemas.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'readProofs',
  tags: ['recipients'],
  summary: 'What proves what a recipient is owed',
  description:
    'Of each of their balances, and of its withdrawals under way, as the base ledger recorded them last: if the execution layer is lost, the ' +
    'recipient is paid by it from the pool. Good until the next recording; to be kept by the recipient. Signed by that recipient.',
  params: OwnParams,
  response: {
    ...ownProblems('invalid-query', 'ledger-unavailable'),
    200: json('Their proofs', ProofsView, PROOFS_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/recipients/:address/proofs */
export function readProofsRoute(app: Api, input: OwnInput): void {
  const trees = new RecordedTrees(input);
  const path = '/api/recipients/:address/proofs';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const recipient = await ownerOf(request, reply, input);
    const own = await ownBalances(input, recipient, await input.recipients.entriesOf(recipient));
    const found = new Map<Address, Map<Address, LiabilityProof[]>>();
    for (const mint of new Set(own.map((each) => each.mint))) {
      const wanted = new Map(own.flatMap((each) => (each.mint === mint ? [[each.address, each.place]] : [])));
      found.set(mint, await trees.proofs(mint, wanted));
    }
    const view = proofFileToJson(
      own.flatMap(({ address, mint, salt, delivery }) => {
        const proofs = found.get(mint)?.get(address) ?? [];
        return proofs.length === 0 ? [] : [{ recipient, salt, delivery, proofs }];
      }),
    );
    return view as Static<typeof ProofsView>;
  });
}
