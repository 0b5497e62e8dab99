import { createServer, type Server } from 'node:http';
import type { Api } from './httpServer.ts';

const PATHS: ReadonlySet<string> = new Set(['/api/health', '/api/metrics']);
const CONNECTIONS = 100;
const WITHIN_MS = 10_000;

/**
 * Answers health and metrics alone, as the API does, on connections of its own: whoever watches the service sees it whatever the public
 * listener goes through. Not yet listening.
 */
export function monitoringServer(api: Api): Server {
  const timeouts = {
    requestTimeout: WITHIN_MS,
    headersTimeout: WITHIN_MS,
    keepAliveTimeout: WITHIN_MS,
    requireHostHeader: false,
  };
  const server = createServer(timeouts, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (PATHS.has(path)) api.routing(request, response);
    else response.writeHead(404).end();
  });
  server.maxConnections = CONNECTIONS;
  return server;
}
