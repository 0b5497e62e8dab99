import { Type } from 'typebox';
import { Problem } from '../../domain/problems.ts';
import { findList, readPage } from '../../store/queries/lists.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { entryView } from '../entryView.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { RECIPIENTS_EXAMPLE, RecipientsPage } from '../privateSchemas.ts';
import { SIGNED, viewerRequest } from '../scheduleRequest.ts';
import { Closed, OneOf, PageCursor } from '../schemaParts.ts';
import { ScheduleParams } from '../schemas.ts';

const PAGE = 1_000;
/** With proofs a page is seven times as large; writing 5,000 of them would hold everybody else up. */
const PAGE_WITH_PROOFS = 1_000;

/** A page's end: the root that the list has, and the next index. */
const CURSOR = '^r[0-9a-f]{64}-[0-9]{1,5}$';
const cursorAt = (root: string, index: number): string => `r${root}-${index}`;

const schema = {
  ...SIGNED,
  operationId: 'readRecipients',
  summary: "A schedule's list, for its employer",
  description:
    'Pages of the list that the current root was built from, in order of index; with `proofs=true`, a proof for each entry. Signed by ' +
    'the employer: the owner of the vault.',
  params: ScheduleParams,
  querystring: Closed({
    cursor: PageCursor(CURSOR, RECIPIENTS_EXAMPLE.nextCursor),
    limit: Type.Optional(
      Type.String({
        pattern: '^(5000|[1-4][0-9]{3}|[1-9][0-9]{0,2})$',
        description: `Entries on a page: 1 to 5000; ${PAGE} if not given, and ${PAGE_WITH_PROOFS} at most with proofs`,
        examples: ['1000'],
      }),
    ),
    proofs: Type.Optional(OneOf(['true', 'false'], 'Whether each entry comes with its proof')),
  }),
  response: {
    ...privateProblems('list-not-found', 'list-replaced'),
    200: json('A page of entries', RecipientsPage, RECIPIENTS_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/recipients */
export function readRecipientsRoute(app: Api, input: PrivateReadsInput): void {
  const { database, payloadKeys, proofs } = input;
  const path = '/api/schedules/:schedulePda/recipients';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, schedule } = await viewerRequest(request, reply, input);
    const list = await findList(database, address, schedule.root);
    if (list === undefined) {
      throw new Problem('list-not-found', "The list of the schedule's current root is not registered here.");
    }
    const { cursor, limit: asked } = request.query;
    const withProofs = request.query.proofs === 'true';
    const limit = Math.min(asked === undefined ? PAGE : Number(asked), withProofs ? PAGE_WITH_PROOFS : Infinity);
    const first = cursor === undefined ? 0 : indexOfCursor(cursor, list.root);
    const page = await readPage(database, list, payloadKeys, first, limit);
    const pageProofs = withProofs ? await proofs.of(list, first, page.length) : [];
    const next = first + page.length;
    return {
      schedulePda: address,
      root: list.root,
      rootVersion: schedule.root_version,
      total: list.recipients,
      recipients: page.map((entry, place) => {
        const { proof, ...view } = entryView(entry, pageProofs[place] ?? []);
        return { ...view, recipient: entry.recipient, ...(withProofs ? { proof } : {}) };
      }),
      nextCursor: next < list.recipients ? cursorAt(list.root, next) : null,
    };
  });
}

/** The index that a cursor stands for. Throws `list-replaced` for one of another list. */
function indexOfCursor(cursor: string, root: string): number {
  const [itsRoot, index] = cursor.slice(1).split('-') as [string, string];
  if (itsRoot === root) return Number(index);
  throw new Problem('list-replaced', 'The list was replaced since the page before: begin again without a cursor.');
}
