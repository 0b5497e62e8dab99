/** Remembers so many of the values that it has made, by name: the oldest gives way to a new one. */
export function remembering<T>(most: number): (name: string, make: () => T) => T {
  const values = new Map<string, T>();
  return (name, make) => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const made = make();
    if (values.size >= most) values.delete(values.keys().next().value as string);
    values.set(name, made);
    return made;
  };
}
