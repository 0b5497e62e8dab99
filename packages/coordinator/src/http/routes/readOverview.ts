import { millisOf } from '@payouts/client';
import { version } from '../../platform/version.ts';
import { forecastOf } from '../../store/forecast.ts';
import { countConditions } from '../../store/queries/conditions.ts';
import { countOverdue, type FundedSchedule, findNextDue, findWorstFunded } from '../../store/queries/overview.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { checkViewer, VIEWED, viewProblems } from '../dashboard/access.ts';
import type { DashboardInput } from '../dashboard/input.ts';
import { OVERVIEW_EXAMPLE, OverviewView } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';

/** Schedules in each of the two lists. */
const LISTED = 20;

const schema = {
  ...VIEWED,
  operationId: 'readOverview',
  summary: 'What is registered, due, running and stopped',
  description:
    'Counts, the windows that are due next, and the schedules whose money ends soonest; nobody is named. For operators, or for everybody ' +
    'if DASHBOARD_PUBLIC is true.',
  response: { ...viewProblems(), 200: json('The overview', OverviewView, OVERVIEW_EXAMPLE, LIMIT_FIELDS) },
};

/** GET /api/overview */
export function readOverviewRoute(app: Api, input: DashboardInput): void {
  const { database, counts } = input;
  app.get('/api/overview', { schema, config: { limit: 'read', session: true } }, async (request, reply) => {
    await checkViewer(request, reply, input);
    const ledgerNow = input.dashboard.ledgerNow();
    const [schedules, runs, overdue, conditions, nextDue, funding] = await Promise.all([
      counts.schedules(),
      counts.runs(),
      countOverdue(database, ledgerNow),
      countConditions(database),
      findNextDue(database, LISTED),
      findWorstFunded(database, LISTED),
    ]);
    const { active = 0, paused = 0, completed = 0, cancelled = 0, awaiting = 0 } = schedules.byStatus;
    return {
      now: input.time.now(),
      ledgerNow: millisOf(ledgerNow),
      version,
      schedules: {
        registered: active + paused + completed + cancelled + awaiting,
        active,
        paused,
        completed,
        cancelled,
        awaiting,
        listMissing: schedules.listMissing,
      },
      runs,
      overdue,
      fundingLow: conditions['funding.low'],
      windowsLate: conditions['window.late'],
      withdrawalsStuck: input.dashboard.isPublic ? null : conditions['withdrawal.stuck'],
      nextDue: nextDue.map((row) => ({
        ...nameOf(row),
        window: row.window_number,
        dueAt: millisOf(row.next_execution),
        amountPerExecution: row.amount,
        recipients: row.recipients,
        isCovered: row.covered_windows === null ? null : row.covered_windows > 0,
      })),
      funding: funding.flatMap((row) => fundingOf(row, ledgerNow)),
    };
  });
}

const nameOf = ({ address, vault, mint, funds }: FundedSchedule) => ({
  schedulePda: address,
  vault,
  mint,
  symbol: funds?.symbol ?? null,
  decimals: funds?.decimals ?? null,
});

function fundingOf(row: FundedSchedule, now: bigint) {
  const { funds } = row;
  const forecast = funds === null ? undefined : forecastOf(row, funds, now);
  if (funds === null || forecast === undefined) return [];
  const { windows, short, reserved, sentence } = forecast;
  return [
    {
      ...nameOf(row),
      available: funds.available,
      reserved: reserved.toString(),
      windowsCovered: windows,
      shortfall: short && { amount: short.amount.toString(), dueAt: millisOf(short.at), isPromised: short.isPromised },
      sentence,
    },
  ];
}
