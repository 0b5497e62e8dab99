import type { Time } from '@payouts/client';
import { type Grant, type GrantedWindows, type GrantUse, permits, stateOf } from '../domain/grant.ts';
import type { ListSource } from '../lists/listProofs.ts';
import type { Logger } from '../platform/log/log.ts';
import { grantKey, openNamed, openSubject, sealSubject } from '../store/crypto/grantSeal.ts';
import { findActiveGrants, findUses, type GrantRow, saveUse } from '../store/queries/grants.ts';

/** Where grants are read, and their uses kept. */
export type GrantsInput = ListSource & { readonly time: Time; readonly log: Logger };

/** Of which schedule somebody wants to read. */
export type Asked = { readonly schedule: string; readonly signer: string };

/** What somebody wants to read of one recipient by a grant; without `window`: not of a single one. */
export type Use = Asked & {
  readonly kind: Exclude<GrantUse, 'totals'>;
  readonly recipient: string;
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
    windows: rangeOf(row),
    createdAt: Number(row.created_at),
    endsAt: Number(row.ends_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
  };
}

const rangeOf = ({ from_window: from, to_window: to }: GrantRow): GrantedWindows => ({
  from: from === null ? null : BigInt(from),
  to: to === null ? null : BigInt(to),
});

/**
 * Whether a grant gives somebody what they want. It is kept and logged before anything is read: what can't be kept is not shown.
 * Looks at no list.
 */
export async function useGrant(input: GrantsInput, use: Use): Promise<boolean> {
  const { schedule, signer, kind, recipient, window } = use;
  const at = input.time.now();
  for (const row of await findActiveGrants(input.database, schedule, at, signer)) {
    if (!permits(await openGrant(input, row), { schedule, signer, at, recipient, window })) continue;
    await keepUse(input, row, { kind, window, subject: sealSubject(await keyOf(input, row), row, recipient) });
    return true;
  }
  return false;
}

/** The windows of which grants give somebody the totals; none: they have no such grant. Kept as a use of each. */
export async function useTotals(input: GrantsInput, { schedule, signer }: Asked): Promise<readonly GrantedWindows[]> {
  const rows = await findActiveGrants(input.database, schedule, input.time.now(), signer);
  const totals = rows.filter(({ scope }) => scope === 'totals');
  for (const row of totals) await keepUse(input, row, { kind: 'totals' });
  return totals.map(rangeOf);
}

/** A grant that somebody names, if it gives them named recipients, and how to keep that it was used for all of them in a window. */
export async function namedGrant(
  input: GrantsInput,
  { schedule, signer }: Asked,
  id: string,
): Promise<{ readonly grant: Grant; readonly use: (window: bigint) => Promise<void> } | undefined> {
  const rows = await findActiveGrants(input.database, schedule, input.time.now(), signer);
  const row = rows.find((one) => one.id === id && one.scope === 'recipients');
  if (row === undefined) return undefined;
  return {
    grant: await openGrant(input, row),
    use: (window) => keepUse(input, row, { kind: 'payslips', window }),
  };
}

async function keepUse(
  { database, time, log }: GrantsInput,
  row: GrantRow,
  { kind, window, subject = null }: { kind: GrantUse; window?: bigint | undefined; subject?: Uint8Array | null },
): Promise<void> {
  const window_number = window?.toString() ?? null;
  await saveUse(database, { grant_id: row.id, used_at: time.now(), kind, window_number, subject });
  log.info({ schedule: row.schedule, grant: row.id, kind }, 'an auditor has used a grant');
}

/** A grant as the routes show it. */
export async function grantView(input: GrantsInput, row: GrantRow) {
  const { id, schedule, recipients, windows, ...grant } = await openGrant(input, row);
  return {
    id,
    schedulePda: schedule,
    ...grant,
    recipients: [...recipients],
    fromWindow: windows.from?.toString() ?? null,
    toWindow: windows.to?.toString() ?? null,
    state: stateOf(grant, input.time.now()),
  };
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
