import type { Address, MessagePartialSigner } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Balances } from '../../balances/balances.ts';
import { scheduleAddress } from '../../domain/address.ts';
import { Problem } from '../../domain/problems.ts';
import type { ExecutionLayer } from '../../ledger/ledger.ts';
import type { ReadPermissions } from '../../ledger/readPermissions.ts';
import type { RecipientIndex } from '../../lists/recipientIndex.ts';
import type { WithdrawalBook } from '../../withdrawals/withdrawalBook.ts';
import { readProblems, SIGNATURE_CODES } from '../answers.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { signerOf } from '../signatures/signer.ts';

/** What the routes for a recipient's own money work with. */
export type OwnInput = PrivateReadsInput & {
  readonly layer: ExecutionLayer;
  readonly recipients: RecipientIndex;
  readonly withdrawals: WithdrawalBook;
  readonly balances: Balances;
  readonly permissions: Pick<ReadPermissions, 'areThere'>;
  /** The execution authority. */
  readonly issuer: MessagePartialSigner;
};

type OwnRequest = FastifyRequest & { readonly params: { readonly address: string } };

/** What whoever asks for somebody else's is told, whether there is anything or not. */
export const notTheirs = (): Problem =>
  new Problem('not-permitted', 'Only the recipient may see or move this, with their own ledger key.');

/** The recipient who signs and asks for their own. Throws `not-permitted` for anybody else's before anything is looked at. */
export async function ownerOf(request: OwnRequest, reply: FastifyReply, input: OwnInput): Promise<Address> {
  const named = request.params.address;
  const subject = named === 'me' ? undefined : scheduleAddress(named);
  const signer = await signerOf(request, reply, input);
  if (subject !== undefined && subject !== signer) throw notTheirs();
  return signer;
}

/** The errors of a route that only the recipient may ask. */
export const ownProblems = (
  ...codes: readonly ('invalid-query' | 'ledger-unavailable' | 'layer-unavailable')[]
): ReturnType<typeof readProblems> =>
  readProblems('invalid-address', ...SIGNATURE_CODES, 'not-permitted', ...codes, 'key-service-unavailable');
