import { type Static, Type } from 'typebox';
import { GRANT_SCOPES, GRANT_USES, MAX_NAMED } from '../domain/grant.ts';
import { SHOWN_USES } from '../store/queries/grants.ts';
import { PAYSLIP_EXAMPLE, PayslipView, SIGNED_WINDOW_EXAMPLE, SignedWindowView } from './payslipSchemas.ts';
import { Address, Closed, Decimal, Millis, NextCursor, Nullable, OneOf, PageCursor } from './schemaParts.ts';
import { ScheduleParams } from './schemas.ts';
import { UUID_PATTERN } from './uuid.ts';
import { WINDOW_CURSOR } from './windowPage.ts';

/** What the routes for grants and audits take and answer. */

const Window = Decimal('Number of the window');
const WindowNumber = (description: string) => Type.String({ pattern: '^(0|[1-9][0-9]{0,17})$', description });
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
    fromWindow: Type.Optional(WindowNumber('The first window that it is about; all from the first, if not given')),
    toWindow: Type.Optional(WindowNumber('The last window that it is about; all to come, if not given')),
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
  fromWindow: Nullable(Window, { description: 'The first window that it is about; null: all from the first' }),
  toWindow: Nullable(Window, { description: 'The last window that it is about; null: all to come' }),
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
        recipient: Nullable(Address('Of whom'), { description: 'null: totals, or all whom it names' }),
      }),
      { description: `The last ${SHOWN_USES}, newest first; for the employer` },
    ),
  ),
});

export const GrantsView = Closed({ grants: Type.Array(GrantView, { description: 'Newest first' }) });

export const HeldGrantsQuery = Closed({
  cursor: Type.Optional(Type.String({ pattern: UUID_PATTERN, description: 'nextCursor of the page before' })),
});

export const HeldGrantsView = Closed({
  grants: Type.Array(GrantView, { description: 'Active, in order of their ids' }),
  nextCursor: NextCursor(),
});

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
  fromWindow: '0',
  toWindow: '11',
  createdAt: 1_796_025_604_902,
  endsAt: 1_830_000_000_000,
  revokedAt: null,
  state: 'active',
  used: 1,
  uses: [{ at: 1_796_112_000_000, kind: 'payslips', window: '2', recipient }],
};

/** Windows on a page of what a grant of named recipients gives, at most and by default: each has a payslip for each of them. */
const MOST_WINDOWS = 10;
export const NAMED_WINDOWS = 5;

export const NamedPageQuery = Closed({
  cursor: PageCursor(WINDOW_CURSOR, 'w17'),
  limit: Type.Optional(
    Type.String({
      pattern: '^(10|[1-9])$',
      description: `Windows on a page: 1 to ${MOST_WINDOWS}; ${NAMED_WINDOWS} if not given`,
    }),
  ),
});

export const NamedPage = Closed({
  schedulePda: Address('Of the schedule'),
  windows: Type.Array(
    Closed({
      window: Window,
      entries: Type.Array(PayslipView, {
        description:
          'Each entry of the named recipients in the list that the window paid, paid or not: the bitmap says so',
      }),
      reason: Nullable(Type.String({ description: 'Why there is no proof: this service lacks a record of it' })),
    }),
    { description: 'Settled windows, newest first' },
  ),
  nextCursor: NextCursor('Asks for the page that follows'),
});

export const NAMED_EXAMPLE: Static<typeof NamedPage> = {
  schedulePda,
  windows: [{ window: '2', entries: [PAYSLIP_EXAMPLE], reason: null }],
  nextCursor: null,
};

export const AUDIT_EXAMPLE: Static<typeof AuditPage> = {
  schedulePda,
  windows: [{ window: '2', unpaidCount: 0, heldCount: 1, settled: SIGNED_WINDOW_EXAMPLE, reason: null }],
  nextCursor: null,
};
