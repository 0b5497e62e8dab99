import { fetchTokenInfo, patientRpc, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Settings } from '../config/specs.ts';
import type { TokenName } from '../domain/forecast.ts';
import { Refused } from './runArguments.ts';

/** How a token is named, and its decimals, as the base ledger has them. Throws `Refused` where it has no such token or doesn't answer. */
export async function readTokenName(settings: Settings, mint: Address, time: Time): Promise<TokenName> {
  const base = patientRpc(settings.baseRpcUrl, time);
  const token = await fetchTokenInfo({ base }, mint).catch(() => {
    throw new Refused("The base ledger does not answer, so the token's decimals are not known. Check BASE_RPC_URL.");
  });
  if (token === undefined) throw new Refused(`The base ledger has no token ${mint}.`);
  return { mint, symbol: token.name, decimals: token.decimals };
}
