import type { Address } from '@solana/kit';
import { ALL_WINDOWS, type GrantedWindows } from '../domain/grant.ts';
import { Problem, type ProblemCode } from '../domain/problems.ts';
import { vaultOf } from '../ledger/accounts.ts';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import { type Standing, standingOf } from '../ledger/role.ts';
import type { ListProofs } from '../lists/listProofs.ts';
import { findSchedule, type ScheduleRow, saveEmployer } from '../store/queries/schedules.ts';
import { readProblems, SIGNATURE_CODES } from './answers.ts';
import { type Asked, type GrantsInput, type Use, useGrant, useTotals } from './grants.ts';
import type { EntriesSource } from './ownEntries.ts';
import type { SignerInput } from './signatures/signer.ts';

/** What the routes for whoever signs work with. */
export type PrivateReadsInput = SignerInput &
  GrantsInput &
  EntriesSource & {
    readonly base: BaseLedger;
    readonly program: Address;
    readonly proofs: ListProofs;
  };

/** A registered schedule. Throws `schedule-not-found`. */
export async function registeredSchedule({ database }: PrivateReadsInput, address: Address): Promise<ScheduleRow> {
  const schedule = await findSchedule(database, address);
  if (schedule !== undefined) return schedule;
  throw new Problem('schedule-not-found', 'The schedule is not registered here.');
}

/** The owner of the schedule's vault, which never changes. Throws `RunError` ledger-unavailable when it has to be read there and can't. */
async function employerOf(input: PrivateReadsInput, schedule: ScheduleRow): Promise<Address | undefined> {
  if (schedule.employer !== null) return schedule.employer as Address;
  const vault = vaultOf(await readAccount(input.base, schedule.vault as Address), input.program);
  if (vault !== undefined) await saveEmployer(input.database, schedule.address, vault.employer);
  return vault?.employer;
}

/** What a key is to a schedule's employer: nothing that is asked of a coordinator moves money. Throws `RunError` ledger-unavailable. */
async function standingIn(input: PrivateReadsInput, schedule: ScheduleRow, signer: Address): Promise<Standing> {
  const employer = await employerOf(input, schedule);
  return employer === undefined ? 'none' : standingOf(input, employer, signer);
}

/** Whether a key is the employer's, or has a role with them: a viewer's is enough to read. Throws `RunError` ledger-unavailable. */
export const readsFor = async (input: PrivateReadsInput, schedule: ScheduleRow, signer: Address): Promise<boolean> =>
  (await standingIn(input, schedule, signer)) !== 'none';

/** Throws `not-permitted` unless a key is the employer's or a clerk's, who let others read; and `RunError` ledger-unavailable. */
export async function checkClerk(input: PrivateReadsInput, schedule: ScheduleRow, signer: Address): Promise<void> {
  const standing = await standingIn(input, schedule, signer);
  if (standing === 'viewer') throw new Problem('not-permitted', VIEWER_READS);
  if (standing === 'none') throw notPermitted();
}

/** What a viewer is told. */
const VIEWER_READS =
  'You are a viewer: you read for this employer, and no more. The employer or a clerk of theirs may do this.';

/** The same of the employer's own key, which no ledger has to be asked about. */
async function isOwner(input: PrivateReadsInput, schedule: ScheduleRow, signer: Address): Promise<boolean> {
  return (await employerOf(input, schedule)) === signer;
}

/**
 * Throws `not-permitted` unless somebody may read what they want: as the employer, or by a grant, whose use is kept. Looks at no list:
 * how long a refusal takes must not tell whether somebody is in it.
 */
export async function checkPermitted(input: PrivateReadsInput, schedule: ScheduleRow, use: Use): Promise<void> {
  const { signer } = use;
  if ((await isOwner(input, schedule, signer as Address)) || (await useGrant(input, use))) return;
  if (!(await readsFor(input, schedule, signer as Address))) throw notPermitted();
}

/** The windows whose totals somebody may read: all of them as the employer, else those of their grants. Throws `not-permitted`. */
export async function totalsPermitted(
  input: PrivateReadsInput,
  schedule: ScheduleRow,
  asked: Asked,
): Promise<readonly GrantedWindows[]> {
  if (await isOwner(input, schedule, asked.signer as Address)) return [ALL_WINDOWS];
  const ranges = await useTotals(input, asked);
  if (ranges.length > 0) return ranges;
  if (await readsFor(input, schedule, asked.signer as Address)) return [ALL_WINDOWS];
  throw notPermitted();
}

/** What a stranger is told, whether the address is in the list or not. */
export const notPermitted = (): Problem =>
  new Problem(
    'not-permitted',
    'Only the employer, the recipient and an auditor with a grant for it may do this, with the key that they have there.',
  );

/** The errors of a private route, with those that it has beside the others. */
export const privateProblems = (...codes: readonly ProblemCode[]): ReturnType<typeof readProblems> =>
  readProblems(
    'invalid-address',
    'invalid-query',
    ...SIGNATURE_CODES,
    'not-permitted',
    'schedule-not-found',
    ...codes,
    'ledger-unavailable',
    'key-service-unavailable',
  );
