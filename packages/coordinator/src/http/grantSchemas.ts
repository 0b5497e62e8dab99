import { type Static, Type } from 'typebox';
import { GRANT_SCOPES, GRANT_USES, MAX_NAMED } from '../domain/grant.ts';
import { SHOWN_USES } from '../store/queries/grants.ts';
import { SIGNED_WINDOW_EXAMPLE, SignedWindowView } from './payslipSchemas.ts';
import { Address, Closed, Decimal, Millis, NextCursor, Nullable, OneOf } from './schemaParts.ts';
import { ScheduleParams } from './schemas.ts';

/** What the routes for grants and audits take and answer. */

const Window = Decimal('Number of the window');
const Scope = OneOf(GRANT_SCOPES, 'totals of windows, or what the named recipients may read of themselves');

const auditor = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const recipient = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
const id = '7f6b2c0e-3a55-4b7e-9a0f-6d1f2f6c9b11';
const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';

export const GrantBody = Closed(
  {
    auditor: Address("The auditor's key"),
    scope: Scope,
    recipients: Type.Optional(
      Type.Array(Address('Of a recipient'), { maxItems: MAX_NAMED, description: 'Whom a grant of recipients names' }),
    ),
    endsAt: Millis('when the grant ends, at most five years from now'),
  },
  { examples: [{ auditor, scope: 'totals', endsAt: 1_830_000_000_000 }] },
);

/** A path that names a grant of a schedule. */
export const GrantParams = Type.Object({
  ...ScheduleParams.properties,
  id: Type.String({ description: 'Of the grant', examples: [id] }),
});

export const GrantView = Closed({
  id: Type.String({ format: 'uuid', description: 'Names the grant' }),
  schedulePda: Address('Of the schedule'),
  auditor: Address("The auditor's key"),
  scope: Scope,
  recipients: Type.Array(Address('Of a recipient'), { description: 'Whom it names' }),
  createdAt: Millis(),
  endsAt: Millis(),
  revokedAt: Nullable(Millis()),
  state: OneOf(['active', 'ended', 'revoked'], 'Where it stands'),
  used: Type.Optional(Type.Integer({ description: 'How often; for the employer' })),
  uses: Type.Optional(
    Type.Array(
      Closed({
        at: Millis(),
        kind: OneOf(GRANT_USES, 'What was read'),
        window: Nullable(Window),
        recipient: Nullable(Address('Of whom')),
      }),
      { description: `The last ${SHOWN_USES}, newest first; for the employer` },
    ),
  ),
});

export const GrantsView = Closed({ grants: Type.Array(GrantView, { description: 'Newest first' }) });

export const AuditPage = Closed({
  schedulePda: Address('Of the schedule'),
  windows: Type.Array(
    Closed({
      window: Window,
      unpaidCount: Type.Integer({ description: 'Entries that were not paid, but for those held back' }),
      heldCount: Type.Integer({ description: 'Entries that the employer held back' }),
      settled: Nullable(SignedWindowView),
      reason: Nullable(Type.String({ description: 'Why there is no proof: this service lacks a record of it' })),
    }),
    { description: 'Settled windows, newest first' },
  ),
  nextCursor: NextCursor('Asks for the page that follows'),
});

export const GRANT_EXAMPLE: Static<typeof GrantView> = {
  id,
  schedulePda,
  auditor,
  scope: 'recipients',
  recipients: [recipient],
  createdAt: 1_796_025_604_902,
  endsAt: 1_830_000_000_000,
  revokedAt: null,
  state: 'active',
  used: 1,
  uses: [{ at: 1_796_112_000_000, kind: 'payslips', window: '2', recipient }],
};

export const AUDIT_EXAMPLE: Static<typeof AuditPage> = {
  schedulePda,
  windows: [{ window: '2', unpaidCount: 0, heldCount: 1, settled: SIGNED_WINDOW_EXAMPLE, reason: null }],
  nextCursor: null,
};
