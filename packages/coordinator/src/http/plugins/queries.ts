import type { FastifyInstance } from 'fastify';
import { unknownParameter } from '../errors.ts';

/** The page's own files take what links and browsers add to their addresses. */
const API = '/api/';

/** Refuses query parameters that a route of the API does not describe, before a body is read; one that describes none takes none. */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ query, routeOptions: { url = '', schema } }) => {
    if (!url.startsWith(API)) return;
    const { properties = {} } = (schema?.querystring ?? {}) as { readonly properties?: object };
    const unknown = Object.keys(query as object).find((name) => !Object.hasOwn(properties, name));
    if (unknown !== undefined) throw unknownParameter(unknown);
  });
}
