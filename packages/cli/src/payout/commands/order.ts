import { ownTokens, type StandingOrder } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { delayOption } from '../duration.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { addressOption, type ChangeOptions, type CommonOptions, withChange, withCommon } from '../options.ts';
import { orderLines } from '../orderText.ts';
import { print, printJson, printResult } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { openSession } from '../session.ts';

type SetOptions = ChangeOptions & {
  readonly threshold: string;
  readonly to: Address;
  readonly token?: string;
  readonly part?: string;
  readonly delay?: StandingOrder['delayMinutes'];
};
type EndOptions = ChangeOptions & { readonly token?: string };

const AT_ONCE = { least: 0, most: 0 };
const TOKEN = ['--token <token>', 'symbol or address, if you have several'] as const;

/** payout order show, set and end. */
export function addOrder(program: Command): void {
  const order = program
    .command('order')
    .description('Withdraw to a wallet automatically once a balance reaches an amount');
  withCommon(order.command('show').description('Show your standing orders')).action(show);
  withChange(
    order
      .command('set')
      .description('Set the standing order of a token')
      .requiredOption('--threshold <amount>', 'withdraw once a balance holds this many tokens')
      .requiredOption('--to <wallet>', 'where the tokens go', addressOption)
      .option('--part <amount>', 'tokens of each withdrawal, a round amount as others take (default: all)')
      .option('--delay <range>', 'delay each withdrawal at random, such as 2h..3d (default: at once)', delayOption)
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
    token.balances.flatMap(({ address, mint, order }) => (order ? [{ token, balance: address, mint, order }] : [])),
  );
  if (options.json)
    return printJson({ orders: orders.map(({ balance, mint, order }) => ({ balance, mint, ...order })) });
  if (orders.length === 0) return print('You have no standing order.');
  for (const { token, order } of orders) for (const line of orderLines(order, token)) print(line);
}

async function set(options: SetOptions): Promise<void> {
  const { client } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const threshold = parseTokens(options.threshold, token.decimals);
  const balances = token.balances.filter(({ place }) => place !== null);
  if (balances.length === 0) {
    throw new Failure('not-paid-yet', 'A standing order can be set once you have been paid for the first time.');
  }
  const part = options.part === undefined ? null : parseTokens(options.part, token.decimals);
  if (part !== null && part > threshold) throw new WrongUsage('--part is more than --threshold: it could not go out.');
  const order = { threshold, wallet: options.to, part, delayMinutes: options.delay ?? AT_ONCE };
  const what = orderLines(order, token);
  if (balances.length > 1) what.push(`  for each of your ${balances.length} balances`);
  const plan = { mint: token.mint, ...order, balances: balances.length };
  if (!(await isWanted(what, options, plan))) return;
  for (const balance of balances) await client.setOrder(balance, order);
  printResult(options, plan, 'The standing order is set.');
}

async function end(options: EndOptions): Promise<void> {
  const { client, owner } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const balances = token.balances.filter(({ order }) => order !== null);
  if (balances.length === 0) throw new Failure('no-order', `There is no standing order for ${token.name}.`);
  const plan = { mint: token.mint, balances: balances.length };
  if (!(await isWanted([`End the standing order for ${token.name}`], options, plan))) return;
  for (const balance of balances) {
    await client.setOrder(balance, { threshold: 0n, wallet: owner, part: null, delayMinutes: AT_ONCE });
  }
  printResult(options, plan, 'The standing order has ended.');
}
