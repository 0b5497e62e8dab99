import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { print, printJson } from '../output.ts';
import { openSession } from '../session.ts';
import { ownTokens, withName } from '../tokens.ts';
import { toWallet } from '../wallet.ts';

type Options = ChangeOptions & { readonly to: Address; readonly number?: string };

/** payout redirect */
export function addRedirect(program: Command): void {
  const command = program
    .command('redirect')
    .description('Send the withdrawal that is under way to another wallet')
    .requiredOption('--to <wallet>', 'where the tokens go instead', toWallet)
    .option('--number <number>', 'number of the withdrawal, if several are under way');
  withChange(command).action(redirect);
}

async function redirect(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const underWay = ownTokens((await client.balances()).balances).flatMap((token) =>
    token.balances.flatMap(({ address, mint, withdrawal }) =>
      withdrawal && withdrawal.state !== 'paid' ? [{ token, address, mint, withdrawal }] : [],
    ),
  );
  const meant = underWay.filter(({ withdrawal }) => [undefined, `${withdrawal.number}`].includes(options.number));
  const [only, ...others] = meant;
  if (only === undefined) throw new Failure('no-withdrawal-pending', 'No such withdrawal is under way.');
  if (others.length > 0) {
    const numbers = meant.map(({ withdrawal }) => withdrawal.number).join(', ');
    throw new Failure('withdrawal-unnamed', `Several withdrawals are under way: name one with --number (${numbers}).`);
  }
  const { token, withdrawal } = only;
  const what = [
    `Send withdrawal ${withdrawal.number} of ${withName(withdrawal.amount, token)}`,
    `  to         ${options.to}`,
    `  instead of ${withdrawal.wallet}`,
    '  It is paid once, to whichever of the two the ledger sees first.',
  ];
  if (!(await isWanted(what, options))) return;
  const signature = await client.redirect(only, options.to);
  if (options.json) return printJson({ number: withdrawal.number, wallet: options.to, signature });
  print(`Withdrawal ${withdrawal.number} goes to ${options.to}`);
}
