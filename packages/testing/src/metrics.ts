/** What a coordinator shows of itself; its metrics must be public, or for whoever has this token. */
export async function readMetrics(apiUrl: string, token?: string): Promise<string> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`${apiUrl}/api/metrics`, { headers })).text();
}

/** The sum of a metric's series that have these labels, as `outcome="ok"`; NaN: there are none. */
export function metricIn(text: string, name: string, ...labels: readonly string[]): number {
  const values: number[] = [];
  for (const [, found, own = '', value] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    if (found === name && labels.every((label) => own.split(',').includes(label))) values.push(Number(value));
  }
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}
