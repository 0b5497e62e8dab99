import { errorsTable } from '../http/errorsReference.ts';
import { openApiDocument } from '../http/openapi.ts';
import { printed } from './printed.ts';

/** The table of docs/reference/errors.md. */
export const errors = printed('prints every error of the HTTP API, as a table in Markdown', errorsTable);

/** The document of docs/reference/openapi.json. */
export const openapi = printed('prints the OpenAPI description of the HTTP API', ({ time }) => openApiDocument(time));
