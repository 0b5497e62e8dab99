import { type PayslipJson, payslipToJson, type Recipient } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from '../../domain/problems.ts';
import type { ListRow } from '../../store/queries/lists.ts';
import type { ScheduleRow } from '../../store/queries/schedules.ts';
import { listSettledWindows, type WindowRow } from '../../store/queries/settledWindows.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { GrantParams, NAMED_EXAMPLE, NAMED_WINDOWS, NamedPage, NamedPageQuery } from '../grantSchemas.ts';
import { namedGrant } from '../grants.ts';
import type { Api } from '../httpServer.ts';
import { notPermitted, type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { SIGNED, signedRequest } from '../scheduleRequest.ts';
import type { SettledWindows } from '../settledWindows.ts';
import { pageOf, windowPage } from '../windowPage.ts';

const schema = {
  ...SIGNED,
  operationId: 'readNamed',
  summary: 'What settled windows came to for the recipients that a grant names',
  description:
    'For each settled window that the grant is about, the entries of the named recipients with what proves them, paid or not, as payslips ' +
    'have it. No address is listed in the path. Signed by the auditor who holds the grant.',
  params: GrantParams,
  querystring: NamedPageQuery,
  response: {
    ...privateProblems(),
    200: json('Settled windows, newest first', NamedPage, NAMED_EXAMPLE, LIMIT_FIELDS),
  },
};

type NamedInput = PrivateReadsInput & { readonly windows: SettledWindows };

/** GET /api/schedules/:schedulePda/grants/:id/payslips */
export function readNamedRoute(app: Api, input: NamedInput): void {
  const path = '/api/schedules/:schedulePda/grants/:id/payslips';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, signer, schedule } = await signedRequest(request, reply, input);
    const named = await namedGrant(input, { schedule: address, signer }, request.params.id);
    if (named === undefined) throw notPermitted();
    const { grant, use } = named;
    const { before, limit } = windowPage(request.query, NAMED_WINDOWS);
    const rows = await listSettledWindows(input.database, address, [grant.windows], { before, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit);
    const entries = new NamedEntries(input, grant.recipients as readonly Address[]);
    const windows: Awaited<ReturnType<typeof windowView>>[] = [];
    for (const row of page) {
      await use(BigInt(row.window_number));
      windows.push(await windowView(input, schedule, row, entries));
    }
    return { schedulePda: address, windows, nextCursor };
  });
}

/** Where the named recipients stand in lists: several windows pay the same one. */
class NamedEntries {
  readonly #known = new Map<number, Recipient[]>();

  constructor(
    private readonly input: NamedInput,
    private readonly named: readonly Address[],
  ) {}

  async in(list: ListRow): Promise<readonly Recipient[]> {
    const known = this.#known.get(list.id);
    if (known !== undefined) return known;
    const entries: Recipient[] = [];
    for (const recipient of this.named) entries.push(...(await this.input.recipients.entriesIn(list, recipient)));
    this.#known.set(list.id, entries);
    return entries;
  }
}

async function windowView(
  { windows, proofs }: NamedInput,
  schedule: ScheduleRow,
  row: WindowRow,
  named: NamedEntries,
): Promise<{ window: string; entries: PayslipJson[]; reason: string | null }> {
  const window = row.window_number;
  const entries: PayslipJson[] = [];
  try {
    const { list, record, settled } = await windows.of(schedule, row);
    for (const leaf of await named.in(list)) {
      const [proof = []] = await proofs.of(list, leaf.index, 1);
      entries.push(payslipToJson({ leaf, proof, bitmap: record.bitmap, settled }));
    }
    return { window, entries, reason: null };
  } catch (error) {
    if (error instanceof Problem) return { window, entries: [], reason: error.message };
    throw error;
  }
}
