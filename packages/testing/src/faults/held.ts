/** Calls that wait until later ones have gone through. */
export class HeldCalls {
  readonly #waiting = new Set<{ left: number; readonly release: () => void }>();

  /** Waits for so many later calls, at most so many milliseconds. */
  wait(later: number, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const held = {
        left: later,
        release: () => {
          clearTimeout(timer);
          this.#waiting.delete(held);
          resolve();
        },
      };
      const timer = setTimeout(held.release, withinMs);
      this.#waiting.add(held);
    });
  }

  /** A call that was not held back has gone through. */
  passed(): void {
    for (const held of [...this.#waiting]) {
      held.left -= 1;
      if (held.left <= 0) held.release();
    }
  }

  releaseAll(): void {
    for (const held of [...this.#waiting]) held.release();
  }
}
