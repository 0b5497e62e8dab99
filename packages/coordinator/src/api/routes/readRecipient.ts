import type { Static } from 'typebox';
import { Problem } from '../../domain/problems.ts';
import { scheduleAddress } from '../address.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { entryView } from '../entryView.ts';
import type { Api } from '../httpServer.ts';
import { entriesOf, type OwnEntries } from '../ownEntries.ts';
import {
  checkPermitted,
  isEmployer,
  notPermitted,
  type PrivateReadsInput,
  privateProblems,
  registeredSchedule,
} from '../privateReads.ts';
import { RECIPIENT_EXAMPLE, RecipientParams, RecipientView, SignatureHeaders } from '../privateSchemas.ts';
import { readReceipts } from '../receipts.ts';
import { signerOf } from '../signatures/signer.ts';
import { WindowPageQuery, windowPage } from '../windowPage.ts';

const schema = {
  operationId: 'readRecipient',
  tags: ['private'],
  summary: "A recipient's entry, proof and receipts",
  description:
    'What one recipient is promised and what settled windows paid. Signed by that recipient, by the employer, or by an auditor with a ' +
    'grant that names the recipient; anybody else is refused in the same words, whether the address is in the list or not.',
  security: [{ httpSignature: [] }],
  headers: SignatureHeaders,
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
  app.get(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const address = scheduleAddress(request.params.schedulePda);
    const signer = await signerOf(request, reply, input);
    const subject = request.params.address === 'me' ? signer : scheduleAddress(request.params.address);
    const schedule = await registeredSchedule(input, address);
    if (subject !== signer) {
      const use = { schedule: address, signer, kind: 'recipient', recipient: subject } as const;
      await checkPermitted(input, schedule, use);
    }
    const own = await entriesOf(input, schedule, subject);
    if (own.length === 0) {
      if (!(await isEmployer(input, schedule, signer))) throw notPermitted();
      throw new Problem('recipient-not-found', 'No list of this schedule has the recipient.');
    }
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
