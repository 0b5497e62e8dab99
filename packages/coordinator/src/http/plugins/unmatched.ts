import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problems.ts';

/** A path of the kind that a route's template names. */
function patternOf(template: string): RegExp {
  const parts = template.split(/(:[^/]+|\*)/).map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

const notFound = () => new Problem('not-found', 'There is nothing at this path.');

/**
 * Answers what no route takes, before a body is read: 405 with `Allow` if the path takes other methods, else 404. Added before the
 * routes, and after all that limits requests.
 */
export function refuseUnmatched(app: FastifyInstance): void {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  // Of a path that a route takes: a file of the page that is not there.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = [...routes.values()].flatMap((route) => (route.pattern.test(path) ? [...route.methods] : []));
    if (methods.length === 0) throw notFound();
    const allow = [...new Set(methods)].sort().join(', ');
    reply.header('allow', allow);
    throw new Problem('method-not-allowed', `This path takes ${allow}.`);
  });
}
