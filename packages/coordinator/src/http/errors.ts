import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { INVALID_ADDRESS } from '../domain/address.ts';
import { RunError, type RunErrorCode } from '../domain/errors.ts';
import { Problem, problemBody } from '../domain/problems.ts';
import { isShowable } from '../lists/fieldName.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import { isDatabaseOutage, isKeyRenewed } from '../store/db/outage.ts';
import { routeTemplate } from './routeTemplate.ts';

/** Seconds after which something that is gone may be back. */
const RETRY_AFTER = 5;
const PROBLEM_TYPE = 'application/problem+json';

/** Answers every error as `application/problem+json`; none repeats what the caller sent. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const problem = problemOf(error);
    if (problem.code === 'internal-error') {
      log.error(
        {
          ...errorFields(error),
          request: request.id,
          route: routeTemplate(request),
        },
        'a request failed',
      );
    }
    return answer(reply, problem);
  });
}

/** Answers what the framework refuses before it has found a route. */
export const answerUnrouted = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
  reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff');
  answer(reply, problemOf(error));
};

function answer(reply: FastifyReply, problem: Problem): FastifyReply {
  // What is left of a request that comes too slowly is not waited for.
  if (problem.status === 408) reply.header('connection', 'close');
  if (problem.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  return reply.status(problem.status).type(PROBLEM_TYPE).send(problemBody(problem));
}

/** Reasons why the execution layer can't be asked; which one is the operator's business. */
const LAYER_GONE: ReadonlySet<RunErrorCode> = new Set([
  'layer-unavailable',
  'layer-untrusted',
  'layer-sign-in-refused',
  'layer-lost',
]);

/** An error as it is answered. */
export function problemOf(error: Error & Partial<FastifyError>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RunError && (error.code === 'ledger-unavailable' || error.code === 'key-service-unavailable')) {
    return new Problem(error.code, error.message);
  }
  if (error instanceof RunError && LAYER_GONE.has(error.code)) {
    return new Problem('layer-unavailable', 'The execution layer does not answer; try again in a moment.');
  }
  const [invalid] = error.validation ?? [];
  if (invalid !== undefined) return invalidRequest(error.validationContext, invalid);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', 'The body is larger than BODY_LIMIT_BYTES.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', 'Send the body as application/json.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid-json', 'The body is not JSON.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed-request', 'The body is not as long as Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return new Problem('malformed-request', 'The path has a percent sign that encodes no character.');
  }
  // A folder, or what is beyond the one that is served: only what serves files says so.
  if (error.statusCode === 403) return new Problem('not-found', 'There is nothing at this path.');
  if (isDatabaseOutage(error) || isKeyRenewed(error)) {
    return new Problem('database-unavailable', 'The database does not answer; try again in a moment.');
  }
  return new Problem('internal-error', 'Something went wrong here; the log says where, beside the X-Request-Id.');
}

const UNKNOWN = 'is not known';

type Invalid = NonNullable<FastifyError['validation']>[number];

/** Rules only: the message of a rule names no value. */
function invalidRequest(context: FastifyError['validationContext'], invalid: Invalid): Problem {
  if (context === 'params' && invalid.instancePath === '/window') {
    return new Problem('invalid-window', "A window's number is decimal, without zeros in front.");
  }
  if (context === 'params') return new Problem('invalid-address', INVALID_ADDRESS);
  if (context === 'headers') return new Problem('malformed-request', 'A header field is not as described.');
  const { missingProperty, additionalProperty } = invalid.params as Record<string, string | undefined>;
  const pointer = `${invalid.instancePath}${pointerTo(missingProperty ?? additionalProperty)}`;
  const code = context === 'querystring' ? 'invalid-query' : 'invalid-body';
  return invalidAt(code, pointer, ruleText(invalid));
}

/** What a query parameter is answered that the route does not describe. */
export const unknownParameter = (name: string): Problem => invalidAt('invalid-query', pointerTo(name), UNKNOWN);

/** What is missing or unknown is part of its pointer, if it looks like a field's name. */
const pointerTo = (name: string | undefined): string => (name !== undefined && isShowable(name) ? `/${name}` : '');

function invalidAt(code: 'invalid-query' | 'invalid-body', pointer: string, rule: string): Problem {
  const what = code === 'invalid-query' ? 'A query parameter' : 'The body';
  return new Problem(code, `${pointer || what} ${rule}.`, { pointer });
}

function ruleText({ keyword, message }: Invalid): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'additionalProperties') return UNKNOWN;
  return message ?? 'is invalid';
}
