import { addressToBytes, findTokenDescription, METADATA_PROGRAM } from '@payouts/client';
import { baseLedgerAdmin } from '@payouts/localnet';
import { type Address, lamports } from '@solana/kit';
import type { World } from './world.ts';

/** A description's first byte. */
const METADATA_V1 = 4;

/** Has a token call itself so, by a Metaplex description on the base ledger. */
export async function nameToken(world: World, mint: Address, symbol: string): Promise<void> {
  const counted = (text: string) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const authority = addressToBytes(world.admin.address);
  const data = Buffer.concat([
    Buffer.from([METADATA_V1]),
    authority,
    addressToBytes(mint),
    counted(symbol),
    counted(symbol),
    counted(''),
  ]);
  await baseLedgerAdmin(world.urls.baseRpcUrl).setAccount({
    address: await findTokenDescription(mint),
    lamports: lamports(5_000_000n),
    owner: METADATA_PROGRAM,
    data: new Uint8Array(data),
  });
}
