import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The values of a label that are known; each is there from the start, so that the first time is seen as an increase. */
type Labels = { readonly [label: string]: readonly string[] };

/** Values that are known only once something is counted under them. */
export const ANY: readonly string[] = [];

/** Seconds of one call to a ledger or of one look into the database. */
export const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** How a look for something to do ended. */
export const POLL_OUTCOMES = ['ok', 'failed'] as const;

/** Every combination of the labels' values. */
function combinations(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [label]: value }))),
    [{}],
  );
}

/** Defines metrics of a registry, under the prefix `service_`. */
export function definer(registry: Registry) {
  const config = <L extends Labels>(name: string, help: string, labels: L) => ({
    name: `service_${name}`,
    help,
    labelNames: Object.keys(labels) as (keyof L & string)[],
    registers: [registry],
  });
  const gauge = <L extends Labels>(name: string, help: string, labels: L = {} as L): Gauge<keyof L & string> => {
    const made = new Gauge(config(name, help, labels));
    for (const each of combinations(labels)) made.set(each as Record<keyof L & string, string>, 0);
    return made;
  };
  return {
    counter<L extends Labels>(name: string, help: string, labels: L = {} as L): Counter<keyof L & string> {
      const made = new Counter(config(name, help, labels));
      for (const each of combinations(labels)) made.inc(each as Record<keyof L & string, string>, 0);
      return made;
    },
    gauge,
    /** A gauge that is absent until it is known: 0 would look like an empty account. */
    lateGauge(name: string, help: string): Gauge {
      const made = gauge(name, help);
      made.remove();
      return made;
    },
    /** The buckets' upper bounds are seconds, as Prometheus expects. */
    histogram<L extends Labels>(
      name: string,
      help: string,
      labels: L,
      buckets: readonly number[],
    ): Histogram<keyof L & string> {
      const made = new Histogram({ ...config(name, help, labels), buckets: [...buckets] });
      for (const each of combinations(labels)) made.zero(each as Record<keyof L & string, string>);
      return made;
    },
  };
}

export type Define = ReturnType<typeof definer>;
