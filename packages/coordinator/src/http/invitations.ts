import { createHash } from 'node:crypto';
import { Problem } from '../domain/problems.ts';

/** The id of the invitation whose link shows this. */
export const idOfToken = (token: string): Buffer => createHash('sha256').update(bytesOf(token)).digest();

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** What whoever names an invitation that is not open is told: nothing of whether there was one. */
export const noInvitation = (): Problem =>
  new Problem('invitation-not-found', 'It is not known, has expired, or was used or withdrawn: ask for a new link.');
