import { millisOf } from '@payouts/client';
import type { Address } from '@solana/kit';
import { amountText, type TokenName } from '../domain/forecast.ts';
import { listMints } from '../store/queries/liabilities.ts';
import { type PartSizes, partSizesOf } from '../withdrawals/partSizes.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { utc } from './format.ts';
import { readTokenName } from './tokenName.ts';

type Found = PartSizes & { readonly token: TokenName };

/** What holds for each token that registered schedules pay in, and what their pay suggests. */
export const roundsShow = command({
  synopsis: '[--json]',
  summary: 'shows in parts of which size each token leaves in rounds, and which size its pay suggests',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes nothing.');
    const found = await withDatabase(time, async (database, settings) => {
      const tokens: Found[] = [];
      for (const mint of (await listMints(database)) as Address[]) {
        const token = await readTokenName(settings, mint, time);
        tokens.push({ token, ...(await partSizesOf(database, mint, time.now())) });
      }
      return tokens;
    });
    await show(json, found.map(plain), found.length === 0 ? ['No schedule is registered.'] : found.flatMap(lines));
    return 0;
  },
});

function lines({ token, size, next, proposed }: Found): string[] {
  const partsOf = (baseUnits: bigint) => `parts of ${amountText(baseUnits, token)}`;
  return [
    `${token.symbol}  ${token.mint}`,
    size === undefined
      ? '  no size is set: nobody can take out in rounds'
      : `  ${partsOf(size.size)} since ${utc(millisOf(size.from))} UTC`,
    ...(next === undefined ? [] : [`  ${partsOf(next.size)} from ${utc(millisOf(next.from))} UTC on`]),
    proposed.size === 0n
      ? '  nothing is proposed: no schedule has settled three windows in three months'
      : `  proposed: ${partsOf(proposed.size)}, by what has been paid in three months (schedules: ${proposed.schedules})`,
  ];
}

/** For programs: base units as decimal text, times in unix milliseconds. */
function plain({ token, size, next, proposed }: Found) {
  const sized = (each: PartSizes['size']) =>
    each === undefined ? null : { size: String(each.size), from: millisOf(each.from) };
  return {
    mint: token.mint,
    size: sized(size),
    nextSize: sized(next),
    proposed: proposed.size === 0n ? null : { size: String(proposed.size), schedules: proposed.schedules },
  };
}
