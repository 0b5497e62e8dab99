import { Check, Errors } from 'typebox/schema';
import { expect } from 'vitest';

type Schema = Record<string, unknown>;
type Header = { readonly schema: Schema };
type Media = { readonly schema: Schema; readonly example?: unknown };
type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { $ref?: string } & Partial<Header>>>;
  readonly content?: Readonly<Record<string, Media>>;
};
type Parameter = { readonly name: string; readonly in: string; readonly schema: Schema; readonly example?: unknown };
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
};
export type Document = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

/** Every operation of a document by its method and path, such as `GET /api/health`. */
export const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

/** Throws unless a value is as a schema of the document says. */
export function expectValid({ components }: Document, schema: Schema, value: unknown): void {
  const context = components.schemas as Parameters<typeof Check>[0];
  const whole = resolved(components.schemas, schema);
  expect(Check(context, whole as never, value), JSON.stringify([value, Errors(context, whole as never, value)])).toBe(
    true,
  );
}

/** A schema with what it refers to in its place. */
function resolved(schemas: Document['components']['schemas'], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(schemas, one));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref !== undefined) return schemas[$ref.split('/').at(-1) as string];
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(schemas, inner)]));
}

/** An answer as it came. */
export type Received = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** Throws unless the document says that this answer may come: its status, its type, its headers and every field of it. */
export function expectDocumented(document: Document, operation: Operation, { status, headers, body }: Received): void {
  const answer = operation.responses[String(status)];
  if (answer === undefined) throw new Error(`${operation.operationId} answered ${status}, which is not documented.`);
  const type = String(headers['content-type']).split(';', 1)[0] as string;
  const media = answer.content?.[type];
  if (media === undefined) throw new Error(`${operation.operationId} ${status} is not documented as ${type}.`);
  expectValid(document, media.schema, /[/+]json$/.test(type) ? JSON.parse(body) : body);
  for (const [name, { $ref }] of Object.entries(answer.headers ?? {})) {
    const given = headers[name.toLowerCase()];
    if (given === undefined) continue;
    const header = document.components.headers[$ref?.split('/').at(-1) as string];
    expectValid(document, header?.schema as Schema, String(given));
  }
}
