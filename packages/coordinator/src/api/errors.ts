import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { RunError } from '../domain/errors.ts';
import { Problem, problemBody } from '../domain/problems.ts';
import type { Logger } from '../log/log.ts';

/** Answers every error as `application/problem+json`; none repeats what the caller sent. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const problem = problemOf(error);
    if (problem.code === 'internal-error') {
      log.error(
        { error: error.name, route: request.routeOptions.url, place: error.stack?.split('\n')[1]?.trim() },
        'a request failed',
      );
    }
    return answer(reply, problem);
  });
  app.setNotFoundHandler((_, reply) => answer(reply, new Problem('not-found', 'There is nothing at this path.')));
}

function answer(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.status(problem.status).type('application/problem+json').send(problemBody(problem));
}

function problemOf(error: Error & Partial<FastifyError>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RunError && error.code === 'ledger-unavailable')
    return new Problem('ledger-unavailable', error.message);
  const [invalid] = error.validation ?? [];
  if (invalid !== undefined) {
    const code = error.validationContext === 'querystring' ? 'invalid-query' : 'invalid-body';
    // Rules only: the message of a rule names no value. What is missing or unknown is part of its pointer.
    const { missingProperty, additionalProperty } = invalid.params as Record<string, string | undefined>;
    const inner = missingProperty ?? additionalProperty;
    const pointer = inner === undefined ? invalid.instancePath : `${invalid.instancePath}/${inner}`;
    return new Problem(code, `${pointer || 'The body'} ${ruleText(invalid.keyword, invalid.message)}.`, { pointer });
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', 'The body is larger than BODY_LIMIT_BYTES.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', 'Send the body as application/json.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid-json', 'The body is not JSON.');
    default:
      return new Problem('internal-error', 'Something went wrong here; the log says where.');
  }
}

function ruleText(keyword: string, message: string | undefined): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'additionalProperties') return 'is not known';
  return message ?? 'is invalid';
}
