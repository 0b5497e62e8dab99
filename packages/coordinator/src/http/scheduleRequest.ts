import type { Address } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { scheduleAddress } from '../domain/address.ts';
import { Problem } from '../domain/problems.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';
import { entriesOf, type OwnEntries } from './ownEntries.ts';
import {
  checkClerk,
  checkPermitted,
  notPermitted,
  type PrivateReadsInput,
  readsFor,
  registeredSchedule,
} from './privateReads.ts';
import { SignatureHeaders } from './privateSchemas.ts';
import { signerOf } from './signatures/signer.ts';

/** What the schema of every signed route begins with. */
export const SIGNED = { tags: ['private'], security: [{ httpSignature: [] }], headers: SignatureHeaders };

type AboutSchedule = FastifyRequest & { readonly params: { readonly schedulePda: string } };
type AboutRecipient = AboutSchedule & { readonly params: { readonly address: string } };

/** Who asks, and about which schedule. */
export type ScheduleRequest = {
  readonly address: Address;
  readonly signer: Address;
  readonly schedule: ScheduleRow;
};

/** A signed request about a schedule. Throws `invalid-address`, `signature-…` or `schedule-not-found`. */
export async function signedRequest(
  request: AboutSchedule,
  reply: FastifyReply,
  input: PrivateReadsInput,
): Promise<ScheduleRequest> {
  const address = scheduleAddress(request.params.schedulePda);
  const signer = await signerOf(request, reply, input);
  return { address, signer, schedule: await registeredSchedule(input, address) };
}

/** The same, of the employer or of somebody who reads for them. Throws `not-permitted`, too. */
export async function viewerRequest(
  request: AboutSchedule,
  reply: FastifyReply,
  input: PrivateReadsInput,
): Promise<ScheduleRequest> {
  const asked = await signedRequest(request, reply, input);
  if (!(await readsFor(input, asked.schedule, asked.signer))) throw notPermitted();
  return asked;
}

/** The same, of the employer or of a clerk of theirs. */
export async function clerkRequest(
  request: AboutSchedule,
  reply: FastifyReply,
  input: PrivateReadsInput,
): Promise<ScheduleRequest> {
  const asked = await signedRequest(request, reply, input);
  await checkClerk(input, asked.schedule, asked.signer);
  return asked;
}

/** A request about one recipient, and where they stand. */
export type RecipientRequest = ScheduleRequest & { readonly subject: Address; readonly own: readonly OwnEntries[] };

/**
 * The same about a recipient, of themselves, the employer, or an auditor whose grant names them. Throws `not-permitted`, in the same words
 * whether the recipient is in a list or not; the employer is told `recipient-not-found`.
 */
export async function recipientRequest(
  request: AboutRecipient,
  reply: FastifyReply,
  input: PrivateReadsInput,
  use: { readonly kind: 'recipient' | 'payslips'; readonly window?: bigint },
): Promise<RecipientRequest> {
  // Read before anything is looked at: a malformed one is refused, whoever signs.
  const named = request.params.address === 'me' ? undefined : scheduleAddress(request.params.address);
  const asked = await signedRequest(request, reply, input);
  const { address, signer, schedule } = asked;
  const subject = named ?? signer;
  if (subject !== signer)
    await checkPermitted(input, schedule, { schedule: address, signer, recipient: subject, ...use });
  const own = await entriesOf(input, schedule, subject);
  if (own.length > 0) return { ...asked, subject, own };
  if (!(await readsFor(input, schedule, signer))) throw notPermitted();
  throw new Problem('recipient-not-found', 'No list of this schedule has the recipient.');
}
