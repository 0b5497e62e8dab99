import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';

type Factory = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildSerializer']
>;
type Serializer = ReturnType<ReturnType<Factory>>;

/** Fastify's own, which is its dependency and not ours. */
const ofFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { SerializerSelector } = ofFastify('@fastify/fast-json-stringify-compiler') as {
  SerializerSelector: () => Factory;
};
const build = SerializerSelector();

/** By the answer's schema, of all servers of a process. */
const known = new Map<string, Serializer>();

/**
 * What writes answers. Nine in ten of the answers that routes have are the same problems as those of other routes: each is compiled once,
 * which is most of the work of making a server. No schema refers to another one.
 */
export const buildSerializer: Factory = (schemas, options) => {
  const compile = build(schemas, options);
  return (route) => {
    const key = JSON.stringify(route.schema);
    const serialize = known.get(key) ?? compile(route);
    known.set(key, serialize);
    return serialize;
  };
};
