import { windowToJson } from '@payouts/client';
import { Problem } from '../../domain/problems.ts';
import type { ScheduleRow } from '../../store/queries/schedules.ts';
import { listSettledWindows, type WindowRow } from '../../store/queries/settledWindows.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { AUDIT_EXAMPLE, AuditPage } from '../grantSchemas.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems, totalsPermitted } from '../privateReads.ts';
import { SIGNED, signedRequest } from '../scheduleRequest.ts';
import { ScheduleParams } from '../schemas.ts';
import type { SettledWindows } from '../settledWindows.ts';
import { pageOf, WindowPageQuery, windowPage } from '../windowPage.ts';

const schema = {
  ...SIGNED,
  operationId: 'readAudit',
  summary: 'Totals of settled windows, with what proves them',
  description:
    'What each settled window promised and paid, signed by the execution authority, with the transaction that settled it; nothing of any ' +
    'recipient. Signed by an auditor with a grant of totals, or by the employer.',
  params: ScheduleParams,
  querystring: WindowPageQuery,
  response: {
    ...privateProblems(),
    200: json('Settled windows, newest first', AuditPage, AUDIT_EXAMPLE, LIMIT_FIELDS),
  },
};

type AuditInput = PrivateReadsInput & { readonly windows: SettledWindows };

/** GET /api/schedules/:schedulePda/audit */
export function readAuditRoute(app: Api, input: AuditInput): void {
  const path = '/api/schedules/:schedulePda/audit';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, signer, schedule } = await signedRequest(request, reply, input);
    const ranges = await totalsPermitted(input, schedule, { schedule: address, signer });
    const { before, limit } = windowPage(request.query);
    const rows = await listSettledWindows(input.database, address, ranges, { before, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit);
    const windows: Awaited<ReturnType<typeof windowView>>[] = [];
    for (const row of page) windows.push(await windowView(input, schedule, row));
    return { schedulePda: address, windows, nextCursor };
  });
}

async function windowView({ windows }: AuditInput, schedule: ScheduleRow, row: WindowRow) {
  const { window_number: window, unpaid, held } = row;
  const counts = { window, unpaidCount: unpaid - held, heldCount: held };
  try {
    const { settled } = await windows.of(schedule, row);
    return { ...counts, settled: windowToJson(settled), reason: null };
  } catch (error) {
    if (error instanceof Problem) return { ...counts, settled: null, reason: error.message };
    throw error;
  }
}
