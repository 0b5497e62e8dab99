import { type RunKey, runIdOf } from '../../../src/domain/run.ts';

/** What the engine records of a run. */
type Workflow = {
  readonly key: RunKey;
  readonly status: 'enqueued' | 'pending' | 'ended';
  readonly executor: string | undefined;
};

/** The engine's records, shared by all processes; they outlive them. */
export class Workflows {
  readonly #all = new Map<string, Workflow>();

  /** Puts runs in line, except those that are there, at work or over. */
  enqueue(keys: readonly RunKey[]): void {
    for (const key of keys) {
      const id = runIdOf(key);
      if (!this.#all.has(id)) this.#all.set(id, { key, status: 'enqueued', executor: undefined });
    }
  }

  /** Takes at most so many out of the line. */
  take(executor: string, most: number): RunKey[] {
    const taken: RunKey[] = [];
    for (const [id, workflow] of this.#all) {
      if (taken.length === most) break;
      if (workflow.status !== 'enqueued') continue;
      this.#all.set(id, { ...workflow, status: 'pending', executor });
      taken.push(workflow.key);
    }
    return taken;
  }

  end(key: RunKey, executor: string): void {
    this.#change(key, executor, { status: 'ended' });
  }

  /** Puts one back in line. */
  giveBack(key: RunKey, executor: string): void {
    this.#change(key, executor, { status: 'enqueued', executor: undefined });
  }

  /** Puts everything back in line that a process has at work. */
  takeOver(executor: string): void {
    for (const { key, status, executor: by } of this.#all.values()) {
      if (status === 'pending' && by === executor) this.giveBack(key, executor);
    }
  }

  /** Puts one that has ended in line again; false if it has not. */
  restart(key: RunKey): boolean {
    if (this.stateOf(key) !== 'ended') return false;
    this.#all.set(runIdOf(key), { key, status: 'enqueued', executor: undefined });
    return true;
  }

  stateOf(key: RunKey): Workflow['status'] | 'unknown' {
    return this.#all.get(runIdOf(key))?.status ?? 'unknown';
  }

  executorOf(key: RunKey): string | undefined {
    return this.#all.get(runIdOf(key))?.executor;
  }

  #change(key: RunKey, executor: string, some: Partial<Workflow>): void {
    const id = runIdOf(key);
    const known = this.#all.get(id);
    if (known?.status !== 'pending' || known.executor !== executor) return;
    this.#all.set(id, { ...known, ...some });
  }
}
