import { addressFromBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { LedgerAccount } from './ledger.ts';

/** Where a token account has its mint, its owner and its amount: https://docs.rs/spl-token-interface */
const OWNER_AT = 32;
const AMOUNT_AT = 64;
const TOKEN_ACCOUNT_BYTES = 165;

/** Who owns a token account, and what is in it, base units; undefined: it is no account of that token. */
export function tokensIn(
  account: LedgerAccount | null | undefined,
  { mint, tokenProgram }: { readonly mint: Address; readonly tokenProgram: Address },
): { readonly owner: Address; readonly amount: bigint } | undefined {
  if (!account || account.owner !== tokenProgram || account.data.length < TOKEN_ACCOUNT_BYTES) return undefined;
  const { data } = account;
  if (addressFromBytes(data.subarray(0, OWNER_AT)) !== mint) return undefined;
  const amount = new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true);
  return { owner: addressFromBytes(data.subarray(OWNER_AT, AMOUNT_AT)), amount };
}
