/** What a coordinator with public metrics shows now: the sum of a metric over its labels, by its name. */
export async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/api/metrics`)).text();
  const sums = new Map<string, number>();
  for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)$/gm)) {
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return (name) => sums.get(name) ?? Number.NaN;
}
