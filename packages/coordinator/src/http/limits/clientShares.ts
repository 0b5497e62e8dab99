/** What each client holds at a time of something that all share: nobody gets more than a share. */
export class ClientShares {
  readonly #held = new Map<string, number>();

  constructor(readonly share: number) {}

  /** Takes one for a client, and returns what gives it back, once however often it is called; undefined: the client has its share. */
  take(client: string): (() => void) | undefined {
    const held = this.#held.get(client) ?? 0;
    if (held >= this.share) return undefined;
    this.#held.set(client, held + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#held.get(client) ?? 1) - 1;
      if (left > 0) this.#held.set(client, left);
      else this.#held.delete(client);
    };
  }
}
