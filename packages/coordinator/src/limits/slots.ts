/** Places for what may be under way at a time in this process. */
export class Slots {
  readonly limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isFull(): boolean {
    return this.#taken >= this.limit;
  }

  /** Takes a place, even beyond the limit, and returns what gives it back, once however often it is called. */
  take(): () => void {
    let isTaken = true;
    this.#taken += 1;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
    };
  }
}
