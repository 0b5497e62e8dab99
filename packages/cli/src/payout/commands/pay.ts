import { heldOf, type OwnToken, ownerOfPaymentCode, type Part } from '@payouts/client';
import type { Command } from 'commander';
import { parseTokens, withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { print, printJson } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { openSession } from '../session.ts';
import { askInTurn, plannedWithdrawal } from '../withdrawalPlan.ts';

type Options = ChangeOptions & { readonly token?: string; readonly wait: boolean };

/** payout pay */
export function addPay(program: Command): void {
  const command = program
    .command('pay')
    .description('Pay somebody inside, from your private balance to their payment code; no ledger shows it')
    .argument('<code>', 'their payment code, as payout code shows it to them')
    .argument('<amount>', 'tokens, such as 1,250.50')
    .option('--token <token>', 'symbol or address, if you have several')
    .option('--no-wait', "don't wait until it has moved");
  withChange(command).action(pay);
}

async function pay(paymentCode: string, text: string, options: Options): Promise<void> {
  ownerOfPaymentCode(paymentCode);
  const { client } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const amount = parseTokens(text, token.decimals);
  const parts = plannedWithdrawal(token, amount);
  const plan = parts.map((part) => ({ balance: part.balance.address, amount: part.amount, paymentCode }));
  if (!(await isWanted(summary(parts, amount, token, paymentCode), options, { transfers: plan }))) return;
  const asked = await askInTurn(parts, async ({ balance, amount }, at) => {
    const signature = await client.pay(balance, { amount, paymentCode });
    return { ...plan[at], signature };
  });
  const isMade = options.wait && (await client.isPaidTo(paymentCode));
  if (options.json) return printJson({ transfers: asked, state: isMade ? 'made' : 'requested' });
  if (isMade) print(`${withName(amount, token)} paid to ${paymentCode}`);
  else print(`${withName(amount, token)} asked for; payout balance shows how it gets on.`);
}

function summary(parts: readonly Part[], amount: bigint, token: OwnToken, paymentCode: string): string[] {
  const lines = [`Pay ${withName(amount, token)}`, `  to ${paymentCode}`];
  if (parts.length > 1) lines.push(`  in ${parts.length} transfers, one from each balance`);
  lines.push(`  ${withName(heldOf(token) - amount, token)} stay in your private balance`);
  return lines;
}
