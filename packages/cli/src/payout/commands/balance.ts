import { type OwnToken, ownTokens } from '@payouts/client';
import type { Command } from 'commander';
import { showTokens, withName } from '../amounts.ts';
import { type CommonOptions, withCommon } from '../options.ts';
import { orderLines, standingLines } from '../orderText.ts';
import { bold, dim, print, printJson } from '../output.ts';
import { openSession } from '../session.ts';
import { timeText } from '../timeText.ts';

const UNDER_WAY = {
  waiting: 'waiting for its release',
  requested: 'asked for',
  recorded: 'recorded',
  issued: 'being paid',
  paid: 'paid',
} as const;

/** payout balance */
export function addBalance(program: Command): void {
  withCommon(
    program.command('balance').description('Show what is yours, what is on its way, and your standing order'),
  ).action(async (options: CommonOptions) => {
    const { client, owner } = await openSession(options);
    const { balances } = await client.balances();
    if (options.json) return printJson({ recipient: owner, balances });
    if (balances.length === 0) return print('This key has no balance here: no list of this coordinator pays it.');
    // One withdrawal is the rule: its id matters only beside another's.
    const isIdShown = balances.flatMap(({ withdrawals }) => withdrawals).length > 1;
    for (const token of ownTokens(balances)) for (const line of tokenLines(token, isIdShown)) print(line);
  });
}

function tokenLines(token: OwnToken, isIdShown: boolean): string[] {
  const total = token.balances.reduce((sum, { amount }) => sum + amount, 0n);
  const lines = [bold(`${showTokens(total, token.decimals)} ${token.handle}`)];
  const some = token.balances.filter(
    ({ amount, withdrawals, transfers, order }) =>
      amount > 0n || withdrawals.length > 0 || transfers.length > 0 || order,
  );
  for (const { address, amount, withdrawals, transfers, order, schedules } of some) {
    const where = schedules.length === 0 ? 'paid to your payment code' : `in ${address}`;
    // One balance is the rule: what it is called matters only beside another.
    if (some.length > 1) lines.push(`  ${withName(amount, token)} ${dim(where)}`);
    for (const withdrawal of withdrawals) {
      const { id, number, state, wallet, releaseAt, inRound } = withdrawal;
      const name = number === null ? '' : `withdrawal ${number}, `;
      const which = isIdShown ? `, id ${id}` : '';
      const how = inRound ? 'waiting for its round' : UNDER_WAY[state];
      lines.push(`  ${withName(withdrawal.amount, token)} on the way${which}: ${name}${how}`);
      if (releaseAt !== null) lines.push(`    on ${timeText(releaseAt)}${inRound ? ' at the latest' : ''}`);
      lines.push(`    to ${wallet}`);
    }
    for (const transfer of transfers) {
      lines.push(`  ${withName(transfer.amount, token)} about to move inside, id ${transfer.id}`);
      lines.push(`    to ${transfer.paymentCode}`);
    }
    if (order) {
      lines.push(...orderLines(order, token).map((line) => `  ${line}`));
    }
  }
  lines.push(...standingLines(token).map((line) => `  ${line}`));
  return lines;
}
