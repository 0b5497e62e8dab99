/** A process's right to work on runs, among those that share a database. */
export interface Lease {
  /** The engine's name for this process: jobs at work here are locked by it. */
  readonly executor: string;
  /** Counts up when the lease expired and the process has a new one: what it began before is others' work since. */
  readonly generation: number;
  /** Whether nobody can have taken this process for dead by now. */
  isHeld(): boolean;
}

/** The right of a process that has the database to itself. By its constant name the engine takes up what the last process left. */
export const unshared: Lease = {
  executor: 'coordinator',
  generation: 0,
  isHeld: () => true,
};
