// The durable engine with nothing around it: workflows of three steps that do nothing, in a queue set as the service sets its own.
// Puts as many in line as it is told. Arguments: name of the process, workflows at a time, milliseconds between two looks at the queue.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { ENGINE_SCHEMA } from '../../dist/store/db/engineTables.js';
import { openDatabase } from '../../dist/store/db/openDatabase.js';

const [executorID = '', atATime = '', pollMs = ''] = process.argv.slice(2);
const QUEUE = 'bare';

const { pool } = await openDatabase({ databaseUrl: process.env.DATABASE_URL, dataDir: 'unused', onError: () => {} });
DBOS.setConfig({
  name: 'bare',
  systemDatabasePool: pool,
  systemDatabaseSchemaName: ENGINE_SCHEMA,
  useListenNotify: false,
  runMigrations: false,
  applicationVersion: '1',
  executorID,
  logLevel: 'error',
});
const bare = DBOS.registerWorkflow(
  async (_name: string): Promise<string> => {
    for (const step of ['one', 'two', 'three']) await DBOS.runStep(() => Promise.resolve('done'), { name: step });
    return 'done';
  },
  { name: 'bare' },
);
await DBOS.launch();
await DBOS.registerQueue(QUEUE, {
  workerConcurrency: Number(atATime),
  minPollingIntervalMs: Number(pollMs),
  onConflict: 'always_update',
});

process.on('message', async ({ round, workflows }: { round: number; workflows: number }) => {
  const executor = DBOSExecutor.globalInstance as DBOSExecutor;
  const prepared = Array.from({ length: workflows }, (_, number) =>
    executor.prepareEnqueuedWorkflow(bare, [String(number)], {
      workflowID: `bare:${round}:${number}`,
      queueName: QUEUE,
    }),
  );
  await executor.systemDatabase.enqueueWorkflows(await Promise.all(prepared));
});
process.send?.('ready');
