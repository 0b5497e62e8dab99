import { NDJSON } from '../answers.ts';
import { JOSE, JOSE_LINES } from './encryption.ts';

/** The parts of an OpenAPI document that are looked at here; everything else stays as it is. */
type Media = { schema?: unknown; [key: string]: unknown };
type Answer = { headers?: Record<string, unknown>; content?: Record<string, Media> };
type Operation = { responses?: Record<string, Answer>; security?: readonly Readonly<Record<string, unknown>>[] };
export type OpenApiDocument = {
  components?: { headers?: Record<string, unknown>; schemas?: Record<string, unknown>; [key: string]: unknown };
  paths?: Record<string, Record<string, Operation>>;
};

const PROBLEM = 'application/problem+json';

type ObjectSchema = { properties: Record<string, { enum?: readonly string[] }> };

/**
 * Says once what many answers have: header fields, and the shape of errors. Fastify wants each answer's schema whole; readers and
 * generators of clients want one name for one thing.
 */
export function shareParts(document: OpenApiDocument): OpenApiDocument {
  const headers: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  for (const answer of answersOf(document)) {
    for (const [name, field] of Object.entries(answer.headers ?? {})) {
      headers[name] = field;
      answer.headers = { ...answer.headers, [name]: { $ref: `#/components/headers/${name}` } };
    }
    const problem = answer.content?.[PROBLEM];
    if (problem === undefined) continue;
    const schema = problem.schema as ObjectSchema;
    const { enum: codes, ...code } = schema.properties.code as { enum: readonly string[] };
    schemas.Problem = { ...schema, properties: { ...schema.properties, code } };
    problem.schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] };
  }
  const components = document.components ?? {};
  return { ...document, components: { ...components, headers, schemas: { ...components.schemas, ...schemas } } };
}

const operationsOf = ({ paths = {} }: OpenApiDocument): Operation[] =>
  Object.values(paths).flatMap((path) => Object.values(path));

const answersOf = (document: OpenApiDocument): Answer[] =>
  operationsOf(document).flatMap(({ responses = {} }) => Object.values(responses));

const JSON_TYPE = 'application/json';
const ENCRYPTED = {
  schema: { type: 'string', description: 'Compact JWE of the same, for a session with a key for it' },
  example: 'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSJ9..eyJ0aGUiOiJub25jZSJ9.Y2lwaGVydGV4dA.dGFn',
};

const ENCRYPTED_LINES = {
  schema: {
    type: 'string',
    description: 'Lines of compact JWEs, each of some of these lines, for a session with a key for them',
  },
  example: `${ENCRYPTED.example}\n`,
};

/** Says of what only a signed request is answered that it may come encrypted. */
export function addEncrypted(document: OpenApiDocument): OpenApiDocument {
  for (const { security = [], responses = {} } of operationsOf(document)) {
    const isPrivate = security.length === 1 && security[0]?.httpSignature !== undefined;
    for (const { content } of isPrivate ? Object.values(responses) : []) {
      if (content === undefined) continue;
      if (JSON_TYPE in content) content[JOSE] = ENCRYPTED;
      if (NDJSON in content) content[JOSE_LINES] = ENCRYPTED_LINES;
    }
  }
  return document;
}
