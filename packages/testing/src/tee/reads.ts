import {
  BALANCE_PAGE_KIND,
  BATCH_KIND,
  derivePermissionAddress,
  namesReader,
  PERMISSION_PROGRAM_ADDRESS,
  PERSONAL_KIND,
  WIPED_PERSONAL_KIND,
} from '@payouts/client';
import { type Address, createSolanaRpc } from '@solana/kit';

/** A call to a layer. */
export type Call = { readonly method: string; readonly params: readonly unknown[] };
type Account = { readonly owner: string; readonly data: [string, string] | string };
/** An account as an answer shows it; null: it is not there. */
type Shown = { readonly pubkey: Address; readonly account: Account | null };
/** Which of these accounts a reader may not see, in their order. */
type Hides = (shown: readonly Shown[]) => boolean[] | Promise<boolean[]>;

/** Methods that show what others do. */
const HISTORY = new Set(['getTransaction', 'getSignaturesForAddress', 'getBlock', 'getBlocks']);
const CHUNK = 100;

/** What an answer of the real layer leaves for a reader. Undefined: the reader may not ask this. */
export async function leftFor(hides: Hides, { method, params }: Call, answer: Record<string, unknown>) {
  if (HISTORY.has(method)) return undefined;
  const { result } = answer;
  if (result === undefined) return answer;
  if (method === 'getProgramAccounts') {
    const found = result as readonly Shown[];
    const hidden = await hides(found);
    return { ...answer, result: found.filter((_, place) => !hidden[place]) };
  }
  if (method !== 'getAccountInfo' && method !== 'getMultipleAccounts') return answer;
  const { value } = result as { readonly value: Account | null | (Account | null)[] };
  const asked = [params[0]].flat() as Address[];
  const accounts = [value].flat();
  const hidden = await hides(accounts.map((account, place) => ({ pubkey: asked[place] as Address, account })));
  const left = accounts.map((account, place) => (hidden[place] ? null : account));
  return { ...answer, result: { ...result, value: Array.isArray(value) ? left : left[0] } };
}

const HIDDEN: ReadonlySet<number | undefined> = new Set([
  BATCH_KIND,
  BALANCE_PAGE_KIND,
  PERSONAL_KIND,
  WIPED_PERSONAL_KIND,
]);

/** Accounts of open windows, pages of balances and personal accounts are the execution authority's to see alone. */
export const hiddenOf =
  (program: Address): Hides =>
  (shown) =>
    shown.map(({ account }) => {
      if (account?.owner !== program) return false;
      // In any other encoding nothing could be told apart.
      if (!Array.isArray(account.data) || account.data[1] !== 'base64') return true;
      return HIDDEN.has(Buffer.from(account.data[0], 'base64')[0]);
    });

/**
 * By the read permissions that stand in the layer at an address, and nothing else: an account that has one is shown to those whom it
 * names, any other one to everybody.
 */
export const notPermittedIn =
  (upstream: string, who: Address): Hides =>
  async (shown) => {
    const layer = createSolanaRpc(upstream);
    const hidden: boolean[] = [];
    for (let start = 0; start < shown.length; start += CHUNK) {
      const permissions = shown.slice(start, start + CHUNK).map(({ pubkey }) => derivePermissionAddress(pubkey));
      const { value } = await layer.getMultipleAccounts(permissions, { encoding: 'base64' }).send();
      for (const permission of value) {
        const isOne = permission?.owner === PERMISSION_PROGRAM_ADDRESS;
        hidden.push(isOne && !namesReader(Buffer.from(permission.data[0], 'base64'), who));
      }
    }
    return hidden;
  };
