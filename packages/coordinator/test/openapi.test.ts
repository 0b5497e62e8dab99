import { readFileSync } from 'node:fs';
import { systemTime } from '@payouts/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../src/domain/problems.ts';
import { errorsTable } from '../src/http/errorsReference.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { type Document, expectValid, operationsOf } from './support/document.ts';

const REFERENCE = new URL('../../../docs/reference/', import.meta.url);

let text: string;
let document: Document;
beforeAll(async () => {
  text = await openApiDocument(systemTime);
  document = JSON.parse(text) as Document;
});

const codesOf = (schema: unknown): string[] => {
  const { allOf } = schema as { allOf: [unknown, { properties: { code: { enum: string[] } } }] };
  return allOf[1].properties.code.enum;
};

describe('the OpenAPI document', () => {
  it('is the same each time, whatever time it is and whichever keys the service has', async () => {
    expect(await openApiDocument({ ...systemTime, now: () => 0 })).toBe(text);
  });

  it('is OpenAPI 3.1 and has every endpoint', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(
      operationsOf(document)
        .map(([name]) => name)
        .sort(),
    ).toEqual([
      'DELETE /api/address-changes/{id}',
      'DELETE /api/invitations/{id}',
      'DELETE /api/notices/{id}',
      'DELETE /api/schedules/{schedulePda}/grants/{id}',
      'DELETE /api/schedules/{schedulePda}/webhooks/{id}',
      'GET /api/address-changes',
      'GET /api/auditors/me/grants',
      'GET /api/deployment',
      'GET /api/employers/me/schedules',
      'GET /api/events',
      'GET /api/health',
      'GET /api/invitations',
      'GET /api/metrics',
      'GET /api/notices',
      'GET /api/overview',
      'GET /api/recipients/{address}/balances',
      'GET /api/recipients/{address}/history',
      'GET /api/recipients/{address}/proofs',
      'GET /api/rounds/{mint}',
      'GET /api/runs',
      'GET /api/schedules/{schedulePda}',
      'GET /api/schedules/{schedulePda}/audit',
      'GET /api/schedules/{schedulePda}/executions',
      'GET /api/schedules/{schedulePda}/executions/{window}',
      'GET /api/schedules/{schedulePda}/grants',
      'GET /api/schedules/{schedulePda}/grants/{id}/payslips',
      'GET /api/schedules/{schedulePda}/payslips/{window}',
      'GET /api/schedules/{schedulePda}/recipients',
      'GET /api/schedules/{schedulePda}/recipients/{address}',
      'GET /api/schedules/{schedulePda}/recipients/{address}/payslips/{window}',
      'GET /api/schedules/{schedulePda}/webhooks',
      'GET /api/schedules/{schedulePda}/webhooks/{id}/deliveries',
      'GET /api/series',
      'GET /api/session',
      'GET /api/unsubscribe/{token}',
      'POST /api/address-changes',
      'POST /api/invitation-answers',
      'POST /api/invitation-lookups',
      'POST /api/invitations',
      'POST /api/notices',
      'POST /api/notices/{id}/code',
      'POST /api/recipients/{address}/payment-codes',
      'POST /api/reconcile',
      'POST /api/relayed-transfers',
      'POST /api/runs/{schedulePda}/{window}/resume',
      'POST /api/schedules',
      'POST /api/schedules/{schedulePda}/grants',
      'POST /api/schedules/{schedulePda}/webhooks',
      'POST /api/schedules/{schedulePda}/webhooks/{id}/replay',
      'POST /api/schedules/{schedulePda}/webhooks/{id}/secret',
      'POST /api/schedules/{schedulePda}/webhooks/{id}/test',
      'POST /api/transactions',
      'POST /api/unsubscribe/{token}',
    ]);
  });

  it('says of each operation what it is for and how it fails', () => {
    const ids = new Set<string>();
    for (const [name, operation] of operationsOf(document)) {
      ids.add(operation.operationId);
      expect(operation.tags, name).toHaveLength(1);
      expect(operation.summary, name).toMatch(/\w/);
      expect(operation.description, name).toMatch(/\w/);
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(answer.description, `${name} ${status}`).not.toBe('Default Response');
        expect(answer.headers, `${name} ${status}`).toHaveProperty('X-Request-Id');
        if (status === '429' || status === '503') {
          const isHealth = operation.operationId === 'readHealth';
          expect('Retry-After' in (answer.headers ?? {}), `${name} ${status}`).toBe(!isHealth);
        }
      }
    }
    expect(ids.size).toBe(operationsOf(document).length);
  });

  it('names under each status exactly codes of that status', () => {
    const seen = new Set<string>();
    for (const [name, { responses }] of operationsOf(document)) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const problem = content['application/problem+json'];
        if (Number(status) < 400 || problem === undefined) continue;
        for (const code of codesOf(problem.schema)) {
          expect(PROBLEMS[code as ProblemCode].status, `${name} ${code}`).toBe(Number(status));
          seen.add(code);
        }
      }
    }
    // No operation is what answers these.
    expect(
      Object.keys(PROBLEMS)
        .filter((code) => !seen.has(code))
        .sort(),
    ).toEqual(['method-not-allowed', 'not-found']);
  });

  it('has examples, each as its schema says', () => {
    let found = 0;
    for (const [, { responses, parameters = [], requestBody }] of operationsOf(document)) {
      const media = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
      for (const { schema, example } of [...media, ...Object.values(requestBody?.content ?? {}), ...parameters]) {
        if (example === undefined) continue;
        expectValid(document, schema, example);
        found += 1;
      }
      for (const { example } of media) expect(example).toBeDefined();
    }
    expect(found).toBeGreaterThan(40);
  });
});

