import { scheduleAddress } from '../../domain/address.ts';
import { adviceFor } from '../../domain/advice.ts';
import { Problem } from '../../domain/problems.ts';
import { listAttempts } from '../../store/queries/attempts.ts';
import { findTokensOf } from '../../store/queries/runPages.ts';
import { findRun } from '../../store/queries/runs.ts';
import type { Db } from '../../store/schema.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import { RUN_ADVICE_EXAMPLE, RunWithAdvice } from '../dashboard/schemas.ts';
import { tokenView } from '../dashboard/tokenView.ts';
import type { Api } from '../httpServer.ts';
import { WindowParams } from '../payslipSchemas.ts';
import { runView } from '../views.ts';

const schema = {
  operationId: 'readExecution',
  tags: ['schedules'],
  summary: "A window's run",
  description: 'Every attempt of its stages, and what to do about its error if it has one. Nobody is named.',
  params: WindowParams,
  response: {
    ...readProblems('invalid-address', 'invalid-query', 'invalid-window', 'run-not-found'),
    200: json('The run', RunWithAdvice, RUN_ADVICE_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/executions/:window */
export function readExecutionRoute(app: Api, database: Db): void {
  const path = '/api/schedules/:schedulePda/executions/:window';
  app.get(path, { schema, config: { limit: 'read' } }, async (request) => {
    const schedule = scheduleAddress(request.params.schedulePda);
    const run = await findRun(database, { schedule, window: BigInt(request.params.window) });
    if (run === undefined) throw new Problem('run-not-found', 'No window of this number has been due here.');
    const [attempts, tokens] = await Promise.all([
      listAttempts(database, [run.id]),
      findTokensOf(database, [schedule]),
    ]);
    const advice = adviceFor(run.error_code, run.state);
    return {
      schedulePda: schedule,
      ...tokenView(tokens, schedule),
      ...runView(run, attempts),
      advice: advice === undefined ? null : { sentence: advice.problem, remedy: advice.remedy },
    };
  });
}
