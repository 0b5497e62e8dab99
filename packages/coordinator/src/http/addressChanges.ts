import type { AddressChanges } from '../lists/addressChanges.ts';
import type { RecipientIndex } from '../lists/recipientIndex.ts';
import type { PrivateReadsInput } from './privateReads.ts';

/** What the routes for requests for another address work with. */
export type AddressChangesRouteInput = PrivateReadsInput & {
  readonly changes: AddressChanges;
  readonly recipients: Pick<RecipientIndex, 'namedIn'>;
};
