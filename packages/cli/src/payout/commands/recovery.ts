import {
  type BalanceRecovery,
  type OwnToken,
  ownTokens,
  RECOVERY_SECONDS,
  type RecipientBalance,
  type StandingOrder,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../confirm.ts';
import { delayOption } from '../duration.ts';
import { Failure } from '../failure.ts';
import { addressOption, type ChangeOptions, type CommonOptions, withChange, withCommon } from '../options.ts';
import { print, printJson, printResult } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { openSession } from '../session.ts';
import { timeText } from '../timeText.ts';

type TokenOptions = ChangeOptions & { readonly token?: string };
type CompleteOptions = ChangeOptions & { readonly to: Address; readonly delay?: StandingOrder['delayMinutes'] };
type Own = { readonly token: OwnToken; readonly balance: RecipientBalance; readonly recovery: BalanceRecovery };

const MS_PER_SECOND = 1_000;
const TOKEN = ['--token <token>', 'symbol or address, if you have several'] as const;
const BALANCE = ['<balance>', 'address of the private balance, as its owner was told it', addressOption] as const;

/** payout recovery show, name, remove and refuse for its owner; request and complete for the recovery wallet. */
export function addRecovery(program: Command): void {
  const recovery = program
    .command('recovery')
    .description('Name a wallet that can recover your private balance, or recover one');
  withCommon(recovery.command('show').description('Show who may recover your balances')).action(show);
  withChange(
    recovery
      .command('name')
      .description('Name the wallet that can recover a token; it takes the place of another one after fourteen days')
      .argument('<wallet>', 'its address: another key than your own', addressOption)
      .option(...TOKEN),
  ).action((wallet: Address, options: TokenOptions) => name(wallet, options));
  withChange(
    recovery
      .command('remove')
      .description('Let nobody recover a token, after fourteen days')
      .option(...TOKEN),
  ).action((options: TokenOptions) => name(null, options));
  withChange(recovery.command('refuse').description('End the recoveries of your balances')).action(refuse);
  withChange(
    recovery
      .command('request')
      .description('Ask for a balance whose recovery wallet your key is; its owner has fourteen days to refuse')
      .argument(...BALANCE),
  ).action(request);
  withChange(
    recovery
      .command('complete')
      .description('Have a balance that you have asked for go to a wallet, with what comes later')
      .argument(...BALANCE)
      .requiredOption('--to <wallet>', 'where the tokens go', addressOption)
      .option('--delay <range>', 'delay each withdrawal at random, such as 2h..3d (default: at once)', delayOption),
  ).action(complete);
}

const ownRecoveries = (balances: readonly RecipientBalance[]): Own[] =>
  ownTokens(balances).flatMap((token) =>
    token.balances.flatMap((balance) =>
      balance.recovery === null ? [] : [{ token, balance, recovery: balance.recovery }],
    ),
  );

async function show(options: CommonOptions): Promise<void> {
  const { client } = await openSession(options);
  const { balances } = await client.balances();
  const recoveries = ownRecoveries(balances);
  if (options.json) {
    return printJson({
      recoveries: recoveries.map(({ token, balance, recovery }) => ({
        balance: balance.personal,
        mint: token.mint,
        ...recovery,
      })),
    });
  }
  if (recoveries.length === 0) return print('Nobody can recover your balances.');
  for (const own of recoveries) for (const line of recoveryLines(own)) print(line);
}

/** Who may recover a balance, in words. */
function recoveryLines({ token, balance, recovery }: Own): string[] {
  const { wallet, change, completesAt } = recovery;
  const lines = [`${token.handle} in ${balance.personal}`, `  recovered by ${wallet ?? 'nobody'}`];
  if (change !== null) lines.push(`  from ${timeText(change.from)} on by ${change.wallet ?? 'nobody'}`);
  if (completesAt !== null) {
    lines.push(`  ${wallet} has asked for it: refuse until ${timeText(completesAt)}, or it is theirs`);
  }
  return lines;
}

async function name(wallet: Address | null, options: TokenOptions): Promise<void> {
  const { client } = await openSession(options);
  const token = chosenToken((await client.balances()).balances, options.token);
  const balances = token.balances.filter(
    ({ place, recovery }) => place !== null && (wallet !== null || recovery !== null),
  );
  if (balances.length === 0) {
    throw wallet === null
      ? new Failure('no-recovery-wallet', `Nobody can recover your ${token.name} as it is.`)
      : new Failure('not-paid-yet', 'A recovery wallet can be named once you have been paid for the first time.');
  }
  const isReplaced = balances.some(({ recovery }) => recovery !== null && recovery.wallet !== wallet);
  const what = [
    wallet === null ? `Let nobody recover your ${token.name}` : `Let ${wallet} recover your ${token.name}`,
    ...balances.map(({ address }) => `  in ${address}`),
    ...(isReplaced ? ['  The present recovery wallet stays it for fourteen days.'] : []),
  ];
  const plan = { mint: token.mint, wallet, balances: balances.map(({ address }) => address) };
  if (!(await isWanted(what, options, plan))) return;
  for (const balance of balances) await client.nameRecovery(balance, wallet);
  const named = (await client.balances()).balances.filter(({ address }) => plan.balances.includes(address));
  printResult(
    options,
    plan,
    wallet === null
      ? 'Nobody can recover it after fourteen days.'
      : `Named. Tell whoever keeps that wallet:${named.map(({ personal }) => ` ${personal}`).join()}`,
  );
}

async function refuse(options: ChangeOptions): Promise<void> {
  const { client } = await openSession(options);
  const underWay = ownRecoveries((await client.balances()).balances).filter(
    ({ recovery }) => recovery.completesAt !== null,
  );
  if (underWay.length === 0) throw new Failure('no-recovery', 'Nobody has asked for your balances.');
  const plan = { balances: underWay.map(({ balance }) => balance.personal) };
  const what = [
    'End the recovery of',
    ...underWay.map(({ token, balance }) => `  ${token.handle} in ${balance.personal}`),
  ];
  if (!(await isWanted(what, options, plan))) return;
  for (const { balance } of underWay) await client.refuseRecovery(balance);
  printResult(options, plan, 'Refused. If you have not lost your key, name another recovery wallet.');
}

async function request(balance: Address, options: ChangeOptions): Promise<void> {
  const { client } = await openSession(options);
  const plan = { balance };
  if (!(await isWanted([`Ask for the private balance ${balance}`], options, plan))) return;
  const signature = await client.requestRecovery(balance);
  const completesAt = options.time.now() + RECOVERY_SECONDS * MS_PER_SECOND;
  printResult(
    options,
    { ...plan, completesAt, signature },
    `Asked for. From ${timeText(completesAt)} on: payout recovery complete ${balance} --to WALLET`,
  );
}

async function complete(balance: Address, options: CompleteOptions): Promise<void> {
  const { client } = await openSession(options);
  const plan = { balance, wallet: options.to };
  const what = [`Take over the private balance ${balance}`, `  and all that comes, to ${options.to}`];
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.completeRecovery(balance, options.to, options.delay);
  printResult(options, { ...plan, signature }, `It goes to ${options.to} as soon as the coordinator has paid it.`);
}
