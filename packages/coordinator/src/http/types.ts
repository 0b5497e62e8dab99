import type { Static } from 'typebox';
import type { OverviewView, RunsView, RunWithAdvice, SeriesView } from './dashboard/schemas.ts';
import type { RecipientsPage } from './privateSchemas.ts';
import type { DeploymentView } from './routes/readDeployment.ts';
import type { RunPage, RunView, ScheduleView } from './schemas.ts';

export type { RunState, Stage } from '../domain/run.ts';

/** What the API answers, as types alone: for programs that ask it and must not load the service. */
export type Overview = Static<typeof OverviewView>;
export type Series = Static<typeof SeriesView>;
export type Runs = Static<typeof RunsView>;
export type RunDetail = Static<typeof RunWithAdvice>;
export type Executions = Static<typeof RunPage>;
export type ScheduleRun = Static<typeof RunView>;
export type Schedule = Static<typeof ScheduleView>;
export type DeploymentAnswer = Static<typeof DeploymentView>;
export type Recipients = Static<typeof RecipientsPage>;
