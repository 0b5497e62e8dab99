import type { Address } from '@solana/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import { readProblems, SIGNATURE_CODES } from '../answers.ts';
import { SignatureHeaders } from '../privateSchemas.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { type SignerInput, signerOf } from '../signatures/signer.ts';

/** Who may see the dashboard, and who may act on it. */
export type OperatorsInput = SignerInput & {
  readonly dashboard: {
    /** Whether everybody may see what is due, running and stopped. */
    readonly isPublic: boolean;
    /** Who may act, and see it otherwise. */
    readonly operators: readonly Address[];
  };
};

/** The operator who signed a request. Throws `signature-…` or `not-permitted`. */
export async function operatorOf(
  request: FastifyRequest,
  reply: FastifyReply,
  input: OperatorsInput,
): Promise<Address> {
  const signer = await signerOf(request, reply, input);
  if (input.dashboard.operators.includes(signer)) return signer;
  throw new Problem('not-permitted', 'Only an operator may do this, with a key that OPERATORS names.');
}

/** Throws as `operatorOf`, unless the dashboard is public. */
export async function checkViewer(request: FastifyRequest, reply: FastifyReply, input: OperatorsInput): Promise<void> {
  if (!input.dashboard.isPublic) await operatorOf(request, reply, input);
}

/** What the schema of every route begins with that `checkViewer` guards. */
export const VIEWED = { tags: ['dashboard'], security: [{ httpSignature: [] }, {}], headers: SignatureHeaders };

/** The errors of a route for whoever signs, with those that it has beside them. */
export const signerProblems = (...codes: readonly ProblemCode[]): ReturnType<typeof readProblems> =>
  readProblems('invalid-query', ...SIGNATURE_CODES, ...codes);

/** The errors of a route that `checkViewer` or `operatorOf` guards, with those that it has beside them. */
export const viewProblems = (...codes: readonly ProblemCode[]): ReturnType<typeof readProblems> =>
  signerProblems('not-permitted', ...codes);

/** What the schema of every route begins with that does something for an operator. */
export const OPERATED = { ...SIGNED, tags: ['dashboard'] };
