import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { Metrics } from '../platform/metrics.ts';
import { version } from '../platform/version.ts';

/** The library's gauges whose names say that they are counters. */
const MISNAMED = ['active_handles', 'active_requests', 'active_resources'].map(
  (name) => `service_nodejs_${name}_total`,
);

/** Adds what is to be known of the process: memory, processor, event loop, garbage, versions. Once a process. */
export function observeProcess({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, prefix: 'service_' });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'service_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node'] as const,
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
}
