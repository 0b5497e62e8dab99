import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Api } from '../httpServer.ts';

/** Names of the files beneath it change with their content. */
const ASSETS = 'assets';
const YEAR_MS = 365 * 24 * 3_600_000;

/** The page runs its own files alone, and asks nobody but this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const setPolicy = (reply: FastifyReply): void => {
  reply.header('content-security-policy', POLICY);
};

/** Serves the dashboard's page from a folder: `index.html` at `/`, and what stands beneath `assets`, compressed if the build made that. */
export async function servePage(app: Api, folder: string): Promise<void> {
  await app.register(async (scope: FastifyInstance) => {
    // Asked for anew each time, so that a new version is seen at once.
    await scope.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    });
    scope.get('/', { schema: { hide: true } }, (_, reply) => {
      setPolicy(reply);
      reply.header('cache-control', 'no-cache');
      return reply.sendFile('index.html');
    });
    await scope.register(fastifyStatic, {
      root: join(folder, ASSETS),
      prefix: `/${ASSETS}/`,
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      decorateReply: false,
      immutable: true,
      maxAge: YEAR_MS,
      setHeaders: setPolicy as (reply: unknown) => void,
    });
  });
}
