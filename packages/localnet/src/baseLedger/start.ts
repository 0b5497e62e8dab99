import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Time } from '@payouts/client';
import { LocalnetError } from '../errors.ts';
import { LOOPBACK } from '../ports.ts';
import { waitForExit } from '../waitForExit.ts';
import { type BaseLedgerAdmin, baseLedgerAdmin } from './admin.ts';
import type { OpenMessage, ProcessReport, StopMessage } from './messages.ts';
import { type LedgerUrls, OWN_NODE_PATH } from './ownNode.ts';

/** Milliseconds. */
const START_DEADLINE = 120_000;
const STOP_DEADLINE = 3_000;

/** What its process is told, all of it optional but the directory. */
export interface BaseLedgerOptions
  extends Pick<OpenMessage, 'directory'>,
    Partial<Pick<OpenMessage, 'port' | 'reset' | 'programs' | 'accounts' | 'habits'>> {
  /** Told, a line at a time, what goes wrong while the ledger runs. */
  readonly log?: (line: string) => void;
  /** Told in a sentence when a ledger's process ends by itself; by default the log is. */
  readonly ended?: (sentence: string) => void;
  /** By which its process is waited for; the ledger tells the time by the machine's clock. */
  readonly time: Time;
}

/** A running base ledger. Transactions land and are final at once, unless it is told to have a cluster's habits (`admin.setHabits`). */
export interface RunningBaseLedger {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  /** The same ledger by an own node, which has none of the habits of public ones. */
  readonly ownNode: LedgerUrls;
  readonly pid: number;
  readonly admin: BaseLedgerAdmin;
  stop(): Promise<void>;
  /** Ends the process as a crash would. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the base ledger in a process of its own and waits until it answers. */
export async function startBaseLedger(options: BaseLedgerOptions): Promise<RunningBaseLedger> {
  const directory = resolve(options.directory);
  const child = spawnProcess(options.log);
  const port = await open(child, options.time, {
    kind: 'open',
    directory,
    port: options.port ?? 0,
    reset: options.reset ?? false,
    programs: options.programs ?? [],
    accounts: options.accounts ?? [],
    habits: options.habits ?? {},
  });
  let stopping = false;
  child.on('message', (message: ProcessReport) => {
    if (message.kind === 'failed') options.log?.(`base ledger: ${message.message}`);
  });
  child.once('exit', (code, signal) => {
    const ended = options.ended ?? options.log;
    if (!stopping) ended?.(`base ledger: ended by itself (${signal ?? `exit code ${code}`}); start it again.`);
  });
  const rpcUrl = `http://${LOOPBACK}:${port}`;
  const wsUrl = `ws://${LOOPBACK}:${port + 1}`;
  return {
    rpcUrl,
    wsUrl,
    ownNode: { rpcUrl: rpcUrl + OWN_NODE_PATH, wsUrl: wsUrl + OWN_NODE_PATH },
    port,
    pid: child.pid ?? 0,
    admin: baseLedgerAdmin(rpcUrl),
    stop: async () => {
      stopping = true;
      if (child.connected) child.send({ kind: 'stop' } satisfies StopMessage);
      if (await waitForExit(child, STOP_DEADLINE, options.time)) return;
      child.kill('SIGKILL');
      await waitForExit(child, STOP_DEADLINE, options.time);
    },
    kill: async (signal) => {
      stopping = true;
      child.kill(signal);
      await waitForExit(child, STOP_DEADLINE, options.time);
    },
  };
}

function spawnProcess(log: BaseLedgerOptions['log']): ChildProcess {
  // From its source if tsx runs this process from sources, else as it was built: a test runner reads sources in a way of its own.
  const isFromSource = import.meta.url.endsWith('.ts') && process.execArgv.some((word) => word.includes('tsx'));
  const entry = new URL(isFromSource ? './process.ts' : '../../dist/baseLedger/process.js', import.meta.url);
  const child = fork(fileURLToPath(entry), [], {
    execArgv: isFromSource ? process.execArgv : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trimEnd().split('\n')) log?.(`base ledger: ${line}`);
  });
  return child;
}

/** Tells the process what to open and waits for its port. */
function open(child: ChildProcess, time: Time, message: OpenMessage): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const deadline = time.after(START_DEADLINE, () => {
      child.kill('SIGKILL');
      reject(
        new LocalnetError(
          'BASE_LEDGER_TIMEOUT',
          `The base ledger did not start within ${START_DEADLINE / 1000} s: close other programs and try again.`,
        ),
      );
    });
    child.once('message', (report: ProcessReport) => {
      deadline.cancel();
      if (report.kind === 'ready') resolvePort(report.port);
      else reject(new LocalnetError(report.code, report.message));
    });
    child.once('exit', (code, signal) => {
      deadline.cancel();
      const how = signal ?? `exit code ${code}`;
      reject(
        new LocalnetError('BASE_LEDGER_FAILED', `The base ledger ended while starting (${how}): its log says why.`),
      );
    });
    child.once('error', (error) => {
      deadline.cancel();
      reject(new LocalnetError('BASE_LEDGER_FAILED', `The base ledger could not be started: ${error.message}.`));
    });
    child.send(message);
  });
}
