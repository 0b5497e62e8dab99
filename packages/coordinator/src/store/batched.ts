/**
 * Makes one call of those that come while another is under way: what many runs keep at about the same time goes into one statement.
 * Of two items with one key the later counts. Each caller's promise ends as the call does that its item was part of.
 */
export function batched<Item>(
  keyOf: (item: Item) => string,
  keep: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let waiting: { readonly items: Map<string, Item>; readonly kept: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  const begin = () => {
    const items = new Map<string, Item>();
    const kept = last.then(() => {
      waiting = undefined;
      return keep([...items.values()]);
    });
    last = kept.catch(() => {});
    waiting = { items, kept };
    return waiting;
  };
  return (item) => {
    const next = waiting ?? begin();
    next.items.set(keyOf(item), item);
    return next.kept;
  };
}
