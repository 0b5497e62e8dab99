import type { Address } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionLayer } from '../../ledger/ledger.ts';
import type { RecipientIndex } from '../../store/recipientIndex.ts';
import type { WithdrawalBook } from '../../store/withdrawalBook.ts';
import { scheduleAddress } from '../address.ts';
import { readProblems } from '../answers.ts';
import { notPermitted, type PrivateReadsInput } from '../privateReads.ts';
import { signerOf } from '../signatures/signer.ts';

/** What the routes for a recipient's own money work with. */
export type OwnInput = PrivateReadsInput & {
  readonly layer: ExecutionLayer;
  readonly recipients: RecipientIndex;
  readonly withdrawals: WithdrawalBook;
};

type OwnRequest = FastifyRequest & { readonly params: { readonly address: string } };

/** The recipient who signs and asks for their own. Throws `not-permitted` for anybody else's before anything is looked at. */
export async function ownerOf(request: OwnRequest, reply: FastifyReply, input: OwnInput): Promise<Address> {
  const named = request.params.address;
  const subject = named === 'me' ? undefined : scheduleAddress(named);
  const signer = await signerOf(request, reply, input);
  if (subject !== undefined && subject !== signer) throw notPermitted();
  return signer;
}

/** The errors of a route that only the recipient may ask. */
export const ownProblems = (
  ...codes: readonly ('invalid-query' | 'ledger-unavailable' | 'layer-unavailable')[]
): ReturnType<typeof readProblems> =>
  readProblems(
    'invalid-address',
    'signature-missing',
    'signature-invalid',
    'signature-expired',
    'signature-replayed',
    'not-permitted',
    ...codes,
    'key-service-unavailable',
  );
