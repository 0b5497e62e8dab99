import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { printResult } from '../output.ts';
import { openSession } from '../session.ts';
import { chosenWithdrawal, type NamedOptions, withNamed } from '../underWay.ts';

/** payout cancel */
export function addCancel(program: Command): void {
  const command = program
    .command('cancel')
    .description('End a withdrawal that waits for its release; the tokens stay in your private balance');
  withChange(withNamed(command)).action(cancel);
}

async function cancel(options: ChangeOptions & NamedOptions): Promise<void> {
  const { client } = await openSession(options);
  const { token, balance, withdrawal } = chosenWithdrawal((await client.balances()).balances, options, {
    isMeant: ({ state }) => state === 'waiting',
    missing: new Failure(
      'no-withdrawal-waiting',
      'No such withdrawal waits. One that has its number can be redirected.',
    ),
  });
  const { id, amount, wallet } = withdrawal;
  const what = [
    `End the waiting withdrawal of ${withName(amount, token)}`,
    `  to ${wallet}`,
    '  The tokens stay in your private balance.',
  ];
  const plan = { balance: balance.address, withdrawal: id, amount };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.cancel(balance, id);
  printResult(options, { ...plan, signature }, 'The withdrawal is cancelled.');
}
