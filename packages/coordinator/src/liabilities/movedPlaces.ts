/** Places of balances that private transfers have changed, as long as this process has made all of them itself. */
export class MovedPlaces {
  #places = new Set<number>();
  #transfers = 0n;

  /** A transfer was made between these. */
  note(places: readonly number[]): void {
    this.#transfers += 1n;
    for (const place of places) this.#places.add(place);
  }

  /** What has changed with so many transfers since this was asked last; undefined: not known, since others have made some. */
  take(transfers: bigint): ReadonlySet<number> | undefined {
    const [places, isKnown] = [this.#places, this.#transfers === transfers];
    this.#places = new Set();
    this.#transfers = 0n;
    return isKnown ? places : undefined;
  }
}
