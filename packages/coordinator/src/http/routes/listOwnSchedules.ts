import type { Address } from '@solana/kit';
import type { BaseLedger } from '../../ledger/ledger.ts';
import { standingOf } from '../../ledger/role.ts';
import { listSchedulesOf } from '../../store/queries/registeredSchedule.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import { OWN_SCHEDULES_EXAMPLE, OwnSchedulesQuery, OwnSchedulesView } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';
import { notPermitted } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { type SignerInput, signerOf } from '../signatures/signer.ts';
import { scheduleView } from '../views.ts';

const PAGE = 100;

const schema = {
  ...SIGNED,
  operationId: 'listOwnSchedules',
  summary: "An employer's schedules",
  description:
    'Registered schedules of the vaults that the signer owns, in order of their addresses. Signed by the employer, or, with `employer`, by ' +
    'a viewer or clerk of theirs.',
  querystring: OwnSchedulesQuery,
  response: {
    ...signerProblems('not-permitted', 'ledger-unavailable'),
    200: json('A page of schedules', OwnSchedulesView, OWN_SCHEDULES_EXAMPLE, LIMIT_FIELDS),
  },
};

export type OwnSchedulesInput = SignerInput & { readonly base: BaseLedger; readonly program: Address };

/** GET /api/employers/me/schedules */
export function listOwnSchedulesRoute(app: Api, input: OwnSchedulesInput): void {
  app.get(
    '/api/employers/me/schedules',
    { schema, config: { limit: 'private', session: true } },
    async (request, reply) => {
      const signer = await signerOf(request, reply, input);
      const { cursor = '', employer = signer } = request.query;
      if ((await standingOf(input, employer as Address, signer)) === 'none') throw notPermitted();
      // One more than a page tells whether there is a further one.
      const found = await listSchedulesOf(input.database, employer, cursor, PAGE + 1);
      const page = found.slice(0, PAGE);
      return {
        schedules: page.map(scheduleView),
        nextCursor: found.length > PAGE ? (page.at(-1)?.address ?? null) : null,
      };
    },
  );
}
