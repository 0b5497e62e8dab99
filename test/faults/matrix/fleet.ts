import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Passing, startHoldable } from '@payouts/testing/failpoints';

/** A coordinator of the fleet, as a process of its own. */
export type Member = {
  readonly name: string;
  readonly url: string;
  readonly process: ChildProcess;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

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
    const { url, process } = await startHoldable(
      { ...this.#settings, INSTANCE_NAME: name },
      join(this.#folder, `${name}.log`),
      this.#onPassing,
    );
    const member: Member = {
      name,
      url,
      process,
      kill: () => this.#end(name, process, 'SIGKILL'),
      stop: () => this.#end(name, process, 'SIGTERM'),
    };
    this.#members.set(name, member);
    process.once('exit', () => {
      // Taken out before it is ended on purpose.
      if (this.#members.get(name) !== member) return;
      this.#members.delete(name);
      this.endedByThemselves.push(name);
    });
    return member;
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
