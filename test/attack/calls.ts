import { systemTime } from '@payouts/client';
import { openApiDocument } from '@payouts/coordinator/testing';
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
  createNotice: ({ service }) => ({
    address: 'https://chat.example.com/hooks',
    schedulePda: service.employer.schedule,
  }),
  confirmNotice: () => ({ code: 'AAAAAAAAAA' }),
  createGrant: ({ stranger }) => ({ auditor: stranger.address, scope: 'totals', endsAt: Date.now() + 3_600_000 }),
  replayWebhook: () => ({ since: 0 }),
  givePaymentCode: ({ service }) => ({ mint: service.employer.schedule }),
  compareLedgers: () => ({ fix: false }),
  createInvitations: ({ service }) => ({
    ...{ vault: service.employer.schedule, expiresAt: Date.now() + 60_000 },
    invitations: [{ id: 'ab'.repeat(32), content: 'q'.repeat(40), kept: 'q'.repeat(40) }],
  }),
  createAddressChange: ({ service, stranger }) => ({
    ...{ schedulePda: service.employer.schedule, next: stranger.address, askedAt: Date.now() },
    signatures: { present: 'q'.repeat(86), next: 'q'.repeat(86) },
  }),
};

/** What changes something that outlasts a session: for the key itself. */
export const DOES: ReadonlySet<string> = new Set([
  'createWebhook',
  'removeWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'replayWebhook',
  'createNotice',
  'confirmNotice',
  'removeNotice',
  'createInvitations',
  'removeInvitation',
  'createAddressChange',
  'removeAddressChange',
  'createGrant',
  'revokeGrant',
]);

const { paths } = JSON.parse(await openApiDocument(systemTime)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const idFor = (template: string, { grant, notice, webhook, invitation, change }: Scene['ids']): string => {
  if (template.includes('/grants/')) return grant;
  if (template.includes('/invitations/')) return invitation;
  if (template.includes('/address-changes/')) return change;
  return template.includes('/notices/') ? notice : webhook;
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
          .replace('{id}', idFor(template, ids));
        const body = BODIES[operationId]?.(scene);
        return body === undefined ? { path } : { path, body: JSON.stringify(body) };
      },
    })),
);
