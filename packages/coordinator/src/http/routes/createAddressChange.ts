import { addressChangeMessage, addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { ADDRESS_CHANGE_MS, CLOCK_MS } from '../../domain/invitation.ts';
import { Problem } from '../../domain/problems.ts';
import { vaultOf } from '../../ledger/accounts.ts';
import { readAccount } from '../../ledger/ledger.ts';
import type { AddressChangesRouteInput } from '../addressChanges.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { ADDRESS_CHANGE_ID, AddressChangeBody, AddressChangeIdView } from '../invitationSchemas.ts';
import { bytesOf } from '../invitations.ts';
import { notPermitted, registeredSchedule } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { verifyEd25519 } from '../signatures/ed25519.ts';
import { signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'createAddressChange',
  summary: 'Asks an employer to pay another address',
  description:
    'Signed by a recipient of the schedule, with the key that is paid today; the signature also covers `content-digest`. Changes nothing by itself: ' +
    'the employer is shown it, and takes it into their list or not. It waits for 90 days; a later one of the same recipient replaces it.',
  body: AddressChangeBody,
  response: {
    ...signerProblems(
      'not-permitted',
      'schedule-not-found',
      ...BODY_CODES,
      'invalid-address-change',
      'ledger-unavailable',
      'key-service-unavailable',
    ),
    201: json('Kept for the employer', AddressChangeIdView, ADDRESS_CHANGE_ID, LIMIT_FIELDS),
  },
};

/** POST /api/address-changes */
export function createAddressChangeRoute(app: Api, input: AddressChangesRouteInput): void {
  app.post('/api/address-changes', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const present = await signerOf(request, reply, input);
    const { askedAt, signatures } = request.body;
    const next = request.body.next as Address;
    const schedule = await registeredSchedule(input, request.body.schedulePda as Address);
    const vault = schedule.vault as Address;
    const named = await input.recipients.namedIn(present);
    if (!named.some((one) => one.vault === vault)) throw notPermitted();
    const now = input.time.now();
    if (next === present) throw invalid('The new address is the one that is paid today.');
    if (askedAt > now + CLOCK_MS || askedAt <= now - ADDRESS_CHANGE_MS)
      throw invalid('Sign it anew; look at the clock.');
    const message = addressChangeMessage({ vault, present, next, askedAt });
    const isProven = (address: Address, signature: string) =>
      verifyEd25519(addressToBytes(address), message, bytesOf(signature));
    if (!isProven(present, signatures.present)) throw invalid('The key that is paid today has not signed its text.');
    if (!isProven(next, signatures.next)) throw invalid('The key of the new address has not signed its text.');
    const employer = vaultOf(await readAccount(input.base, vault), input.program)?.employer;
    if (employer === undefined) throw notPermitted();
    const id = await input.changes.add({ employer, vault }, { present, next, askedAt, signatures });
    reply.status(201);
    return { id };
  });
}

const invalid = (detail: string): Problem => new Problem('invalid-address-change', detail);
