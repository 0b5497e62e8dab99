// Opens the database of the settings and runs an engine over it, as the service does. Its stages only say that they ran; `slow` claims
// never end.
import { readSettings } from '../../src/config/settings.ts';
import { createLogger } from '../../src/log/log.ts';
import { startTrouble } from '../../src/startTrouble.ts';
import { openDatabase } from '../../src/store/openDatabase.ts';
import { readyDatabase } from '../../src/store/prepare.ts';
import { lockInstance } from '../../src/store/serverLock.ts';
import { startEngine } from '../../src/workflow/engine.ts';

const [mode = ''] = process.argv.slice(2);
const settings = readSettings({
  PAYLOAD_KEY: 'unused',
  EXECUTION_AUTHORITY_KEY: 'unused',
  BASE_RPC_URL: 'http://127.0.0.1:1',
  LAYER_RPC_URL: 'http://127.0.0.1:2',
  ...process.env,
});
const { databaseUrl, instanceName } = settings;
const never = new AbortController().signal;

async function main(): Promise<void> {
  const database = await openDatabase({ ...settings, onError: () => {} });
  await readyDatabase(database, settings);
  const onChange = (isHeld: boolean) => process.send?.({ isHeld });
  if (databaseUrl !== undefined) await lockInstance({ databaseUrl, instanceName, onChange });
  const engine = await startEngine({
    pool: database.pool,
    policy: { attempts: 3, baseMs: 10, rate: 2, maxMs: 1_000 },
    runConcurrency: 4,
    instanceName,
    log: createLogger({ level: 'silent', pretty: false }),
    draining: never,
    signal: never,
    runner: {
      attempt(key, stage) {
        process.send?.({ stage, window: key.window.toString() });
        return mode === 'slow' && stage === 'claim' ? new Promise(() => {}) : Promise.resolve('done');
      },
    },
  });
  process.on('message', (window: string) => {
    engine.enqueue([{ schedule: 'schedule', window: BigInt(window) }]).then(() => process.send?.({ enqueued: window }));
  });
  process.send?.({ ready: true });
}

main().catch((error: unknown) => {
  const trouble = startTrouble(error, settings) as Error;
  process.send?.({ failed: trouble.message });
  setTimeout(() => process.exit(1), 100);
});
