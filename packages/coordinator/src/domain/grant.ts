/** What an auditor may be granted: a schedule's totals, or what named recipients may read of themselves. */
export const GRANT_SCOPES = ['totals', 'recipients'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** What a grant was used for. */
export const GRANT_USES = ['totals', 'recipient', 'payslips'] as const;
export type GrantUse = (typeof GRANT_USES)[number];

/** Windows of a schedule, these two among them; null: all on that side. */
export type GrantedWindows = { readonly from: bigint | null; readonly to: bigint | null };

export const ALL_WINDOWS: GrantedWindows = { from: null, to: null };

/** An auditor's right to read something of one schedule until a time; times in unix milliseconds. */
export type Grant = {
  readonly id: string;
  readonly schedule: string;
  readonly auditor: string;
  readonly scope: GrantScope;
  /** Whom a grant of recipients names; private. */
  readonly recipients: readonly string[];
  readonly windows: GrantedWindows;
  readonly createdAt: number;
  readonly endsAt: number;
  readonly revokedAt: number | null;
};

/** What somebody wants to read of a recipient; `window`: of which, none for all. */
export type GrantRequest = {
  readonly schedule: string;
  readonly signer: string;
  readonly at: number;
  readonly recipient: string;
  readonly window: bigint | undefined;
};

export type GrantState = 'active' | 'ended' | 'revoked';

/** Recipients that one grant names, at most: whoever is to see more is granted twice. */
export const MAX_NAMED = 100;
/** Grants of a schedule that are active at a time, at most. */
export const MAX_ACTIVE = 100;
/** Milliseconds that a grant lasts, at most: five years. */
export const MAX_DURATION_MS = 5 * 366 * 86_400_000;

/** Where a grant stands at a time. */
export function stateOf({ endsAt, revokedAt }: Pick<Grant, 'endsAt' | 'revokedAt'>, at: number): GrantState {
  if (revokedAt !== null) return 'revoked';
  return at < endsAt ? 'active' : 'ended';
}

/** Whether a grant is about a window; without one: about all there are and will be. */
export function isAbout({ windows: { from, to } }: Pick<Grant, 'windows'>, window: bigint | undefined): boolean {
  if (window === undefined) return from === null && to === null;
  return (from === null || from <= window) && (to === null || window <= to);
}

/** Whether a grant gives what is wanted. Totals name nobody. */
export function permits(grant: Grant, { schedule, signer, at, recipient, window }: GrantRequest): boolean {
  if (grant.schedule !== schedule || grant.auditor !== signer || stateOf(grant, at) !== 'active') return false;
  return grant.scope === 'recipients' && grant.recipients.includes(recipient) && isAbout(grant, window);
}

/** Why a grant can't be given; undefined: it can. `active`: how many of the schedule are already. */
export function grantFault(
  { scope, recipients, windows: { from, to }, endsAt }: Pick<Grant, 'scope' | 'recipients' | 'windows' | 'endsAt'>,
  { at, active }: { readonly at: number; readonly active: number },
): string | undefined {
  if (endsAt <= at) return '`endsAt` has passed: name a time to come, in unix milliseconds.';
  if (endsAt - at > MAX_DURATION_MS) return '`endsAt` is more than five years away: grant it again when it has ended.';
  if (scope === 'totals' && recipients.length > 0) return 'A grant of totals names no recipients.';
  if (scope === 'recipients' && recipients.length === 0) return 'A grant of recipients names at least one.';
  if (new Set(recipients).size !== recipients.length) return 'A recipient is named twice.';
  if (from !== null && to !== null && to < from) return '`toWindow` lies before `fromWindow`.';
  if (active >= MAX_ACTIVE) return `The schedule has ${MAX_ACTIVE} active grants: revoke one.`;
  return undefined;
}
