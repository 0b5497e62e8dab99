import {
  accountsOf,
  fetchMaybeRole,
  findRolePda,
  getRoleDecoder,
  getSetRoleInstructionAsync,
  levelOf,
  millisOf,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  ROLE_KIND,
  RoleKind,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { atOnce, type PlannedChange } from '../changes/change.ts';
import { Failure } from '../failure.ts';
import { findPolicy } from '../policy.ts';
import type { EmployerSession } from '../session.ts';
import { type MemberRole, memberRoles } from '../treasury/squads.ts';
import type { Treasury } from '../treasury/treasury.ts';
import { vaultsOf } from '../vault.ts';

/** The roles that an employer gives by the ledger program. */
export const GIVEN_ROLES = ['viewer', 'clerk'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];

const KINDS: Readonly<Record<GivenRole, RoleKind>> = { viewer: RoleKind.Viewer, clerk: RoleKind.Clerk };
const MEANINGS: Readonly<Record<GivenRole, string>> = {
  viewer: 'it reads all that the employer may read with the coordinator, and moves nothing',
  clerk: 'it reads what a viewer reads, lets auditors read and sets webhooks, and moves nothing',
};

/** What a role lets its holder do, as a clause. */
export const roleMeaning = (role: GivenRole): string => MEANINGS[role];

/** What a role of the ledger program is called; undefined: it is none. */
export const givenRole = (kind: RoleKind): GivenRole | undefined => GIVEN_ROLES.find((role) => KINDS[role] === kind);

/** Somebody who may do something for an employer. */
export type RoleHolder = {
  readonly address: Address;
  readonly roles: readonly ('employer' | MemberRole | GivenRole)[];
  /** Unix milliseconds; undefined: the ledger doesn't say. */
  readonly since?: number;
  /** The vault in which they approve; undefined: it is not about one. */
  readonly vault?: Address;
};

type Ledgers = EmployerSession['ledgers'];

/** Where a role's account names the employer. */
const EMPLOYER_AT = 8n;

/** Who may do what for an employer, as the ledger says now: members of their treasury, or their key and its approvers, then viewers and clerks. */
export async function roleHolders(ledgers: Ledgers, employer: Address, treasury?: Treasury): Promise<RoleHolder[]> {
  const deciding = treasury === undefined ? await ownHolders(ledgers, employer) : members(treasury);
  return [...deciding, ...(await givenHolders(ledgers, employer))];
}

const members = ({ state }: Treasury): RoleHolder[] =>
  state.members.map(({ key, permissions }) => ({ address: key, roles: memberRoles(permissions) }));

async function ownHolders(ledgers: Ledgers, employer: Address): Promise<RoleHolder[]> {
  const holders: RoleHolder[] = [{ address: employer, roles: ['employer'] }];
  for (const vault of await vaultsOf(ledgers, employer)) {
    const policy = await findPolicy(ledgers, vault);
    if (policy !== undefined) holders.push({ address: policy.approver, roles: ['approver'], vault: vault.address });
  }
  return holders;
}

async function givenHolders({ base }: Ledgers, employer: Address): Promise<RoleHolder[]> {
  const named = { address: employer, at: EMPLOYER_AT };
  const accounts = await accountsOf(base, PAYOUT_LEDGER_PROGRAM_ADDRESS, ROLE_KIND, named);
  const decoder = getRoleDecoder();
  return accounts
    .map(({ bytes }) => decoder.decode(bytes))
    .sort((one, other) => Number(one.since - other.since) || (one.holder < other.holder ? -1 : 1))
    .flatMap(({ holder, given, since }) => {
      const role = givenRole(given);
      return role === undefined ? [] : [{ address: holder, roles: [role], since: millisOf(since) }];
    });
}

/** The role that an employer has given a key; undefined: none. */
export async function findRole(ledgers: Ledgers, employer: Address, holder: Address): Promise<GivenRole | undefined> {
  const [address] = await findRolePda({ employer, holder });
  const found = await fetchMaybeRole(ledgers.base, address, levelOf(ledgers));
  return found.exists ? givenRole(found.data.given) : undefined;
}

/** Gives a key a role; undefined: takes back the one that it has. Throws `Failure` role-invalid, role-held or no-role. */
export async function setRole(
  session: EmployerSession,
  holder: Address,
  role: GivenRole | undefined,
): Promise<PlannedChange> {
  const { employer, ledgers } = session;
  if (holder === employer.address) {
    throw new Failure('role-invalid', 'That is the employer’s own address, which needs no role.');
  }
  const present = await findRole(ledgers, employer.address, holder);
  if (role === undefined && present === undefined) throw new Failure('no-role', `${holder} has no role to take back.`);
  if (role !== undefined && role === present) throw new Failure('role-held', `${holder} is a ${role} already.`);
  const until = present === undefined ? '' : ` Until now it was a ${present}.`;
  const kind = role === undefined ? RoleKind.None : KINDS[role];
  return {
    effects: [
      role === undefined
        ? `Takes the role of ${holder} back: it was a ${present}, and reads nothing any more.`
        : `Makes ${holder} a ${role}: ${MEANINGS[role]}.${until}`,
    ],
    plan: { employer: employer.address, holder, role: role ?? null },
    steps: atOnce(await getSetRoleInstructionAsync({ employer, payer: employer, holder, kind })),
    done: role === undefined ? 'Taken back.' : 'Given.',
    result: { employer: employer.address, holder, role: role ?? null },
  };
}
