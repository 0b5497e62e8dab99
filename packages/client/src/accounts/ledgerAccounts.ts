import {
  type Address,
  type Base58EncodedBytes,
  type Commitment,
  getBase58Decoder,
  getBase64Encoder,
} from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token';
import type { Ledgers } from '../transactions/connection.ts';

/** Base units that a token account holds; zero when there is none. */
export async function tokensIn(
  base: Ledgers['base'],
  at: Address,
  commitment: Commitment = 'finalized',
): Promise<bigint> {
  const { value } = await base.getAccountInfo(at, { encoding: 'base64', commitment }).send();
  return value === null ? 0n : getTokenDecoder().decode(getBase64Encoder().encode(value.data[0])).amount;
}

/** All accounts of one kind that a ledger holds for the program and that name an address at this place. */
export async function accountsOf(
  rpc: Ledgers['base'],
  program: Address,
  kind: number,
  named: { readonly address: Address; readonly at: bigint },
): Promise<{ readonly address: Address; readonly bytes: Uint8Array }[]> {
  const kindBytes = getBase58Decoder().decode(Uint8Array.of(kind)) as Base58EncodedBytes;
  const namedBytes = named.address as string as Base58EncodedBytes;
  const found = await rpc
    .getProgramAccounts(program, {
      encoding: 'base64',
      filters: [
        { memcmp: { offset: 0n, bytes: kindBytes, encoding: 'base58' } },
        { memcmp: { offset: named.at, bytes: namedBytes, encoding: 'base58' } },
      ],
    })
    .send();
  return found.map(({ pubkey, account }) => ({
    address: pubkey,
    bytes: getBase64Encoder().encode(account.data[0]) as Uint8Array,
  }));
}
