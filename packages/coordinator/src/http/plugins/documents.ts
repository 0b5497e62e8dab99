import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { addEncrypted, type OpenApiDocument, shareParts } from './sharedParts.ts';

const DOCS = '/api/docs';
/** Where the page's own files are: they never change while the service runs. */
export const DOCS_ASSETS = `${DOCS}/static/`;

/** The page loads nothing from elsewhere and sends requests to this service alone. */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const INFO = {
  title: 'Payout coordinator',
  version: '1',
  summary: 'Registers recipient lists and shows what became of each window.',
  description:
    'Amounts are decimal strings of base units. Every time is unix milliseconds, whichever clock says it. ' +
    'Every error is `application/problem+json` (RFC 9457) with a stable `code`. What is private is shown only to a request that ' +
    'the employer or the recipient has signed.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const SECURITY_SCHEMES = {
  metricsToken: { type: 'http' as const, scheme: 'bearer', description: 'METRICS_AUTH_TOKEN' },
  httpSignature: {
    type: 'apiKey' as const,
    in: 'header',
    name: 'Signature',
    description:
      'HTTP Message Signatures (RFC 9421) with the ledger key, ed25519: `Signature-Input` covers "@method", "@authority", "@path" and ' +
      '"@query", with created, nonce, keyid (the address) and tag "payouts". A session that a wallet has signed in signs with its own key, and ' +
      'covers the header `payouts-delegation`.',
  },
};

/** Collects the OpenAPI document from the schemas of all routes that follow. */
export async function collectDocument(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'schedules', description: 'Registered schedules and their runs' },
        { name: 'private', description: 'For whoever signs: the employer or the recipient' },
        { name: 'recipients', description: 'For a recipient: what is theirs, and where it goes' },
        { name: 'invitations', description: 'For whoever has the link of an invitation' },
        { name: 'notices', description: 'What the link in an e-mail opens' },
        { name: 'dashboard', description: 'For operators, and for everybody if DASHBOARD_PUBLIC is true' },
        { name: 'operation', description: 'For whoever runs the service' },
      ],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    hideUntagged: true,
    transformObject: (document) => {
      if ('swaggerObject' in document) return document.swaggerObject;
      return addEncrypted(shareParts(document.openapiObject as OpenApiDocument)) as typeof document.openapiObject;
    },
  });
}

/** The document, and a page to read it. */
export async function serveDocument(app: FastifyInstance): Promise<void> {
  app.get('/api/openapi.json', { schema: { hide: true }, config: { limit: 'read' } }, () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: DOCS,
    staticCSP: PAGE_POLICY,
    // Without the bar on top, which loads other documents.
    uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list' },
    theme: { title: INFO.title },
  });
}
