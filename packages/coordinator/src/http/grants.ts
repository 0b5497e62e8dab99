import type { Time } from '@payouts/client';
import { type Grant, type GrantUse, permits, stateOf } from '../domain/grant.ts';
import type { ListSource } from '../lists/listProofs.ts';
import type { Logger } from '../platform/log/log.ts';
import { grantKey, openNamed, openSubject, sealSubject } from '../store/crypto/grantSeal.ts';
import { findActiveGrants, findUses, type GrantRow, saveUse } from '../store/queries/grants.ts';

/** Where grants are read, and their uses kept. */
export type GrantsInput = ListSource & { readonly time: Time; readonly log: Logger };

/** What somebody wants to read by a grant; `window` null: not of a single one. */
export type Use = {
  readonly schedule: string;
  readonly signer: string;
  readonly kind: GrantUse;
  readonly recipient?: string;
  readonly window?: bigint;
};

const keyOf = ({ payloadKeys }: ListSource, row: GrantRow): Promise<Uint8Array> =>
  grantKey(payloadKeys, row, { keyId: row.key_id, wrapped: row.wrapped_key });

/** A grant with whom it names. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function openGrant(source: ListSource, row: GrantRow): Promise<Grant> {
  return {
    id: row.id,
    schedule: row.schedule,
    auditor: row.auditor,
    scope: row.scope,
    recipients: openNamed(await keyOf(source, row), row, row.named),
    createdAt: Number(row.created_at),
    endsAt: Number(row.ends_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
  };
}

/**
 * Whether a grant gives somebody what they want. It is kept and logged before anything is read: what can't be kept is not shown.
 * Looks at no list.
 */
export async function useGrant(input: GrantsInput, use: Use): Promise<boolean> {
  const { schedule, signer, kind, recipient, window } = use;
  const at = input.time.now();
  for (const row of await findActiveGrants(input.database, schedule, at, signer)) {
    if (!permits(await openGrant(input, row), { schedule, signer, at, recipient })) continue;
    await saveUse(input.database, {
      grant_id: row.id,
      used_at: at,
      kind,
      window_number: window?.toString() ?? null,
      subject: recipient === undefined ? null : sealSubject(await keyOf(input, row), row, recipient),
    });
    input.log.info({ schedule, grant: row.id, kind }, 'an auditor has used a grant');
    return true;
  }
  return false;
}

/** A grant as the routes show it. */
export async function grantView(input: GrantsInput, row: GrantRow) {
  const { id, schedule, recipients, ...grant } = await openGrant(input, row);
  return { id, schedulePda: schedule, ...grant, recipients: [...recipients], state: stateOf(grant, input.time.now()) };
}

/** How often a grant was used, and when last, with what was read. */
export async function usesView(source: ListSource, row: GrantRow) {
  const key = await keyOf(source, row);
  const { count, last } = await findUses(source.database, row.id);
  const uses = last.map(({ used_at, kind, window_number, subject }) => ({
    at: Number(used_at),
    kind,
    window: window_number,
    recipient: subject === null ? null : openSubject(key, row, subject),
  }));
  return { used: count, uses };
}
