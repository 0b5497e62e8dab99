import { AddressChanges } from '../lists/addressChanges.ts';
import { tagList } from '../lists/recipientIndex.ts';
import { renewOwnerTags } from '../notices/renewOwnerTags.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import { RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import { findTaggedOtherwise } from '../store/queries/recipientTags.ts';
import { removeServiceKey } from '../store/queries/serviceKeys.ts';
import { WithdrawalBook } from '../withdrawals/withdrawalBook.ts';

/** A process may keep something under the former key at the very moment: it is looked for again. */
const ROUNDS = 5;

/**
 * Renews the service's own key: makes the next one, moves what is kept under former ones to it, and forgets them. In steps that may be cut off
 * anywhere; returns how many former ones are forgotten. Throws `WrongPayloadKey` or `DecryptionFailed`, also of a list that can't be read.
 */
export async function renewServiceKeys(input: RecipientKeysInput): Promise<number> {
  const { database, payloadKeys } = input;
  const keys = new RecipientKeys(input);
  await keys.renew();
  const book = new WithdrawalBook(input);
  const changes = new AddressChanges(input);
  const signal = new AbortController().signal;
  let forgotten = 0;
  let unreadable: unknown;
  for (let round = 0; round < ROUNDS; round++) {
    const [newest, ...former] = await keys.all();
    if (former.length === 0) return forgotten;
    for (let after = 0, list = await findTaggedOtherwise(database, newest.name, after); list !== undefined; ) {
      const tagged = list;
      await database
        .transaction()
        .execute((transaction) => tagList({ database: transaction, payloadKeys, signal }, tagged, newest))
        .catch((error: unknown) => {
          if (!(error instanceof WrongPayloadKey || error instanceof DecryptionFailed)) throw error;
          unreadable = error;
        });
      after = tagged.id;
      list = await findTaggedOtherwise(database, newest.name, after);
    }
    while ((await book.renew()) > 0);
    while ((await renewOwnerTags(input)) > 0);
    while ((await changes.renew()) > 0);
    for (const { name } of former) if (await removeServiceKey(database, name)) forgotten += 1;
  }
  if (unreadable !== undefined) throw unreadable;
  return forgotten;
}
