import { createHmac } from 'node:crypto';
import { addressToBytes } from '@payouts/client';
import type { RecipientKey } from '../store/crypto/serviceKey.ts';
import type { OwnerTags } from '../store/queries/notices.ts';

/** The service's keys, the newest first. */
export type KeysInUse = readonly [RecipientKey, ...RecipientKey[]];

/** By what an owner's notices are found: who has no key can't tell whose they are. */
export const ownerTag = (key: RecipientKey, owner: string): Buffer =>
  createHmac('sha256', key.of('notices')).update('owner ').update(addressToBytes(owner)).digest();

/** By what codes to an e-mail address are counted. */
export const addressTag = (key: RecipientKey, to: string): Buffer =>
  createHmac('sha256', key.of('notices')).update('address ').update(to.toLowerCase()).digest();

/** An owner's under all keys: one of them may be renewed at this moment. */
export const ownerTags = ([newest, ...former]: KeysInUse, owner: string): OwnerTags => [
  ownerTag(newest, owner),
  ...former.map((key) => ownerTag(key, owner)),
];
