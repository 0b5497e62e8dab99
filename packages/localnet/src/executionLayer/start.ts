import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import type { Time } from '@payouts/client';
import { LocalnetError } from '../errors.ts';
import { freePorts, isPortFree, LOOPBACK, portTaken } from '../ports.ts';
import { waitForExit } from '../waitForExit.ts';
import { endWithThisProcess } from '../watchdog.ts';
import { prepareValidator, type ValidatorCommand } from './runtime.ts';

/** Milliseconds. */
const START_DEADLINE = 120_000;
const STOP_DEADLINE = 5_000;
const READY_INTERVAL = 20;
/** Between choosing a free port and the validator's using it, somebody else may take it. */
const PORT_ATTEMPTS = 3;
const LOG_TAIL_LINES = 6;
/** The validator's own sizes are full at some 32,000 accounts; no more of these is used than is needed: a million balances take 41 MB. */
const ACCOUNT_INDEX_BYTES = 256 * 1024 * 1024;
const ACCOUNT_STORE_BYTES = 1024 * 1024 * 1024;

export interface ExecutionLayerOptions {
  /** Where the layer's state, settings and log are kept. */
  readonly directory: string;
  readonly baseRpcUrl: string;
  readonly baseWsUrl: string;
  /** RPC port, websocket on the next; left out or 0: any free pair. */
  readonly port?: number;
  /** Left out or 0: any free one. */
  readonly metricsPort?: number;
  /** Forget the state of earlier runs. */
  readonly reset?: boolean;
  /** Told, a line at a time, what is being prepared and what goes wrong. */
  readonly log?: (line: string) => void;
  /** Told in a sentence when its process ends by itself; by default the log is. */
  readonly ended?: (sentence: string) => void;
  /** By which it is waited for; the layer tells the time by the machine's clock. */
  readonly time: Time;
}

/** A running execution layer: the published ephemeral validator, on top of a base ledger. */
export interface RunningExecutionLayer {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  readonly metricsUrl: string;
  /** The validator's own log. */
  readonly logPath: string;
  /** The validator's process; null while it is down. */
  readonly pid: number | null;
  /** Ends the validator with a signal, as a crash or an operator would, and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts the validator again on the same ports and state. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Ports {
  readonly rpc: number;
  readonly metrics: number;
}

/** Starts the ephemeral validator and waits until it takes transactions. */
export async function startExecutionLayer(options: ExecutionLayerOptions): Promise<RunningExecutionLayer> {
  const log = options.log ?? (() => {});
  const validator = new Validator(
    resolve(options.directory),
    options,
    await prepareValidator(log),
    log,
    options.ended ?? log,
  );
  if (options.reset === true) validator.erase();
  return validator.startOnFreePorts();
}

class Validator {
  readonly #logPath: string;
  #ports: Ports = { rpc: 0, metrics: 0 };
  #child: ChildProcess | null = null;

  constructor(
    private readonly directory: string,
    private readonly options: ExecutionLayerOptions,
    private readonly command: ValidatorCommand,
    private readonly log: (line: string) => void,
    private readonly ended: (sentence: string) => void,
  ) {
    this.#logPath = join(directory, 'validator.log');
  }

  erase(): void {
    rmSync(this.#storage, { recursive: true, force: true });
  }

  /** Starts; where the caller left the ports open, a lost race for them is tried again. */
  async startOnFreePorts(): Promise<RunningExecutionLayer> {
    const attempts = this.options.port ? 1 : PORT_ATTEMPTS;
    for (let attempt = 1; ; attempt++) {
      this.#ports = await choosePorts(this.options);
      try {
        await this.#start();
        return this.#handle();
      } catch (error) {
        if (attempt === attempts || !(error instanceof LocalnetError) || error.code !== 'LAYER_EXITED') throw error;
      }
    }
  }

  get #storage(): string {
    return join(this.directory, 'storage');
  }

  get #rpcUrl(): string {
    return `http://${LOOPBACK}:${this.#ports.rpc}`;
  }

