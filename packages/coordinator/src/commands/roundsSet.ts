import { isAddressText, millisOf } from '@payouts/client';
import type { Address } from '@solana/kit';
import { amountText } from '../domain/forecast.ts';
import { setPartSize } from '../withdrawals/partSizes.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { utc } from './format.ts';
import { Refused } from './runArguments.ts';
import { readTokenName } from './tokenName.ts';

/** 1, 2 or 5 × 10ⁿ tokens, as people write it. */
const SIZE = /^(?:(?<whole>[125]0{0,12})|0\.(?<part>0{0,11}[125]))$/;

/** In which size a token's parts leave is an operator's to say: whatever schedules promise or pay, somebody could have made up. */
export const roundsSet = command({
  synopsis: 'MINT SIZE [--json]',
  summary: 'sets in parts of which size a token leaves in rounds, such as 500: now for the first, else a month ahead',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, [mint, written, ...more], { time }) {
    if (mint === undefined || written === undefined || more.length > 0 || !isAddressText(mint)) {
      throw new UsageError("It takes a token's address and a size.");
    }
    const groups = SIZE.exec(written)?.groups;
    if (groups === undefined) throw new UsageError('SIZE is 1, 2 or 5 with noughts, in tokens: 500, 20 or 0.01.');
    const { token, set } = await withDatabase(time, async (database, settings) => {
      const token = await readTokenName(settings, mint as Address, time);
      const size = baseUnitsOf(groups, token.decimals);
      return { token, set: await setPartSize(database, mint as Address, size, time.now()) };
    });
    const from = millisOf(set.from);
    const parts = amountText(set.size, token);
    const line =
      from <= time.now()
        ? `Parts of ${parts} hold now.`
        : `Parts of ${parts} hold from ${utc(from)} UTC on; anybody can read that until then.`;
    await show(json, { mint, size: String(set.size), from }, [line]);
    return 0;
  },
});

/** Throws `Refused` where the token has fewer decimals. */
function baseUnitsOf({ whole, part = '' }: Readonly<Record<string, string | undefined>>, decimals: number): bigint {
  if (part.length > decimals) throw new Refused(`The token has ${decimals} decimals.`);
  return BigInt(`${whole ?? '0'}${part.padEnd(decimals, '0')}`);
}
