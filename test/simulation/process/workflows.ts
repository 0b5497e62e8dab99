import { type RunKey, workflowIdOf } from '../../../packages/coordinator/src/domain/run.ts';

/** What the engine records of a run; `stage`: how many stages are done. */
type Workflow = {
  readonly key: RunKey;
  readonly status: 'enqueued' | 'pending' | 'ended';
  readonly executor: string | undefined;
  readonly stage: number;
};

/** The engine's records, shared by all processes; they outlive them. */
export class Workflows {
  readonly #all = new Map<string, Workflow>();

  /** Puts runs in line, except those that are there, at work or over. */
  enqueue(keys: readonly RunKey[]): void {
    for (const key of keys) {
      const id = workflowIdOf(key);
      if (!this.#all.has(id)) this.#all.set(id, { key, status: 'enqueued', executor: undefined, stage: 0 });
    }
  }

  /** Takes at most so many out of the line. */
  take(executor: string, most: number): Workflow[] {
    const taken: Workflow[] = [];
    for (const [id, workflow] of this.#all) {
      if (taken.length === most) break;
      if (workflow.status !== 'enqueued') continue;
      const begun: Workflow = { ...workflow, status: 'pending', executor };
      this.#all.set(id, begun);
      taken.push(begun);
    }
    return taken;
  }

  /** Records that so many stages are done, unless another process has it by now; says whether it has not. */
  checkpoint(key: RunKey, executor: string, stage: number): boolean {
    return this.#change(key, executor, { stage });
  }

  end(key: RunKey, executor: string): void {
    this.#change(key, executor, { status: 'ended' });
  }

  /** Puts one back in line, from the stage it is in. */
  giveBack(key: RunKey, executor: string): void {
    this.#change(key, executor, { status: 'enqueued', executor: undefined });
  }

  /** Puts everything back in line that a process has at work. */
  takeOver(executor: string): void {
    for (const { key, status, executor: by } of this.#all.values()) {
      if (status === 'pending' && by === executor) this.giveBack(key, executor);
    }
  }

  /** Puts one that has ended in line again, from its beginning; false if it has not. */
  startOver(key: RunKey): boolean {
    if (this.stateOf(key) !== 'ended') return false;
    this.#all.set(workflowIdOf(key), { key, status: 'enqueued', executor: undefined, stage: 0 });
    return true;
  }

  stateOf(key: RunKey): Workflow['status'] | 'unknown' {
    return this.#all.get(workflowIdOf(key))?.status ?? 'unknown';
  }

  executorOf(key: RunKey): string | undefined {
    return this.#all.get(workflowIdOf(key))?.executor;
  }

  #change(key: RunKey, executor: string, some: Partial<Workflow>): boolean {
    const id = workflowIdOf(key);
    const known = this.#all.get(id);
    if (known?.status !== 'pending' || known.executor !== executor) return false;
    this.#all.set(id, { ...known, ...some });
    return true;
  }
}
