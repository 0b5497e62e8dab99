import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { type ChangeOptions, type CommonOptions, withChange, withCommon } from '../options.ts';
import { print, printJson } from '../output.ts';
import { openSession } from '../session.ts';
import { chosenToken, ownTokens, withName } from '../tokens.ts';
import { toWallet } from '../wallet.ts';

type SetOptions = ChangeOptions & { readonly threshold: string; readonly to: Address; readonly token?: string };
type EndOptions = ChangeOptions & { readonly token?: string };

const TOKEN = ['--token <token>', 'symbol or address, if you have several'] as const;

/** payout order show, set and end. */
export function addOrder(program: Command): void {
  const order = program.command('order').description('Have everything go to a wallet by itself, from an amount on');
  withCommon(order.command('show').description('Show your standing orders')).action(show);
  withChange(
    order
      .command('set')
      .description('Set the standing order of a token')
      .requiredOption('--threshold <amount>', 'tokens in a balance from which on all of it goes out')
      .requiredOption('--to <wallet>', 'where the tokens go', toWallet)
      .option(...TOKEN),
  ).action(set);
  withChange(
    order
      .command('end')
      .description('End the standing order of a token')
      .option(...TOKEN),
  ).action(end);
}

async function show(options: CommonOptions): Promise<void> {
  const { client } = await openSession(options);
  const orders = ownTokens((await client.balances()).balances).flatMap((token) =>
    token.balances.flatMap(({ address, mint, order }) => (order ? [{ token, balance: address, mint, ...order }] : [])),
  );
  if (options.json) return printJson({ orders: orders.map(({ token: _, ...order }) => order) });
  if (orders.length === 0) return print('You have no standing order.');
  for (const { token, threshold, wallet } of orders) {
    print(`From ${withName(threshold, token)} on, everything goes`);
    print(`  to ${wallet}`);
  }
}

async function set(options: SetOptions): Promise<void> {
  const { client } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const threshold = parseTokens(options.threshold, token.decimals);
  const balances = token.balances.filter(({ exists }) => exists);
  if (balances.length === 0) {
    throw new Failure('not-paid-yet', 'A standing order can be set once you have been paid for the first time.');
  }
  const many = balances.length > 1 ? ` in one of your ${balances.length} balances` : '';
  const what = [`From ${withName(threshold, token)}${many} on, have all of it go`, `  to ${options.to}`];
  if (!(await isWanted(what, options))) return;
  for (const balance of balances) await client.setOrder(balance, { threshold, wallet: options.to });
  if (options.json) return printJson({ mint: token.mint, threshold, wallet: options.to, balances: balances.length });
  print('The standing order is set.');
}

async function end(options: EndOptions): Promise<void> {
  const { client, owner } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const balances = token.balances.filter(({ order }) => order !== null);
  if (balances.length === 0) throw new Failure('no-order', `There is no standing order for ${token.name}.`);
  if (!(await isWanted([`End the standing order for ${token.name}`], options))) return;
  for (const balance of balances) await client.setOrder(balance, { threshold: 0n, wallet: owner });
  if (options.json) return printJson({ mint: token.mint, balances: balances.length });
  print('The standing order has ended.');
}
