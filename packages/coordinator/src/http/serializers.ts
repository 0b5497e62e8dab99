import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type Factory = ReturnType<typeof SerializerSelector>;

/** As the server has it by itself. */
const build = SerializerSelector();

/** By the answer's schema, of all servers of a process. */
const known = new Map<string, ReturnType<ReturnType<Factory>>>();

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
