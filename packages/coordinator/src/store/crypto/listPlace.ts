import { addressToBytes } from '@payouts/client';

/** What a list's content is bound to: its schedule, its root and how many recipients it has. */
export type ListPlace = { readonly schedule: string; readonly root: Uint8Array; readonly recipients: number };

/** A list's parts: its key, block `number` of its records, and where its balances are. */
export type ListPart = 'key' | number | 'places';

/** The additional data of a list's encryption: schedule 32 ‖ root 32, then what tells its parts apart. */
export function associatedData(place: ListPlace, part: ListPart): Uint8Array {
  const name = typeof part === 'number' ? `chunk ${part}` : part;
  const suffix = Buffer.from(part === 'key' ? 'key' : `${name} of ${place.recipients}`);
  return Buffer.concat([addressToBytes(place.schedule), place.root, suffix]);
}
