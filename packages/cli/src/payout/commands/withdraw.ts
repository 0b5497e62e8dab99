import { adviceOn, heldOf, type OwnToken, type Part, watchedFrom } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens, withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { durationText, withinOption } from '../duration.ts';
import { addressOption, type ChangeOptions, withChange } from '../options.ts';
import { print, printJson, warn } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { watchWithdrawals } from '../progress.ts';
import { releaseOf, releaseWithin } from '../release.ts';
import { openSession } from '../session.ts';
import { plannedWithdrawal } from '../withdrawalPlan.ts';

type Options = ChangeOptions & {
  readonly to: Address;
  readonly token?: string;
  readonly within?: number;
  readonly wait: boolean;
};

/** payout withdraw */
export function addWithdraw(program: Command): void {
  const command = program
    .command('withdraw')
    .description('Take tokens out of your private balance to any wallet')
    .argument('<amount>', 'tokens, such as 1,250.50, or all')
    .requiredOption('--to <wallet>', 'where the tokens go', addressOption)
    .option('--token <token>', 'symbol or address, if you have several')
    .option('--within <duration>', 'release it at a random time within this, such as 3d', withinOption)
    .option('--no-wait', "don't wait until it is paid");
  withChange(command).action(withdraw);
}

async function withdraw(text: string, options: Options): Promise<void> {
  const { client, owner } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const parts = plannedWithdrawal(token, text === 'all' ? 'all' : parseTokens(text, token.decimals));
  const total = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const planned = parts.map(({ balance, amount }) => ({ balance: balance.address, amount, wallet: options.to }));
  const held = heldOf(token);
  const seen = { to: options.to, owner, amount: total, held, decimals: token.decimals, within: options.within };
  for (const sentence of adviceOn(seen, '--within 3d draws one.')) warn(sentence);
  const what = summary({ parts, total, held }, token, options);
  if (!(await isWanted(what, options, { withdrawals: planned }))) return;
  const asked: object[] = [];
  for (const { balance, amount } of parts) {
    const dueAt = releaseWithin(options.within, options.time);
    const signature = await client.withdraw(balance, { amount, wallet: options.to, dueAt });
    const part = { balance: balance.address, amount, wallet: options.to };
    asked.push({ ...part, releaseAt: releaseOf(dueAt), signature });
  }
  const watched = watchedFrom(parts.map(({ balance }) => balance));
  const waits = options.wait && options.within === undefined;
  const isPaid = waits && (await watchWithdrawals(client, watched, options.time));
  if (options.json) return printJson({ withdrawals: asked, state: isPaid ? 'paid' : 'requested' });
  if (isPaid) print(`${withName(total, token)} paid to ${options.to}`);
  else print(`${withName(total, token)} asked for; payout balance shows how it gets on.`);
}

/** What is taken out, and what is there; base units. */
type Taken = { readonly parts: readonly Part[]; readonly total: bigint; readonly held: bigint };

function summary({ parts, total, held }: Taken, token: OwnToken, { to, within }: Options): string[] {
  const lines = [`Take out ${withName(total, token)}`, `  to ${to}`];
  if (parts.length > 1) lines.push(`  in ${parts.length} payouts, one from each balance`);
  if (within !== undefined) lines.push(`  released within ${durationText(within)}, drawn by lot`);
  lines.push(`  ${withName(held - total, token)} stay in your private balance`);
  return lines;
}
