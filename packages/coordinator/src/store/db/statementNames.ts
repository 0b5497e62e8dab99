/** Uses of a statement from which on it is prepared. */
const PREPARED_FROM = 5;
/** Statements prepared at the most: each connection keeps them all, and lists of values of every length would never end. */
const MOST_PREPARED = 250;
/** Statements counted at the most before counting begins anew. */
const MOST_COUNTED = 2_000;

/**
 * Names for statements that are made often. A statement with a name is parsed and planned once for each connection, which is more than
 * half of what the small ones cost the server.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();

  /** The statement's name; undefined while it is not to be prepared. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MOST_PREPARED) return known;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < PREPARED_FROM) {
      if (this.#uses.size >= MOST_COUNTED) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `statement-${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
