import { type SignedWindow, windowFromJson } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type PrivateApi, privateJson } from './requests.ts';

/** A grant as the coordinator shows it; times in unix milliseconds. What it was used for is shown to the employer alone. */
export type GrantJson = {
  readonly id: string;
  readonly auditor: string;
  readonly scope: 'totals' | 'recipients';
  readonly recipients: readonly string[];
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

const grantsOf = (schedule: Address) => `/api/schedules/${schedule}/grants`;

/** Grants an auditor the totals of a schedule's windows, or what named recipients may read, until a time. Throws `RequestRefused`. */
export async function grantAudit(
  api: PrivateApi,
  schedule: Address,
  { auditor, recipients = [], endsAt }: { auditor: Address; recipients?: readonly Address[]; endsAt: number },
): Promise<GrantJson> {
  const scope = recipients.length > 0 ? 'recipients' : 'totals';
  const body = { auditor, scope, ...(recipients.length > 0 ? { recipients } : {}), endsAt };
  return privateJson(api, grantsOf(schedule), { method: 'POST', body });
}

/** Ends a grant at once. Throws `RequestRefused`. */
export const revokeAudit = (api: PrivateApi, schedule: Address, id: string): Promise<GrantJson> =>
  privateJson(api, `${grantsOf(schedule)}/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** All grants of a schedule, for its employer; an auditor is shown their own that are active. Throws `RequestRefused`. */
export async function listAudits(api: PrivateApi, schedule: Address): Promise<GrantJson[]> {
  return (await privateJson<{ grants: GrantJson[] }>(api, grantsOf(schedule))).grants;
}

/** What a settled window came to in all; `settled` null: the coordinator can't prove it, and says why. */
export type AuditedWindow = {
  readonly window: bigint;
  readonly unpaidCount: number;
  readonly heldCount: number;
  readonly settled: SignedWindow | null;
  readonly reason: string | null;
};

type AuditJson = {
  windows: { window: string; unpaidCount: number; heldCount: number; settled: unknown; reason: string | null }[];
  nextCursor: string | null;
};

/** The totals of all settled windows, newest first, a page at a time. Throws `RequestRefused`, or `ClientError` INVALID_PAYSLIP. */
export async function* auditedWindows(api: PrivateApi, schedule: Address): AsyncGenerator<AuditedWindow> {
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `?cursor=${cursor}`;
    const { windows, nextCursor } = await privateJson<AuditJson>(api, `/api/schedules/${schedule}/audit${query}`);
    for (const { window, settled, ...rest } of windows) {
      yield { ...rest, window: BigInt(window), settled: settled === null ? null : windowFromJson(settled) };
    }
    cursor = nextCursor;
  } while (cursor !== null);
}
