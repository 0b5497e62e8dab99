import type { Command } from 'commander';
import type { WindowRun } from '../../executions.ts';
import { found, publicRequest } from '../../requests.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { SCHEDULE, withApi } from '../options.ts';
import { columns, print, printJson, say } from '../output.ts';

type RunsOptions = { readonly api: string; readonly json?: true; readonly limit: string };

/** payout runs */
export function addRuns(program: Command): void {
  withApi(program.command('runs').argument(...SCHEDULE))
    .description("List a schedule's windows and how they ended, newest first")
    .option('--limit <count>', 'how many, 1 to 100', '20')
    .action(runs);
}

async function runs(schedule: string, { api, json, limit }: RunsOptions): Promise<void> {
  if (!/^(100|[1-9]\d?)$/.test(limit)) throw new WrongUsage('--limit takes 1 to 100.');
  const path = `/api/schedules/${encodeURIComponent(schedule)}`;
  const page = await found<{ executions: WindowRun[] }>(publicRequest(api, `${path}/executions?limit=${limit}`));
  if (page === undefined) throw notRegistered();
  if (json) return printJson(page.executions);
  if (page.executions.length === 0) return print('No window has been due yet.');
  const rows = page.executions.map((run) => [
    run.window,
    run.stage === null || run.state !== 'running' ? run.state : `${run.state} (${run.stage})`,
    `${run.claims.paid} of ${run.claims.total}`,
    new Date(run.createdAt).toISOString().slice(0, 19).replace('T', ' '),
    run.finishedAt === null ? '' : `${((run.finishedAt - run.createdAt) / 1_000).toFixed(1)} s`,
  ]);
  for (const line of columns([['window', 'state', 'paid', 'began (UTC)', 'took'], ...rows], [0, 4])) print(line);
  for (const { window, state, errorCode, errorDetail, unpaid } of page.executions) {
    if (errorCode !== null) say(`Window ${window} is ${state}: ${errorDetail ?? errorCode}`);
    else if (unpaid.count > 0) say(`Window ${window} left ${unpaid.count} unpaid: ${reasonsText(unpaid.reasons)}.`);
  }
}

/** The coordinator's answer to whoever asks for a schedule that it doesn't have. */
export const notRegistered = (): Failure =>
  new Failure(
    'schedule-not-found',
    'The coordinator has no such schedule. Is --api the right one, and the list registered?',
  );

const reasonsText = (reasons: Readonly<Record<string, number>>): string =>
  Object.entries(reasons)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
