import { scheduleAddress } from '../../domain/address.ts';
import { Problem } from '../../domain/problems.ts';
import { runIdOf } from '../../domain/run.ts';
import { notStopped, resumeForOperator } from '../../runs/resumeForOperator.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { OPERATED, operatorOf, viewProblems } from '../dashboard/access.ts';
import type { DashboardInput } from '../dashboard/input.ts';
import { RESUMED_EXAMPLE, ResumedView } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';
import { WindowParams } from '../payslipSchemas.ts';

const schema = {
  ...OPERATED,
  operationId: 'resumeRun',
  summary: 'Lets a stopped run go on',
  description:
    'What `runs resume` does: a run that is exhausted, failed, held, waiting or abandoned goes on with the next look for due windows. ' +
    'Signed by an operator.',
  params: WindowParams,
  response: {
    ...viewProblems('invalid-address', 'invalid-window', 'run-not-found', 'run-not-stopped'),
    202: json('It goes on', ResumedView, RESUMED_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/runs/:schedulePda/:window/resume */
export function resumeRunRoute(app: Api, input: DashboardInput): void {
  const path = '/api/runs/:schedulePda/:window/resume';
  app.post(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { window } = request.params;
    const key = { schedule: scheduleAddress(request.params.schedulePda), window: BigInt(window) };
    const operator = await operatorOf(request, reply, input);
    const came = await resumeForOperator(input.database, key, input.time.now());
    if (came.kind === 'missing') {
      throw new Problem('run-not-found', 'No window of this number has been due here.');
    }
    if (came.kind === 'not-stopped') throw new Problem('run-not-stopped', notStopped(came.state));
    input.log.info({ operator, run: runIdOf(key), was: came.state }, 'an operator lets a run go on');
    reply.status(202);
    return { schedulePda: key.schedule, window, state: came.state };
  });
}
