import { randomUUID } from 'node:crypto';
import { grantFault } from '../../domain/grant.ts';
import { Problem } from '../../domain/problems.ts';
import { newListKey } from '../../store/crypto/cipher.ts';
import { grantKeyPlace, sealNamed } from '../../store/crypto/grantSeal.ts';
import { findActiveGrants, saveGrant } from '../../store/queries/grants.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import { GRANT_EXAMPLE, GrantBody, GrantView } from '../grantSchemas.ts';
import { grantView } from '../grants.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { clerkRequest, SIGNED } from '../scheduleRequest.ts';
import { ScheduleParams } from '../schemas.ts';

const { used: _used, uses: _uses, ...created } = GRANT_EXAMPLE;

const schema = {
  ...SIGNED,
  operationId: 'createGrant',
  summary: 'Grants an auditor a look, until a time',
  description:
    'An auditor’s key may read the totals of the schedule’s windows, or what named recipients may read of themselves. Signed by the ' +
    'employer; the signature also covers `content-digest`.',
  params: ScheduleParams,
  body: GrantBody,
  response: {
    ...privateProblems(...BODY_CODES, 'invalid-grant'),
    201: json('Granted', GrantView, created, LIMIT_FIELDS),
  },
};

/** POST /api/schedules/:schedulePda/grants */
export function createGrantRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/grants';
  app.post(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { database, payloadKeys, time, log } = input;
    const { address } = await clerkRequest(request, reply, input);
    const { auditor, scope, recipients = [], fromWindow, toWindow, endsAt } = request.body;
    const at = time.now();
    const windows = {
      from: fromWindow === undefined ? null : BigInt(fromWindow),
      to: toWindow === undefined ? null : BigInt(toWindow),
    };
    const { length: active } = await findActiveGrants(database, address, at);
    const fault = grantFault({ scope, recipients, windows, endsAt }, { at, active });
    if (fault !== undefined) throw new Problem('invalid-grant', fault);
    const grant = { id: randomUUID(), schedule: address };
    const key = newListKey();
    const { keyId, wrapped } = await payloadKeys.wrap(key, grantKeyPlace(grant));
    const row = {
      ...grant,
      auditor,
      scope,
      named: sealNamed(key, grant, recipients),
      from_window: fromWindow ?? null,
      to_window: toWindow ?? null,
      wrapped_key: wrapped,
      key_id: keyId,
      created_at: String(at),
      ends_at: String(endsAt),
      revoked_at: null,
    };
    await saveGrant(database, row);
    log.info({ schedule: address, grant: grant.id, kind: scope }, 'an auditor was granted a look');
    reply.status(201);
    return grantView(input, row);
  });
}
