import * as payouts from '@payouts/client';
import { DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import type { State } from '@payouts/testing/litesvm/ledger';
import { LEDGER_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';

export type Fields = Record<string, unknown>;

/** Decodes an account, and encodes what it has decoded. */
interface LooseCodec {
  decode(bytes: Uint8Array): object;
  encode(value: never): ArrayLike<number>;
}

/** By kind of account. */
const CODECS: Readonly<Record<number, LooseCodec>> = {
  1: payouts.getConfigCodec(),
  2: payouts.getPoolCodec(),
  3: payouts.getVaultCodec(),
  4: payouts.getScheduleCodec(),
  5: payouts.getBalancePageCodec(),
  6: payouts.getBatchCodec(),
  7: payouts.getCounterCodec(),
  8: payouts.getPageCodec(),
  9: payouts.getWhitelistEntryCodec(),
  10: payouts.getRedeemedPageCodec(),
  11: payouts.getApprovalCodec(),
  12: payouts.getBitmapPageCodec(),
  13: payouts.getPersonalCodec(),
  14: payouts.getWipedPersonalCodec(),
  15: payouts.getRoleCodec(),
};

const TOKEN_SIZE = 165;
const TOKEN_ACCOUNT = 2;

/** Every field of an account: the ledger program's own, those of a token account, and what every account has. */
export function fieldsOf(state: State): Fields {
  const { owner, lamports, data } = state;
  return { owner, lamports, size: data.length, ...(ownFields(state) ?? tokenFields(state)) };
}

function ownFields({ owner, data }: State): Fields | undefined {
  if (owner !== LEDGER_PROGRAM && owner !== DELEGATION_PROGRAM_ADDRESS) return undefined;
  const codec = CODECS[data[0] ?? 0];
  if (codec === undefined || data[1] !== 1) return undefined;
  const fields = codec.decode(data);
  // Encoding writes zeros where bytes are reserved.
  if (!Buffer.from(data).equals(Uint8Array.from(codec.encode(fields as never))))
    throw new Error('reserved bytes are used');
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => spread(name, value)));
}

/** Of what a page and a personal account have many of, a field each, called by its place: none where nothing is. */
function spread(name: string, value: unknown): (readonly [string, unknown])[] {
  if (!Array.isArray(value) || (name !== 'slots' && name !== 'withdrawals')) return [[name, value]];
  const each = value as readonly (payouts.Slot | payouts.Withdrawing)[];
  const isThere = (one: payouts.Slot | payouts.Withdrawing) =>
    'owner' in one ? one.owner.some((byte) => byte !== 0) : one.amount !== 0n;
  return each.flatMap((one, place) => (isThere(one) ? [[`${name.slice(0, -1)} ${place}`, one] as const] : []));
}

function tokenFields({ owner, data }: State): Fields {
  const isToken =
    (owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM) &&
    (data.length === TOKEN_SIZE || data[TOKEN_SIZE] === TOKEN_ACCOUNT);
  return isToken ? { tokens: Buffer.from(data).readBigUInt64LE(64) } : {};
}