  #handle(): RunningExecutionLayer {
    const child = (): ChildProcess | null => this.#child;
    return {
      rpcUrl: this.#rpcUrl,
      wsUrl: `ws://${LOOPBACK}:${this.#ports.rpc + 1}`,
      port: this.#ports.rpc,
      metricsUrl: `http://${LOOPBACK}:${this.#ports.metrics}/metrics`,
      logPath: this.#logPath,
      get pid() {
        return child()?.pid ?? null;
      },
      kill: (signal) => this.#end(signal),
      restart: async () => {
        if (this.#child !== null) {
          throw new LocalnetError('LAYER_RUNNING', 'The execution layer is running: kill or stop it before a restart.');
        }
        await this.#start();
      },
      stop: () => this.#end('SIGINT'),
    };
  }

  async #start(): Promise<void> {
    mkdirSync(this.#storage, { recursive: true });
    const config = join(this.directory, 'config.toml');
    // The metrics address can only be set here: the command line's option for it is ignored.
    writeFileSync(
      config,
      `[metrics]\naddress = "${LOOPBACK}:${this.#ports.metrics}"\n\n[ledger]\nblock-time = "10ms"\n\n` +
        `[accountsdb]\nindex-size = ${ACCOUNT_INDEX_BYTES}\ndatabase-size = ${ACCOUNT_STORE_BYTES}\n`,
    );
    const logFile = openSync(this.#logPath, 'w');
    const child = spawn(
      this.command.command,
      [
        ...this.command.args,
        '--no-tui',
        ...['--lifecycle', 'ephemeral'],
        ...['--remotes', this.options.baseRpcUrl],
        ...['--remotes', this.options.baseWsUrl],
        ...['--listen', `${LOOPBACK}:${this.#ports.rpc}`],
        ...['--storage', this.#storage],
        config,
      ],
      { env: { ...process.env, ...this.command.env, NO_COLOR: '1' }, stdio: ['ignore', logFile, logFile] },
    );
    closeSync(logFile);
    this.#child = child;
    const endWatch = child.pid === undefined ? () => {} : endWithThisProcess(child.pid);
    child.once('error', (error) => this.log(`execution layer: ${error.message}`));
    child.once('exit', (code, signal) => {
      endWatch();
      // Still held: nobody asked it to end.
      if (this.#child !== child) return;
      this.#child = null;
      this.ended(`execution layer: ended by itself (${signal ?? `exit code ${code}`}); see ${this.#logPath}.`);
    });
    try {
      await this.#untilReady(child);
    } catch (error) {
      await this.#end('SIGKILL');
      throw error;
    }
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const deadline = this.options.time.monotonic() + START_DEADLINE;
    while (this.options.time.monotonic() < deadline) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
        throw new LocalnetError(
          'LAYER_EXITED',
          `The ephemeral validator ended while starting: see ${this.#logPath}, which ends with\n${this.#logTail()}`,
        );
      }
      if ((await isReady(this.#rpcUrl)) && (await accepts(this.#ports.rpc + 1))) return;
      await this.options.time.pause(READY_INTERVAL);
    }
    throw new LocalnetError(
      'LAYER_TIMEOUT',
      `The ephemeral validator was not ready within ${START_DEADLINE / 1000} s: see ${this.#logPath}.`,
    );
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    child.kill(signal);
    if (await waitForExit(child, STOP_DEADLINE, this.options.time)) return;
    child.kill('SIGKILL');
    await waitForExit(child, STOP_DEADLINE, this.options.time);
  }

  #logTail(): string {
    if (!existsSync(this.#logPath)) return '(empty)';
    return readFileSync(this.#logPath, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  }
}

async function choosePorts({ port, metricsPort }: ExecutionLayerOptions): Promise<Ports> {
  if (port) for (const each of [port, port + 1]) await refuseTaken(each, '--layer-port');
  if (metricsPort) await refuseTaken(metricsPort, '--metrics-port');
  // The lower of two neighbours: RPC on it, websocket on the next, as Solana's clients expect.
  return { rpc: port || (await freePorts(2)), metrics: metricsPort || (await freePorts(1)) };
}

async function refuseTaken(port: number, option: string): Promise<void> {
  if (!(await isPortFree(port))) throw portTaken(port, option);
}

/** Whether the validator takes transactions. After a restart it says that it is healthy before it has a blockhash. */
async function isReady(rpcUrl: string): Promise<boolean> {
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"getLatestBlockhash","params":[]}',
    });
    return response.ok && 'result' in ((await response.json()) as object);
  } catch {
    return false;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolveAccepts) => {
    const socket = connect(port, LOOPBACK);
    const answer = (accepted: boolean) => (): void => {
      socket.destroy();
      resolveAccepts(accepted);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}
