import type { Signature } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { printJson, say, tell, warn } from '../output.ts';
import { openSession } from '../session.ts';
import { timeText } from '../timeText.ts';
import { type NamedOptions, namedWithdrawals, type OwnWithdrawal, withNamed } from '../underWay.ts';

type Options = ChangeOptions & NamedOptions & { readonly all?: true };

/** payout cancel */
export function addCancel(program: Command): void {
  const command = program
    .command('cancel')
    .description('Cancel withdrawals that wait for their release; the tokens stay in your private balance')
    .option('--all', 'all that wait; with --balance, all of that balance');
  withChange(withNamed(command)).action(cancel);
}

async function cancel(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const { balances } = await client.balances();
  const waiting = namedWithdrawals(balances, options, ({ state }) => state === 'waiting');
  checkChoice(waiting, options);
  const plans = waiting.map(({ balance, withdrawal: { id, amount } }) => ({
    balance: balance.address,
    withdrawal: id,
    amount,
  }));
  const what = [
    waiting.length === 1 ? 'Cancel the waiting withdrawal of' : `Cancel ${waiting.length} waiting withdrawals:`,
    ...waiting.flatMap(linesOf),
    '  The tokens stay in your private balance.',
  ];
  // A part of a standing order that is cancelled is a part again a moment later.
  if (waiting.some(({ balance: { order } }) => order !== null)) {
    warn('You have a standing order, which may take them out again: payout order end ends it.');
  }
  if (!(await isWanted(what, options, { withdrawals: plans }))) return;
  const signatures: Signature[] = [];
  for (const { token, balance, withdrawal } of waiting) {
    signatures.push(await client.cancel(balance, withdrawal.id));
    if (!options.json) say(`The withdrawal of ${withName(withdrawal.amount, token)} is cancelled.`);
  }
  if (options.json) printJson({ withdrawals: plans.map((plan, at) => ({ ...plan, signature: signatures[at] })) });
}

/** Throws `Failure` where nothing waits, or several do and none is named; those are shown. */
function checkChoice(waiting: readonly OwnWithdrawal[], { all, json }: Options): void {
  if (waiting.length === 0) {
    throw new Failure(
      'no-withdrawal-waiting',
      'No such withdrawal waits. One that has its number can be redirected: payout redirect.',
    );
  }
  if (waiting.length === 1 || all) return;
  if (!json) for (const line of waiting.flatMap(linesOf)) tell(line);
  throw new Failure(
    'withdrawal-unnamed',
    'Several withdrawals wait: name one with --withdrawal, and with --balance if two have the same id; or pass --all.',
  );
}

function linesOf({ token, balance, withdrawal: { id, amount, wallet, releaseAt, inRound } }: OwnWithdrawal): string[] {
  const release = releaseAt === null ? '' : `, on ${timeText(releaseAt)}${inRound ? ' at the latest' : ''}`;
  const of = token.balances.length > 1 ? [`    of balance ${balance.address}`] : [];
  return [`  ${withName(amount, token)}, id ${id}${release}`, `    to ${wallet}`, ...of];
}
