import { readFileSync } from 'node:fs';
import type { Scene } from './scene.ts';

/** A route that asks for a signature, and a request for it that does what the route is for. */
export type Call = {
  readonly operation: string;
  readonly method: string;
  request(scene: Scene): { readonly path: string; readonly body?: string };
};

type Operation = { readonly operationId: string; readonly security?: readonly Record<string, unknown>[] };

/** What the routes with bodies take. */
const BODIES: Readonly<Record<string, (scene: Scene) => object>> = {
  createWebhook: () => ({ url: 'https://payroll.example.com/hooks' }),
  createGrant: ({ stranger }) => ({ auditor: stranger.address, scope: 'totals', endsAt: Date.now() + 3_600_000 }),
  replayWebhook: () => ({ since: 0 }),
  compareLedgers: () => ({ fix: false }),
};

/** What changes something that outlasts a session: for the key itself. */
export const DOES: ReadonlySet<string> = new Set([
  'createWebhook',
  'removeWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'replayWebhook',
  'createGrant',
  'revokeGrant',
]);

const document = new URL('../../docs/reference/openapi.json', import.meta.url);
const { paths } = JSON.parse(readFileSync(document, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** Every route of the API's document that asks for a signature. */
export const signedCalls: readonly Call[] = Object.entries(paths).flatMap(([template, operations]) =>
  Object.entries(operations)
    .filter(([, { security = [] }]) => security.some((each) => 'httpSignature' in each))
    .map(([method, { operationId }]) => ({
      operation: operationId,
      method: method.toUpperCase(),
      request(scene) {
        const { service, ids } = scene;
        const path = template
          .replace('{schedulePda}', service.employer.schedule)
          .replace('{address}', service.recipient.address)
          .replace('{window}', '0')
          .replace('{id}', template.includes('/grants/') ? ids.grant : ids.webhook);
        const body = BODIES[operationId]?.(scene);
        return body === undefined ? { path } : { path, body: JSON.stringify(body) };
      },
    })),
);
