import { errorsTable } from '../http/errorsReference.ts';
import { openApiDocument } from '../http/openapi.ts';
import { printCommand } from './printCommand.ts';

/** The table of docs/reference/errors.md. */
export const errors = printCommand('prints every error of the HTTP API, as a table in Markdown', errorsTable);

/** The document of docs/reference/openapi.json. */
export const openapi = printCommand('prints the OpenAPI description of the HTTP API', ({ time }) =>
  openApiDocument(time),
);
