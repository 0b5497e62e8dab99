/** Lists by name, up to so many recipients together; those that were asked for longest ago give way. */
export class RecentLists<T> {
  readonly #most: number;
  readonly #lists = new Map<string, { readonly list: T; readonly count: number }>();
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    const known = this.#lists.get(name);
    if (known === undefined) return undefined;
    this.#lists.delete(name);
    this.#lists.set(name, known);
    return known.list;
  }

  set(name: string, list: T, count: number): void {
    this.#remove(name);
    if (count > this.#most) return;
    this.#lists.set(name, { list, count });
    this.#total += count;
    for (const oldest of this.#lists.keys()) {
      if (this.#total <= this.#most) break;
      this.#remove(oldest);
    }
  }

  #remove(name: string): void {
    this.#total -= this.#lists.get(name)?.count ?? 0;
    this.#lists.delete(name);
  }
}
