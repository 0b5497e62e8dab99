import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Point } from '../../../packages/coordinator/src/workflow/points.ts';

const tsx = createRequire(import.meta.url).resolve('tsx');
const child = fileURLToPath(new URL('./child.ts', import.meta.url));

/** A run that stands at a point in a coordinator. */
export type Passing = {
  readonly point: Point;
  /** SCHEDULE:WINDOW. */
  readonly run: string;
  readonly member: Member;
  goOn(): void;
};

/** A coordinator of the fleet, as a process of its own. */
export type Member = {
  readonly name: string;
  readonly url: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

type Said = { readonly url?: string; readonly passing?: number; readonly point?: Point; readonly run?: string };

/** Coordinators on the same ledgers and database, each run of which asks at every point whether it may go on. */
export class Fleet {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #onPassing: (passing: Passing) => void;
  readonly #members = new Map<string, Member>();
  /** Names of those that nobody ended. */
  readonly endedByThemselves: string[] = [];

  /** `folder` is where the logs go, a file for each name; `onPassing` must let every run go on some time, or kill its process. */
  constructor(input: {
    readonly folder: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly onPassing: (passing: Passing) => void;
  }) {
    this.#folder = input.folder;
    this.#settings = input.settings;
    this.#onPassing = input.onPassing;
  }

  /** Those that are alive. */
  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Any that is alive. */
  get url(): string {
    const [member] = this.#members.values();
    if (member === undefined) throw new Error('No coordinator is running.');
    return member.url;
  }

  /** Starts a coordinator and waits until it answers. */
  async start(name: string): Promise<Member> {
    const process = this.#spawn(name);
    let url = '';
    const member: Member = {
      name,
      get url() {
        return url;
      },
      kill: () => this.#end(name, process, 'SIGKILL'),
      stop: () => this.#end(name, process, 'SIGTERM'),
    };
    const ready = new Promise<string>((resolve, reject) => {
      process.on('message', (said: Said) => {
        if (said.url !== undefined) resolve(said.url);
        const { passing, point, run } = said;
        if (passing === undefined || point === undefined || run === undefined) return;
        const goOn = () => {
          if (process.connected) process.send({ goOn: passing }, () => {});
        };
        this.#onPassing({ point, run, member, goOn });
      });
      process.once('exit', () => reject(new Error(`${name} ended before it was ready: see its log.`)));
    });
    url = await ready;
    this.#members.set(name, member);
    process.once('exit', () => {
      // Taken out before it is ended on purpose.
      if (this.#members.get(name) !== member) return;
      this.#members.delete(name);
      this.endedByThemselves.push(name);
    });
    return member;
  }

  #spawn(name: string): ChildProcess {
    const started = spawn(process.execPath, ['--conditions=@payouts/source', '--import', tsx, child], {
      env: { ...process.env, ...this.#settings, INSTANCE_NAME: name },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const log = createWriteStream(join(this.#folder, `${name}.log`), { flags: 'a', mode: 0o600 });
    started.stdout?.pipe(log, { end: false });
    started.stderr?.pipe(log, { end: false });
    started.once('close', () => log.end());
    return started;
  }

  async #end(name: string, member: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    this.#members.delete(name);
    if (member.exitCode !== null || member.signalCode !== null) return;
    const gone = once(member, 'exit');
    member.kill(signal);
    await gone;
  }

  /** Ends all in order. */
  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }
}
