import type { Api } from '../httpServer.ts';
import { compareLedgersRoute } from '../routes/compareLedgers.ts';
import { listOwnSchedulesRoute, type OwnSchedulesInput } from '../routes/listOwnSchedules.ts';
import { listRunsRoute } from '../routes/listRuns.ts';
import { readExecutionRoute } from '../routes/readExecution.ts';
import { readOverviewRoute } from '../routes/readOverview.ts';
import { readSeriesRoute } from '../routes/readSeries.ts';
import { readSessionRoute } from '../routes/readSession.ts';
import { resumeRunRoute } from '../routes/resumeRun.ts';
import { hashBodies } from '../signatures/bodyDigest.ts';
import { dashboardCounts } from './counts.ts';
import type { DashboardInput } from './input.ts';

/** What the settings and the service say to the dashboard's routes. */
export type DashboardSettings = DashboardInput['dashboard'];

/** The routes about the whole service. */
export async function dashboardRoutes(
  api: Api,
  input: Omit<DashboardInput, 'counts'> & OwnSchedulesInput,
): Promise<void> {
  const dashboard = { ...input, counts: dashboardCounts(input.database, input.time) };
  readOverviewRoute(api, dashboard);
  readSeriesRoute(api, dashboard);
  listRunsRoute(api, dashboard);
  readExecutionRoute(api, input.database);
  readSessionRoute(api, dashboard);
  listOwnSchedulesRoute(api, input);
  await api.register(async (signed) => {
    hashBodies(signed as Api);
    resumeRunRoute(signed as Api, dashboard);
    compareLedgersRoute(signed as Api, dashboard);
  });
}
