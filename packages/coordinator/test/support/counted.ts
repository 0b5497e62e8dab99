import type { Metrics } from '../../src/platform/metrics.ts';

/** A counter's value with these labels; 0 if it has none. */
export async function countOf(
  { registry }: Metrics,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  const found = metric?.values.find((value) =>
    Object.entries(labels).every(([label, text]) => String(value.labels[label]) === text),
  );
  return found?.value ?? 0;
}
