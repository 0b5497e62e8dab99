import { derivePermissionAddress, namesReader, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import { type Address, createSolanaRpc } from '@solana/kit';

/** A call to a layer, and what the layer answered. */
type Answered = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly answer: Record<string, unknown>;
};
/** Who reads from the layer at an address. */
type Reader = { readonly who: Address; readonly upstream: string };

/** Methods that show what others do: those whom a permission names without a flag see accounts alone. */
const HISTORY = new Set(['getTransaction', 'getSignaturesForAddress', 'getBlock', 'getBlocks']);
const CHUNK = 100;

/**
 * What an answer leaves for a reader by the read permissions that stand in the layer, and nothing else: an account that has one is shown to
 * those whom it names, any other one to everybody. Undefined: the reader may not ask this.
 */
export async function permitted({ method, params, answer }: Answered, reader: Reader): Promise<unknown> {
  if (HISTORY.has(method)) return undefined;
  const result = answer.result as { readonly value?: unknown } | readonly { readonly pubkey: Address }[] | undefined;
  if (result === undefined) return answer;
  if (method === 'getProgramAccounts') {
    const found = result as readonly { readonly pubkey: Address }[];
    const hidden = await hiddenFrom(
      reader,
      found.map(({ pubkey }) => pubkey),
    );
    return { ...answer, result: found.filter(({ pubkey }) => !hidden.has(pubkey)) };
  }
  if (method !== 'getAccountInfo' && method !== 'getMultipleAccounts') return answer;
  const asked = [params[0]].flat() as Address[];
  const hidden = await hiddenFrom(reader, asked);
  const { value } = result as { readonly value: unknown };
  const shown = [value].flat().map((account, place) => (hidden.has(asked[place] as Address) ? null : account));
  return { ...answer, result: { ...result, value: Array.isArray(value) ? shown : shown[0] } };
}

async function hiddenFrom({ who, upstream }: Reader, accounts: readonly Address[]): Promise<Set<Address>> {
  const layer = createSolanaRpc(upstream);
  const hidden = new Set<Address>();
  for (let start = 0; start < accounts.length; start += CHUNK) {
    const some = accounts.slice(start, start + CHUNK);
    const { value } = await layer.getMultipleAccounts(some.map(derivePermissionAddress), { encoding: 'base64' }).send();
    for (const [place, permission] of value.entries()) {
      if (permission?.owner !== PERMISSION_PROGRAM_ADDRESS) continue;
      if (!namesReader(Buffer.from(permission.data[0], 'base64'), who)) hidden.add(some[place] as Address);
    }
  }
  return hidden;
}
