/** Items in groups of a size, the last one smaller. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Runs `work` on every item, at most `limit` at a time. The first error stops what has not begun and is thrown. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // The workers share one iterator, so each item is taken once.
  const shared = items[Symbol.iterator]();
  let stopped = false;
  const worker = async () => {
    for (let next = shared.next(); !stopped && !next.done; next = shared.next()) {
      try {
        await work(next.value);
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
