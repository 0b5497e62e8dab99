import type { Static } from 'typebox';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { entryView } from '../entryView.ts';
import type { Api } from '../httpServer.ts';
import type { OwnEntries } from '../ownEntries.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { RECIPIENT_EXAMPLE, RecipientParams, RecipientView } from '../privateSchemas.ts';
import { readReceipts } from '../receipts.ts';
import { recipientRequest, SIGNED } from '../scheduleRequest.ts';
import { WindowPageQuery, windowPage } from '../windowPage.ts';

const schema = {
  ...SIGNED,
  operationId: 'readRecipient',
  summary: "A recipient's entry, proof and receipts",
  description:
    'What one recipient is promised and what settled windows paid. Signed by that recipient, by the employer, or by an auditor with a ' +
    'grant that names the recipient; anybody else is refused in the same words, whether the address is in the list or not.',
  params: RecipientParams,
  querystring: WindowPageQuery,
  response: {
    ...privateProblems('recipient-not-found'),
    200: json('Their entries and receipts', RecipientView, RECIPIENT_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/recipients/:address */
export function readRecipientRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/recipients/:address';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, schedule, subject, own } = await recipientRequest(request, reply, input, { kind: 'recipient' });
    const receipts = await readReceipts(input, own, windowPage(request.query));
    return {
      schedulePda: address,
      recipient: subject,
      root: schedule.root,
      rootVersion: schedule.root_version,
      recipients: schedule.recipients,
      entries: await withProofs(
        input,
        own.find(({ list }) => list.root === schedule.root),
      ),
      ...receipts,
    };
  });
}

async function withProofs(
  { proofs }: PrivateReadsInput,
  own: OwnEntries | undefined,
): Promise<Static<typeof RecipientView>['entries']> {
  const views: Static<typeof RecipientView>['entries'] = [];
  if (own === undefined) return views;
  for (const entry of own.entries) {
    const [proof = []] = await proofs.of(own.list, entry.index, 1);
    views.push(entryView(entry, proof));
  }
  return views;
}
