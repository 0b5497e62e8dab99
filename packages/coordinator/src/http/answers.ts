import { type Static, type TSchema, Type } from 'typebox';
import { PROBLEMS, Problem, type ProblemCode, problemBody } from '../domain/problems.ts';

/** Header fields of an answer, as the OpenAPI document describes them. */
export type HeaderFields = Readonly<Record<string, TSchema>>;

const REQUEST_ID: HeaderFields = {
  'X-Request-Id': Type.String({ format: 'uuid', description: 'Names this request in the log of the service' }),
};

/** What the answers of a limited route say of the limit. */
export const LIMIT_FIELDS: HeaderFields = {
  'RateLimit-Policy': Type.String({ description: 'Requests and seconds of the limit, such as 60;w=60' }),
  'RateLimit-Limit': Type.String({ pattern: '^[0-9]+$', description: 'Requests that the limit allows' }),
  'RateLimit-Remaining': Type.String({ pattern: '^[0-9]+$', description: 'Requests left of them' }),
  'RateLimit-Reset': Type.String({ pattern: '^[0-9]+$', description: 'Seconds until all of them are there again' }),
};

const RETRY_AFTER: HeaderFields = {
  'Retry-After': Type.String({ pattern: '^[1-9][0-9]*$', description: 'Seconds to wait before another try' }),
};

/** What a refused signature is told: what to sign. */
const SIGNATURE_WANTED: HeaderFields = {
  'WWW-Authenticate': Type.String({ description: 'Signature' }),
  'Accept-Signature': Type.String({ description: 'RFC 9421: what the signature must cover' }),
};

/** An answer in JSON as routes declare it: it types, serialises and documents what they return. */
export function json<S extends TSchema>(description: string, schema: S, example: Static<S>, fields: HeaderFields = {}) {
  return {
    description,
    headers: { ...REQUEST_ID, ...fields },
    content: { 'application/json': { schema, example } },
  };
}

/** The media type of lines of JSON. */
export const NDJSON = 'application/x-ndjson';

/** An answer in text of a media type of its own. */
export function text(description: string, mediaType: string, example: string, fields: HeaderFields = {}) {
  const headers = { ...REQUEST_ID, ...fields };
  return { description, headers, content: { [mediaType]: { schema: Type.String(), example } } };
}

/** RFC 9457, with what else an error may say. */
const problemView = (codes: readonly ProblemCode[]) =>
  Type.Object(
    {
      type: Type.String({ description: 'urn:payouts:problem: and the code' }),
      title: Type.String(),
      status: Type.Integer(),
      code: Type.Enum([...codes], { type: 'string', description: 'Stable' }),
      detail: Type.String({ description: 'What is wrong here and what to do, for people' }),
      pointer: Type.Optional(Type.String({ description: 'JSON pointer to what is wrong' })),
      index: Type.Optional(Type.Integer({ description: 'Index of the recipient that is wrong' })),
    },
    { additionalProperties: true },
  );

type ProblemAnswer = {
  description: string;
  headers: HeaderFields;
  content: { 'application/problem+json': { schema: ReturnType<typeof problemView>; example: unknown } };
};
type ProblemStatus = (typeof PROBLEMS)[ProblemCode]['status'];

/** What any request may be answered: by the server before a route has it, or by a route that fails. */
const ALWAYS: readonly ProblemCode[] = [
  'malformed-request',
  'request-timeout',
  'expectation-failed',
  'headers-too-large',
  'internal-error',
];

/** The errors that a route answers, one declaration a status. Those that every route has are added. */
export function problems(...codes: readonly ProblemCode[]): Record<ProblemStatus, ProblemAnswer> {
  const all = [...codes, ...ALWAYS];
  const statuses = new Set(all.map((code) => PROBLEMS[code].status));
  const answers = [...statuses].map((status) => [
    status,
    problemAnswer(
      status,
      all.filter((code) => PROBLEMS[code].status === status),
    ),
  ]);
  return Object.fromEntries(answers) as Record<ProblemStatus, ProblemAnswer>;
}

/** How a signature may be wrong, or for somebody else. */
export const SIGNATURE_CODES = [
  'signature-missing',
  'signature-invalid',
  'signature-expired',
  'signature-replayed',
  'delegation-invalid',
  'public-origins-unset',
  'public-origins-mismatch',
] as const;
/** How a body may be wrong. */
export const BODY_CODES = ['invalid-json', 'invalid-body', 'body-too-large', 'unsupported-media-type'] as const;

/** The errors of a route that is limited, refused while the service stops, and asks the database. */
export const readProblems = (...codes: readonly ProblemCode[]): Record<ProblemStatus, ProblemAnswer> =>
  problems(...codes, 'rate-limited', 'service-stopping', 'database-unavailable');

function problemAnswer(status: ProblemStatus, codes: readonly ProblemCode[]): ProblemAnswer {
  const [first] = codes as [ProblemCode];
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
    headers: {
      ...REQUEST_ID,
      ...(status === 401 ? SIGNATURE_WANTED : {}),
      ...(status === 429 ? { ...LIMIT_FIELDS, ...RETRY_AFTER } : {}),
      ...(status === 503 ? RETRY_AFTER : {}),
    },
    content: {
      'application/problem+json': {
        schema: problemView(codes),
        example: problemBody(new Problem(first, PROBLEMS[first].title)),
      },
    },
  };
}
