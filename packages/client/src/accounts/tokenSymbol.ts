import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { mintExtensions } from './mintExtensions.ts';

/** An account as any ledger's RPC gives it. */
type Seen = { readonly owner: Address; readonly data: Uint8Array } | null;

/** The program whose accounts describe tokens of the classic token program. */
export const METADATA_PROGRAM: Address = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
/** A Metaplex description: kind, update authority, mint; then name, symbol and address as counted texts. */
const METAPLEX_TEXTS = 1 + 32 + 32;
/** The extension that describes the token: update authority, mint; then name, symbol and address as counted texts. */
const TOKEN_METADATA = 19;
const METADATA_TEXTS = 32 + 32;
/** What is shown: anybody may call a token anything. */
const SYMBOL = /^[A-Za-z0-9][A-Za-z0-9.$_-]{0,9}$/;

/** Where a mint's Metaplex description stands, if it has one. */
export async function findTokenDescription(mint: Address): Promise<Address> {
  const encoder = getAddressEncoder();
  const [description] = await getProgramDerivedAddress({
    programAddress: METADATA_PROGRAM,
    seeds: ['metadata', encoder.encode(METADATA_PROGRAM), encoder.encode(mint)],
  });
  return description;
}

/** The symbol in a mint's own extension, or else in its description; null if it has none that can be shown. */
export function tokenSymbol(mint: Seen, description: Seen): string | null {
  const described = description?.owner === METADATA_PROGRAM ? secondText(description.data, METAPLEX_TEXTS) : undefined;
  const symbol = (mint === null ? undefined : extensionSymbol(mint.data)) ?? described;
  return symbol !== undefined && SYMBOL.test(symbol) ? symbol : null;
}

function extensionSymbol(data: Uint8Array): string | undefined {
  const metadata = mintExtensions(data).get(TOKEN_METADATA);
  return metadata && secondText(metadata, METADATA_TEXTS);
}

/** The second of the texts that begin at a place, each behind its length in bytes; filled up with zeros in descriptions. */
function secondText(data: Uint8Array, place: number): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (place + 4 > data.length) return undefined;
  const second = place + 4 + view.getUint32(place, true);
  if (second + 4 > data.length) return undefined;
  const bytes = data.subarray(second + 4, second + 4 + view.getUint32(second, true));
  return new TextDecoder().decode(bytes).replace(/\0+$/, '').trim();
}
