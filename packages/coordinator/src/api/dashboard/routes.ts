import type { Api } from '../httpServer.ts';
import { listRunsRoute } from '../routes/listRuns.ts';
import { readExecutionRoute } from '../routes/readExecution.ts';
import { readOverviewRoute } from '../routes/readOverview.ts';
import { readSeriesRoute } from '../routes/readSeries.ts';
import { readSessionRoute } from '../routes/readSession.ts';
import { Counts } from './counts.ts';
import type { DashboardInput } from './input.ts';

/** What the settings and the service say to the dashboard's routes. */
export type DashboardSettings = DashboardInput['dashboard'];

/** The routes about the whole service. */
export function dashboardRoutes(api: Api, input: Omit<DashboardInput, 'counts'>): void {
  const dashboard = { ...input, counts: new Counts(input.database) };
  readOverviewRoute(api, dashboard);
  readSeriesRoute(api, dashboard);
  listRunsRoute(api, dashboard);
  readExecutionRoute(api, input.database);
  readSessionRoute(api, dashboard);
}
