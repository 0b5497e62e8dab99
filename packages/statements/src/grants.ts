import type { Address } from '@solana/kit';
import type { Ask } from './ask.ts';

/** A grant as the coordinator shows it; times in unix milliseconds. What it was used for is shown to the employer alone. */
export type AuditGrant = {
  readonly id: string;
  readonly schedulePda: Address;
  readonly auditor: Address;
  readonly scope: 'totals' | 'recipients';
  readonly recipients: readonly Address[];
  /** The windows that it is about, these two among them; null: all on that side. */
  readonly fromWindow: string | null;
  readonly toWindow: string | null;
  readonly createdAt: number;
  readonly endsAt: number;
  readonly revokedAt: number | null;
  readonly state: 'active' | 'ended' | 'revoked';
  readonly used?: number;
  readonly uses?: readonly {
    readonly at: number;
    readonly kind: 'totals' | 'recipient' | 'payslips';
    readonly window: string | null;
    readonly recipient: string | null;
  }[];
};

/** What an employer grants: totals, or what they name recipients for; of all windows, but for those that they say. */
export type GrantWish = {
  readonly auditor: Address;
  readonly recipients?: readonly Address[];
  readonly fromWindow?: bigint | undefined;
  readonly toWindow?: bigint | undefined;
  /** Unix milliseconds. */
  readonly endsAt: number;
};

export const grantsPath = (schedule: Address): string => `/api/schedules/${schedule}/grants`;

export const grantPath = (schedule: Address, id: string): string => `${grantsPath(schedule)}/${encodeURIComponent(id)}`;

/** The body of the request that grants it. */
export function grantBody({ auditor, recipients = [], fromWindow, toWindow, endsAt }: GrantWish) {
  return {
    auditor,
    ...(recipients.length > 0 ? { scope: 'recipients', recipients } : { scope: 'totals' }),
    ...(fromWindow === undefined ? {} : { fromWindow: String(fromWindow) }),
    ...(toWindow === undefined ? {} : { toWindow: String(toWindow) }),
    endsAt,
  };
}

/** All grants of a schedule, for its employer; an auditor is shown their own that are active. */
export async function grantsOf(ask: Ask, schedule: Address): Promise<readonly AuditGrant[]> {
  return (await ask<{ grants: AuditGrant[] }>(grantsPath(schedule))).grants;
}

/** The active grants that whoever signs holds, of all schedules. */
export async function heldGrants(ask: Ask): Promise<readonly AuditGrant[]> {
  const grants: AuditGrant[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `?cursor=${cursor}`;
    const page: { grants: AuditGrant[]; nextCursor: string | null } = await ask(`/api/auditors/me/grants${query}`);
    grants.push(...page.grants);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return grants;
}

/** Which windows a grant is about, such as "windows 0 to 11". */
export function windowsText({ fromWindow: from, toWindow: to }: Pick<AuditGrant, 'fromWindow' | 'toWindow'>): string {
  if (from === null && to === null) return 'all windows';
  if (from === null) return `windows up to ${to}`;
  if (to === null) return `windows from ${from}`;
  return from === to ? `window ${from}` : `windows ${from} to ${to}`;
}
