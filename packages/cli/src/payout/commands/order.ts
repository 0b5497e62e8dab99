import { type OwnToken, ownTokens, type StandingOrder } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { delayOption } from '../duration.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { addressOption, type ChangeOptions, type CommonOptions, withChange, withCommon } from '../options.ts';
import { orderLines, standingLines } from '../orderText.ts';
import { print, printJson, printResult } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { openSession } from '../session.ts';
import { standInRounds } from '../standing.ts';

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

/** payout order show, set, rounds and end. */
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
      .command('rounds')
      .description('Have your pay leave in rounds by itself: parts to fresh wallets stand ready for it')
      .option(...TOKEN),
  ).action(async (options: EndOptions) => {
    const access = await openSession(options);
    await standInRounds(access, chosenToken((await access.client.balances()).balances, options.token), options);
  });
  withChange(
    order
      .command('end')
      .description('End the standing order of a token, and that in rounds')
      .option(...TOKEN),
  ).action(end);
}

async function show(options: CommonOptions): Promise<void> {
  const { client } = await openSession(options);
  const tokens = ownTokens((await client.balances()).balances);
  const balances = tokens.flatMap((token) => token.balances);
  if (options.json) {
    return printJson({
      orders: balances.flatMap(({ address, mint, order }) => (order ? [{ balance: address, mint, ...order }] : [])),
      standing: balances.flatMap(({ address, mint, standing }) =>
        standing.map((part) => ({ balance: address, mint, ...part })),
      ),
    });
  }
  const lines = tokens.flatMap((token) => [
    ...token.balances.flatMap(({ order }) => (order ? orderLines(order, token) : [])),
    ...standingLines(token),
  ]);
  for (const line of lines.length === 0 ? ['You have no standing order.'] : lines) print(line);
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
  const parts = token.balances.flatMap((balance) => balance.standing.map(({ id }) => ({ balance, id })));
  if (balances.length === 0 && parts.length === 0) {
    throw new Failure('no-order', `There is no standing order for ${token.name}.`);
  }
  const plan = { mint: token.mint, balances: balances.length, standing: parts.length };
  if (!(await isWanted(endLines(token, parts.length), options, plan))) return;
  for (const balance of balances) {
    await client.setOrder(balance, { threshold: 0n, wallet: owner, part: null, delayMinutes: AT_ONCE });
  }
  for (const { balance, id } of parts) await client.cancel(balance, id);
  printResult(options, plan, 'The standing order has ended.');
}

const endLines = ({ name }: OwnToken, parts: number): string[] => [
  `End the standing order for ${name}`,
  ...(parts === 0 ? [] : [`  ${parts} parts that stand ready are cancelled; you sign for each`]),
];
