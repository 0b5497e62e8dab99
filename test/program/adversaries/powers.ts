import { named } from '@payouts/testing/litesvm/addresses';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { APPROVER, NEXT_GUARDIAN, PAYEES, SUBJECT } from '../fixtures/constants.ts';
import * as fixtures from '../fixtures/index.ts';
import type { Fixture, Scene } from '../harness/fixture.ts';
import { type Attempt, attempt, signedInstead, tried } from './attempt.ts';
import type { GuardName } from './guards.ts';
import type { Role } from './roles.ts';

const [FIRST_RECIPIENT, SECOND_RECIPIENT] = PAYEES.map(({ recipient }) => recipient) as [Address, Address];

/** The key of each role that holds one, in the fixtures' worlds. */
const KEYS: Readonly<Partial<Record<Role, (world: World) => Address>>> = {
  stranger: ({ stranger }) => stranger,
  employer: () => named('employer'),
  viewer: () => SUBJECT,
  approver: () => APPROVER,
  recipient: () => SECOND_RECIPIENT,
  'execution authority': ({ authority }) => authority,
  validator: ({ validator }) => validator,
  governance: ({ governance }) => governance,
  guardian: ({ guardian }) => guardian,
};

const EMPLOYER = ['stranger', 'execution authority', 'validator', 'governance', 'recipient'] as const;
const AUTHORITY = ['stranger', 'employer', 'validator', 'governance', 'recipient'] as const;
const GOVERNANCE = ['stranger', 'execution authority', 'guardian', 'employer'] as const;
const GUARDIAN = ['stranger', 'governance', 'execution authority'] as const;
const KEYLESS = ['stranger', 'execution authority', 'employer'] as const;
const RECIPIENT = ['stranger', 'employer', 'execution authority', 'validator', 'recipient'] as const;

type Power = readonly [
  what: string,
  holder: Role,
  guard: GuardName,
  others: readonly Role[],
  fixture: Fixture<Scene>,
  key: Address | undefined,
];

const power = <S extends Scene>(
  what: string,
  holder: Role,
  guard: GuardName,
  others: readonly Role[],
  fixture: Fixture<S>,
  key?: Address,
): Power => [what, holder, guard, others, fixture as unknown as Fixture<Scene>, key];

/** What one key alone may do, and who else tries it. */
const POWERS: readonly Power[] = [
  power('take tokens out of a vault', 'employer', 'employer', EMPLOYER, fixtures.withdraw),
  power('cancel a schedule', 'employer', 'employer', EMPLOYER, fixtures.cancelSchedule),
  power('pause a schedule', 'employer', 'employer', EMPLOYER, fixtures.pauseSchedule),
  power('swap a list', 'employer', 'employer', EMPLOYER, fixtures.updateRecipients),
  power('hold a recipient back', 'employer', 'employer', EMPLOYER, fixtures.holdRecipient),
  power('say which accounts the sponsor opens', 'governance', 'governance', GOVERNANCE, fixtures.setLeastOpening),
  power('say which accounts the sponsor opens', 'guardian', 'guardian', GUARDIAN, fixtures.setLeastOpening),
  power('close a schedule for its lamports', 'employer', 'employer', EMPLOYER, fixtures.closeSchedule),
  power('give a key a role', 'employer', 'own role', [...EMPLOYER, 'viewer'], fixtures.changeRole),
  power('name an approver', 'employer', 'employer', EMPLOYER, fixtures.setApproval),
  power(
    'agree to a schedule',
    'approver',
    'approver',
    ['employer', 'stranger', 'governance'],
    fixtures.approveSchedule,
  ),
  power('agree to a withdrawal', 'approver', 'approver', ['stranger', 'governance'], fixtures.withdrawApproved),
  power('open a window', 'execution authority', 'authority', AUTHORITY, fixtures.delegateSchedule),
  power('pay a list', 'execution authority', 'authority', AUTHORITY, fixtures.claimPayment),
  power('make pages', 'execution authority', 'authority', AUTHORITY, fixtures.openPages),
  power('give a counter lamports', 'execution authority', 'authority', AUTHORITY, fixtures.fundCounter),
  power('wipe an account', 'execution authority', 'authority', AUTHORITY, fixtures.wipePersonal),
  power('close an account', 'execution authority', 'authority', AUTHORITY, fixtures.closePersonal),
  power('commit a window', 'execution authority', 'authority', AUTHORITY, fixtures.commit),
  power('settle a window', 'execution authority', 'authority', AUTHORITY, fixtures.settle),
  power('record a root', 'execution authority', 'authority', AUTHORITY, fixtures.recordLiabilities),
  power('issue a withdrawal', 'execution authority', 'authority', AUTHORITY, fixtures.confirmWithdrawal),
  power('change the config', 'governance', 'governance', GOVERNANCE, fixtures.updateConfig),
  power('change a whitelist', 'governance', 'governance', GOVERNANCE, fixtures.setWhitelist),
  power('sign a declaration as guardian', 'guardian', 'guardian', GUARDIAN, fixtures.declareLoss),
  power('replace the guardian', 'guardian', 'guardian', GUARDIAN, fixtures.updateGuardian),
  power('propose another guardian', 'governance', 'either key revokes', KEYLESS, fixtures.proposeReplacement),
  power('refuse another guardian', 'guardian', 'either key revokes', KEYLESS, fixtures.refuseReplacement),
  power('declare a loss alone', 'governance', 'either key revokes', KEYLESS, fixtures.declareLossAlone),
  power(
    'take over as the proposed guardian',
    'guardian',
    'proposed replacement',
    ['stranger', 'execution authority'],
    fixtures.acceptReplacement,
    NEXT_GUARDIAN,
  ),
  power(
    'open an account',
    'recipient',
    'opened by its recipient',
    ['stranger', 'employer', 'validator', 'recipient'],
    fixtures.openPersonal,
    FIRST_RECIPIENT,
  ),
  power('take out a balance', 'recipient', 'recipient', RECIPIENT, fixtures.requestWithdrawal, FIRST_RECIPIENT),
  power('take parts out of a balance', 'recipient', 'recipient', RECIPIENT, fixtures.requestParts, FIRST_RECIPIENT),
  power('pay out of a balance', 'recipient', 'recipient', RECIPIENT, fixtures.requestTransfer, FIRST_RECIPIENT),
  power('make a transfer', 'execution authority', 'authority', AUTHORITY, fixtures.executeTransfer),
  power('redirect a withdrawal', 'recipient', 'recipient', RECIPIENT, fixtures.redirectWithdrawal, FIRST_RECIPIENT),
  power('order payments elsewhere', 'recipient', 'recipient', RECIPIENT, fixtures.setStandingOrder, FIRST_RECIPIENT),
  power('redeem a balance after a loss', 'recipient', 'recorded leaf', RECIPIENT, fixtures.redeem, FIRST_RECIPIENT),
];

/** Each power, tried by everybody who could want it and has another key. */
export const powers: Attempt[] = POWERS.flatMap(([what, holder, guard, others, fixture, key]) =>
  others.map((role) =>
    attempt(role, `${what} in the place of ${holder === role ? 'another' : 'the'} ${holder}`, guard, () =>
      tried(fixture, (instruction, { world }) => {
        const entitled = key ?? KEYS[holder]?.(world);
        const by = KEYS[role]?.(world);
        if (entitled === undefined || by === undefined) throw new Error(`${role} has no key`);
        // Nobody is refused for want of lamports.
        if (world.base.account(by) === undefined) world.base.fund(by);
        return signedInstead(instruction, entitled, by);
      }),
    ),
  ),
);