/** How fields are called that hold a moment; counts and durations say what of, or their unit. */
const MOMENT = /^(at|now|from|to|since|timestamp|deadline|nextExecution)$|(At|Now|Since|Until)$/;
/** Seconds of the years 2001 to 2096: a moment in another unit than milliseconds. */
const isSeconds = (value: unknown) => typeof value === 'number' && value > 1e9 && value < 4e9;

describe('every time of the API', () => {
  /** Each field of an object anywhere in a document, with its schemas: of a union, all. */
  const fieldsOf = (part: unknown): [name: string, schema: Readonly<Record<string, unknown>>][] => {
    if (typeof part !== 'object' || part === null) return [];
    const { properties = {} } = part as { properties?: Record<string, { anyOf?: object[] }> };
    const own = Object.entries(properties).flatMap(([name, schema]) =>
      (schema.anyOf ?? [schema]).map((one): [string, Record<string, unknown>] => [name, { ...one }]),
    );
    return [...own, ...Object.values(part).flatMap(fieldsOf)];
  };
  const examplesOf = (part: unknown): unknown[] => {
    if (typeof part !== 'object' || part === null) return [];
    const { example, examples } = part as { example?: unknown; examples?: unknown };
    return [example, examples, ...Object.values(part).flatMap(examplesOf)].filter((one) => one !== undefined);
  };
  const secondsIn = (value: unknown): unknown[] => {
    if (isSeconds(value)) return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secondsIn) : [];
  };

  it('is a number of unix milliseconds, and says so', () => {
    const moments = fieldsOf(document).filter(([name, { type }]) => MOMENT.test(name) && type !== 'null');
    expect(moments.length).toBeGreaterThan(40);
    for (const [name, schema] of moments) {
      expect([name, schema]).toEqual([
        name,
        expect.objectContaining({ type: 'integer', description: expect.stringMatching(/^Unix milliseconds(: .|$)/) }),
      ]);
    }
    // The other way round: nothing else calls itself a moment, in this form or another.
    for (const [name, { description = '', format }] of fieldsOf(document)) {
      if (/unix|since 1970|ISO 8601/i.test(String(description))) expect(name).toMatch(MOMENT);
      expect(String(format), name).not.toMatch(/date|time/);
    }
  });

  it('is in examples as in answers', () => {
    expect(secondsIn(examplesOf(document))).toEqual([]);
  });
});

describe('the table of errors', () => {
  it('is the one in docs/reference: `npm run coordinator -- errors` prints it', () => {
    expect(readFileSync(new URL('errors.md', REFERENCE), 'utf8')).toContain(`\n${errorsTable()}\n`);
  });
});
