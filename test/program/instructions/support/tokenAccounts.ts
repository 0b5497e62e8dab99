import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import type { State } from '@payouts/testing/litesvm/ledger';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '@payouts/testing/litesvm/programs';

type Spoil = (state: State) => Partial<State>;

const SOMEBODY = bytesOf(named('somebody'));

/** Bytes with others from a place on. */
export function overwritten({ data }: State, place: number, ...bytes: readonly number[]): Partial<State> {
  const changed = data.slice();
  changed.set(bytes, place);
  return { data: changed };
}

/** Token accounts that may not be a pool's or a vault's, although they lie at its associated address. */
export const SPOILT_TOKEN_ACCOUNTS: readonly (readonly [string, Spoil])[] = [
  ['is of another mint', (state) => overwritten(state, 0, ...SOMEBODY)],
  ['belongs to somebody else', (state) => overwritten(state, 32, ...SOMEBODY)],
  ['has a delegate', (state) => overwritten(state, 72, 1)],
  ['is frozen', (state) => overwritten(state, 108, 2)],
  ['is not initialised', (state) => overwritten(state, 108, 0)],
  ['can be closed by somebody', (state) => overwritten(state, 129, 1)],
  ['is another token program’s', () => ({ owner: TOKEN_2022_PROGRAM })],
  ['is shorter', ({ data }) => ({ data: data.slice(0, 164) })],
  ['is longer', ({ data }) => ({ data: new Uint8Array([...data, 1]) })],
  ['does not exist', () => ({ owner: SYSTEM_PROGRAM, data: new Uint8Array() })],
];
