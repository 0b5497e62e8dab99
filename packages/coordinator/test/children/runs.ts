// Runs an engine over the embedded database in the given folder. Its stages only say that they ran; `slow` ones never end.
import { createLogger } from '../../src/log/log.ts';
import { openDatabase } from '../../src/store/openDatabase.ts';
import { startEngine } from '../../src/workflow/engine.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
const { pool } = await openDatabase({ databaseUrl: undefined, dataDir: folder, onError: () => {} });
const engine = await startEngine({
  pool,
  policy: { attempts: 3, baseMs: 10, rate: 2, maxMs: 1_000 },
  runConcurrency: 4,
  log: createLogger({ level: 'silent', pretty: false }),
  signal: new AbortController().signal,
  runner: {
    attempt(key, stage) {
      process.send?.({ stage, window: key.window.toString() });
      return mode === 'slow' && stage === 'claim' ? new Promise(() => {}) : Promise.resolve('done');
    },
  },
});
process.on('message', (window: string) => {
  engine.enqueue({ schedule: 'schedule', window: BigInt(window) }).then(() => process.send?.({ enqueued: window }));
});
process.send?.({ ready: true });
