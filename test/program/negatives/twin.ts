import { bytesOf, derive, named } from '@payouts/testing/litesvm/addresses';
import { associatedToken } from '@payouts/testing/litesvm/handles';
import type { State } from '@payouts/testing/litesvm/ledger';
import { LEDGER_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address } from '@solana/kit';

const OTHER = named('somebody else');
const BUMP = 2;

interface Identity {
  /** Where the address stands that makes the account somebody else's. */
  readonly at: number;
  /** And where it stands once more. */
  readonly also?: number;
  /** Where the nonce stands that makes its address. */
  readonly nonce?: number;
  /** Seeds of its address with that other address. */
  seeds(other: Uint8Array, data: Uint8Array): (string | Uint8Array)[];
  /** Where the account's token account stands, if it has one. */
  readonly token?: number;
}

const pageNumber = (data: Uint8Array) => data.subarray(4, 8);

/** By kind of account; the config is the only one of its kind. */
const IDENTITIES: Readonly<Record<number, Identity>> = {
  2: { at: 8, seeds: (mint) => ['pool', mint], token: 40 },
  3: { at: 8, seeds: (employer, data) => ['vault', employer, data.subarray(40, 72)], token: 72 },
  4: { at: 8, seeds: (vault, data) => ['schedule', vault, data.subarray(104, 112)] },
  5: { at: 8, seeds: (mint, data) => ['balances', mint, data.subarray(40, 56)] },
  6: { at: 8, seeds: (schedule) => ['batch', schedule] },
  7: { at: 8, seeds: (mint) => ['counter', mint] },
  8: { at: 8, seeds: (mint, data) => ['page', mint, pageNumber(data)] },
  9: { at: 8, seeds: (subject) => ['whitelist', subject] },
  10: { at: 8, seeds: (mint, data) => ['redeemed', mint, pageNumber(data)] },
  11: { at: 8, seeds: (vault) => ['approval', vault] },
  12: { at: 8, seeds: (schedule, data) => ['bitmap', schedule, data.subarray(40, 48), pageNumber(data)] },
  13: { at: 40, also: 72, nonce: 280, seeds: (_, data) => ['personal', data.subarray(8, 40), data.subarray(280, 296)] },
};

/** Another valid account of the same kind in the same state: everything in it is right but that it is somebody else's. */
export function twinOf(state: State): State | undefined {
  const identity = state.owner === LEDGER_PROGRAM ? IDENTITIES[state.data[0] ?? 0] : undefined;
  if (identity === undefined) return undefined;
  const data = state.data.slice();
  const other = bytesOf(OTHER);
  for (const at of [identity.at, identity.also ?? identity.at]) data.set(other, at);
  if (identity.nonce !== undefined) data.set(other.subarray(0, 16), identity.nonce);
  const { address, bump } = derive(LEDGER_PROGRAM, ...identity.seeds(other, data));
  data[BUMP] = bump;
  if (identity.token !== undefined) data.set(bytesOf(tokenAccountOf(address)), identity.token);
  return { ...state, address, data };
}

const tokenAccountOf = (owner: Address) => associatedToken(owner, OTHER, TOKEN_PROGRAM);
