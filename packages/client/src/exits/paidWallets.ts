import { type Address, getBase64Encoder, type Signature } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token';
import { type Deployment, findPoolAddress, findTokenAddress } from '../accounts/addresses.ts';
import { signaturesFor } from '../accounts/signaturesFor.ts';
import type { TokenInfo } from '../accounts/tokenInfo.ts';
import { fetchPool } from '../generated/index.ts';
import type { RecipientClient } from '../http/recipientClient.ts';
import type { Ledgers } from '../transactions/connection.ts';

/** Entries of a recipient's history in one answer, at most. */
const ENTRIES_AT_ONCE = 100;
/** Accounts in one answer, at most. */
const ACCOUNTS_AT_ONCE = 100;
/** Transactions that are asked for side by side. */
const AT_ONCE = 8;

/** Whom a pool has paid, as anybody can read it. */
export type PublicPayouts = {
  readonly wallets: ReadonlySet<Address>;
  /** Transactions that the node no longer has: whom they paid is not among these. */
  readonly forgotten: number;
};

/**
 * Every wallet that a token's pool has ever paid, by the base ledger. It asks for all of them, so the node does not learn which of them
 * whoever asks is looking for. `onRead` hears how many transactions of how many are read.
 */
export async function readPublicPayouts(
  { base }: Pick<Ledgers, 'base'>,
  mint: Address,
  { onRead, ...deployment }: Deployment & { readonly onRead?: (read: number, of: number) => void } = {},
): Promise<PublicPayouts> {
  const { data: pool } = await fetchPool(base, await findPoolAddress(mint, deployment));
  const signed = (await signaturesFor(base, pool.tokenAccount, 'confirmed')).filter(({ err }) => err === null);
  const wallets = new Set<Address>();
  let forgotten = 0;
  for (let from = 0; from < signed.length; from += AT_ONCE) {
    const found = await Promise.all(
      signed.slice(from, from + AT_ONCE).map(({ signature }) => ownersIn(base, signature, mint)),
    );
    for (const owners of found) {
      if (owners === undefined) forgotten += 1;
      for (const owner of owners ?? []) wallets.add(owner);
    }
    onRead?.(Math.min(from + AT_ONCE, signed.length), signed.length);
  }
  return { wallets, forgotten };
}

/** Whose accounts of a token a transaction has changed; undefined: the node does not have it. */
async function ownersIn(base: Ledgers['base'], signature: Signature, mint: Address) {
  const found = await base
    .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  return found?.meta?.postTokenBalances?.flatMap(({ mint: of, owner }) =>
    of === mint && owner !== undefined ? [owner] : [],
  );
}

/**
 * Base units of a token that wallets hold in their associated accounts. Give it all that a pool has paid, not some: the node would learn that
 * these are one person's.
 */
export async function tokensOf(
  { base }: Pick<Ledgers, 'base'>,
  wallets: ReadonlySet<Address>,
  { mint, program }: Pick<TokenInfo, 'mint' | 'program'>,
): Promise<ReadonlyMap<Address, bigint>> {
  const owners = [...wallets];
  const held = new Map<Address, bigint>();
  for (let from = 0; from < owners.length; from += ACCOUNTS_AT_ONCE) {
    const some = owners.slice(from, from + ACCOUNTS_AT_ONCE);
    const accounts = await Promise.all(some.map((owner) => findTokenAddress(owner, mint, program)));
    const { value } = await base.getMultipleAccounts(accounts, { encoding: 'base64', commitment: 'confirmed' }).send();
    for (const [place, owner] of some.entries()) {
      const account = value[place];
      held.set(owner, account ? getTokenDecoder().decode(getBase64Encoder().encode(account.data[0])).amount : 0n);
    }
  }
  return held;
}

/** Every wallet that a recipient's withdrawals went to, are on their way to or will go to, as their coordinator knows it. */
export async function ownPayouts(client: Pick<RecipientClient, 'balances' | 'history'>): Promise<ReadonlySet<Address>> {
  const wallets = new Set<Address>();
  for (const { withdrawals, standing, order } of (await client.balances()).balances) {
    for (const { wallet } of [...withdrawals, ...standing]) wallets.add(wallet);
    if (order !== null) wallets.add(order.wallet);
  }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.history({ limit: ENTRIES_AT_ONCE, ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) if (item.kind === 'withdrawal') wallets.add(item.wallet);
    cursor = page.nextCursor;
  }
  return wallets;
}
