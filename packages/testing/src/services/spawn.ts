import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Time } from '@payouts/client';
import { endWithThisProcess } from '@payouts/localnet';
import { running } from '../running.ts';

const READY_WITHIN_MS = 120_000;

/**
 * A server in a process of its own, with a folder that goes with it. It ends with the test file that began it; a test that is killed must
 * leave no server behind.
 */
export class OwnServer {
  readonly folder: string;
  #running: ChildProcess | undefined;
  readonly #begun = { stop: () => this.remove() };

  /** @param ending the signal that ends it at once */
  constructor(
    private readonly name: string,
    private readonly time: Time,
    private readonly ending: NodeJS.Signals,
  ) {
    this.folder = mkdtempSync(join(tmpdir(), `payouts-${name.toLowerCase()}-`));
    process.once('exit', this.#leave);
    running.add(this.#begun);
  }

  readonly #leave = (): void => {
    this.#running?.kill(this.ending);
    rmSync(this.folder, { recursive: true, force: true });
  };

  get pid(): number {
    if (this.#running?.pid === undefined) throw new Error(`${this.name} is not running.`);
    return this.#running.pid;
  }

  /** Starts the program and waits until the server answers. */
  async start(
    program: string,
    args: readonly string[],
    options: SpawnOptions,
    answers: () => Promise<boolean>,
  ): Promise<void> {
    const started = spawn(program, args, options);
    if (started.pid !== undefined) started.once('exit', endWithThisProcess(started.pid));
    this.#running = started;
    const deadline = this.time.monotonic() + READY_WITHIN_MS;
    while (!(await answers())) {
      if (started.exitCode !== null || this.time.monotonic() > deadline) throw new Error(`${this.name} did not start.`);
      await this.time.pause(20);
    }
  }

  async stop(signal = this.ending): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill(signal);
    await gone;
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    running.delete(this.#begun);
    await this.stop();
    process.off('exit', this.#leave);
    this.#leave();
  }
}
