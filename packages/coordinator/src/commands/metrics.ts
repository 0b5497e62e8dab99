import { observeProcess } from '../monitoring/process.ts';
import { metricsTable } from '../monitoring/reference.ts';
import { createMetrics } from '../platform/metrics.ts';
import { command, print, UsageError } from './command.ts';

/** The table of docs/reference/metrics.md. */
export const metrics = command({
  synopsis: '',
  summary: 'prints every metric that the service has, as a table in Markdown',
  options: {},
  async run(_, operands) {
    if (operands.length > 0) throw new UsageError('It takes nothing.');
    const all = createMetrics();
    observeProcess(all);
    await print(metricsTable(all));
    // Watching the process would keep this one alive.
    all.registry.clear();
    return 0;
  },
});
