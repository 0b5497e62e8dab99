import { errorsTable } from '../http/errorsReference.ts';
import { openApiDocument } from '../http/openapi.ts';
import { observeProcess } from '../monitoring/process.ts';
import { metricsTable } from '../monitoring/reference.ts';
import { createMetrics } from '../platform/metrics.ts';
import { type Command, type CommandContext, command, print, UsageError } from './command.ts';

/** A command that prints a text and takes nothing. */
const printCommand = (summary: string, text: (context: CommandContext) => string | Promise<string>): Command =>
  command({
    synopsis: '',
    summary,
    options: {},
    async run(_, operands, context) {
      if (operands.length > 0) throw new UsageError('It takes nothing.');
      await print((await text(context)).trimEnd());
      return 0;
    },
  });

/** The table of docs/reference/errors.md. */
export const errors = printCommand('prints every error of the HTTP API, as a table in Markdown', errorsTable);

/** The document that the service answers at /api/openapi.json. */
export const openapi = printCommand('prints the OpenAPI description of the HTTP API', ({ time }) =>
  openApiDocument(time),
);

/** The table of docs/reference/metrics.md. */
export const metrics = printCommand('prints every metric that the service has, as a table in Markdown', () => {
  const all = createMetrics();
  observeProcess(all);
  const table = metricsTable(all);
  // Watching the process would keep this one alive.
  all.registry.clear();
  return table;
});
