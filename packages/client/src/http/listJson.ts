import { fromHex, toHex } from '#platform';
import { isAddressText } from '../accounts/base58.ts';
import { MAX_LEAVES, MAX_U64 } from '../merkle/limits.ts';
import type { Recipient } from '../merkle/list.ts';
import { type PayoutDelivery, SALT_BYTES } from '../merkle/owner.ts';
import { ClientError } from './clientError.ts';

/** A recipient as `POST /api/schedules` takes it: amount in base units as decimal text, salt as 32 hexadecimal digits. */
export type RecipientJson = {
  index: number;
  recipient: string;
  amount: string;
  salt: string;
  delivery?: PayoutDelivery;
};

const AMOUNT = /^(0|[1-9][0-9]{0,19})$/;
const SALT = new RegExp(`^[0-9a-fA-F]{${SALT_BYTES * 2}}$`);

/** Writes recipients for the coordinator; delivery to the private balance, the default, is left out. */
export function recipientsToJson(recipients: readonly Recipient[]): RecipientJson[] {
  return recipients.map(({ index, recipient, amount, delivery, salt }) => ({
    index,
    recipient,
    amount: amount.toString(),
    salt: toHex(salt),
    ...(delivery === 'balance' ? {} : { delivery }),
  }));
}

/** Reads what `recipientsToJson` wrote, from a source that is not trusted. Throws `INVALID_LIST`, naming only the place. */
export function recipientsFromJson(json: unknown): Recipient[] {
  if (!Array.isArray(json)) throw new ClientError('INVALID_LIST', 'The recipients are not a list.');
  if (json.length > MAX_LEAVES) throw new ClientError('INVALID_LIST', `A list has at most ${MAX_LEAVES} recipients.`);
  return json.map(recipientFromJson);
}

function recipientFromJson(json: unknown, place: number): Recipient {
  const refuse = (what: string): never => {
    throw new ClientError('INVALID_LIST', `Entry ${place} of the recipients: ${what}.`);
  };
  if (typeof json !== 'object' || json === null) return refuse('it is not an object');
  const {
    index,
    recipient,
    amount,
    salt,
    delivery = 'balance',
  } = json as Partial<Record<keyof RecipientJson, unknown>>;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_LEAVES) {
    return refuse('the index is not a number of the list');
  }
  if (typeof recipient !== 'string' || !isAddressText(recipient)) return refuse('the recipient is not an address');
  if (typeof amount !== 'string' || !AMOUNT.test(amount) || BigInt(amount) > MAX_U64) {
    return refuse('the amount is not decimal text of base units');
  }
  if (typeof salt !== 'string' || !SALT.test(salt)) return refuse('the salt is not 32 hexadecimal digits');
  if (delivery !== 'balance' && delivery !== 'wallet') return refuse('the delivery is neither balance nor wallet');
  return { index, recipient, amount: BigInt(amount), delivery, salt: fromHex(salt) };
}
