import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { addressOption, type ChangeOptions, withChange } from '../options.ts';
import { printResult } from '../output.ts';
import { ownTokens } from '../ownTokens.ts';
import { openSession } from '../session.ts';

type Options = ChangeOptions & { readonly balance?: Address; readonly withdrawal?: number };

/** payout cancel */
export function addCancel(program: Command): void {
  const command = program
    .command('cancel')
    .description('End a withdrawal that waits for its release; the tokens stay in your private balance')
    .option('--withdrawal <id>', 'which of them, if several wait: see payout balance', Number)
    .option('--balance <address>', 'the balance that it is taken from, if you have several', addressOption);
  withChange(command).action(cancel);
}

async function cancel(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const waiting = ownTokens((await client.balances()).balances).flatMap((token) =>
    token.balances.flatMap((balance) =>
      balance.withdrawals
        .filter(({ state, id }) => state === 'waiting' && [undefined, id].includes(options.withdrawal))
        .filter(() => [undefined, balance.address].includes(options.balance))
        .map((withdrawal) => ({ token, balance, withdrawal })),
    ),
  );
  const [only, ...others] = waiting;
  if (only === undefined) {
    throw new Failure('no-withdrawal-waiting', 'No such withdrawal waits. One that has its number can be redirected.');
  }
  if (others.length > 0) {
    const ids = waiting.map(({ withdrawal }) => withdrawal.id).join(', ');
    throw new Failure('withdrawal-unnamed', `Several withdrawals wait: name one with --withdrawal (${ids}).`);
  }
  const { token, balance, withdrawal } = only;
  const what = [
    `End the waiting withdrawal of ${withName(withdrawal.amount, token)}`,
    `  to ${withdrawal.wallet}`,
    '  The tokens stay in your private balance.',
  ];
  const plan = { balance: balance.address, withdrawal: withdrawal.id, amount: withdrawal.amount };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.cancel(balance, withdrawal.id);
  printResult(options, { ...plan, signature }, 'The withdrawal is cancelled.');
}
