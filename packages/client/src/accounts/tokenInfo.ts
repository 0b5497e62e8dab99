import { type Address, getBase64Encoder } from '@solana/kit';
import type { Ledgers } from '../transactions/connection.ts';
import { TOKEN_2022_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from './programs.ts';
import { findTokenDescription, tokenSymbol } from './tokenSymbol.ts';

/** A token as people speak of it. */
export type TokenInfo = {
  readonly mint: Address;
  readonly decimals: number;
  /** The token program that the mint belongs to. */
  readonly program: Address;
  /** What it calls itself, else the ends of its mint's address. */
  readonly name: string;
};

/** Where a mint says how many decimals its token has: behind an optional authority and the supply. */
const DECIMALS_AT = 44;

/** Reads a token from the base ledger; undefined: there is none. */
export async function fetchTokenInfo({ base }: Pick<Ledgers, 'base'>, mint: Address): Promise<TokenInfo | undefined> {
  const { value } = await base
    .getMultipleAccounts([mint, await findTokenDescription(mint)], { encoding: 'base64' })
    .send();
  const [account, description] = value.map((each) =>
    each === null ? null : { owner: each.owner, data: new Uint8Array(getBase64Encoder().encode(each.data[0])) },
  );
  if (!account || ![TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS].includes(account.owner)) return undefined;
  const symbol = tokenSymbol(account, description ?? null);
  return {
    mint,
    decimals: account.data[DECIMALS_AT] as number,
    program: account.owner,
    name: symbol ?? `${mint.slice(0, 4)}…${mint.slice(-4)}`,
  };
}
