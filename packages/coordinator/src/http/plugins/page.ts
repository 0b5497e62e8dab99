import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Api } from '../httpServer.ts';

/** Names of the files beneath it change with their content. */
const ASSETS = 'assets';
const YEAR_MS = 365 * 24 * 3_600_000;

/** A page that the service serves: where, and the folder of what its build made. */
export type Page = {
  readonly at: '/' | '/recipient/';
  readonly folder: string;
  /** Files beside the page whose names stay the same, such as a worker's: asked for anew each time. */
  readonly files: readonly string[];
  /** A document beside it that may ask any ledger, since its reader names one; it asks this service for nothing private. */
  readonly asksAny?: string;
};

/** What a document may ask whose reader names a ledger. */
const ANY = ['https:', 'http://127.0.0.1:*', 'http://localhost:*'];

/** A page runs its own files alone, and asks nobody but this service and these. */
const policyOf = (ledgers: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...ledgers].join(' '),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Serves a page from a folder: `index.html` where it is, its files beside it, and what stands beneath `assets`, compressed if the build made
 * that. `ledgers`: addresses that it may ask beside this service.
 */
export async function servePage(app: Api, page: Page, ledgers: readonly string[]): Promise<void> {
  const { at, folder, files, asksAny } = page;
  const policy = policyOf([...new Set(ledgers.map((url) => new URL(url).origin))]);
  const setPolicy = (reply: FastifyReply): void => {
    reply.header('content-security-policy', policy);
  };
  await app.register(async (scope: FastifyInstance) => {
    // Asked for anew each time, so that a new version is seen at once.
    await scope.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    });
    for (const [path, file] of [[at, 'index.html'], ...files.map((name) => [`${at}${name}`, name])] as const) {
      scope.get(path as string, { schema: { hide: true } }, (_, reply) => {
        reply.header('content-security-policy', file === asksAny ? policyOf(ANY) : policy);
        reply.header('cache-control', 'no-cache');
        return reply.sendFile(file as string);
      });
    }
    if (at !== '/') scope.get(at.slice(0, -1), { schema: { hide: true } }, (_, reply) => reply.redirect(at, 308));
    await scope.register(fastifyStatic, {
      root: join(folder, ASSETS),
      prefix: `${at}${ASSETS}/`,
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
