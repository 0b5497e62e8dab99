import type { OwnToken, RecipientBalance } from '@payouts/client';
import type { Signature } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { printJson, say, tell, warn } from '../output.ts';
import { openSession } from '../session.ts';
import { timeText } from '../timeText.ts';
import {
  type NamedOptions,
  namedTransfers,
  namedWithdrawals,
  type OwnTransfer,
  type OwnWithdrawal,
  withNamed,
} from '../underWay.ts';

type Options = ChangeOptions & NamedOptions & { readonly all?: true };

/** What waits, and can be cancelled: a withdrawal for its release, or a private transfer until it is made. */
type Waiting = {
  readonly what: 'withdrawal' | 'transfer';
  readonly id: number;
  readonly amount: bigint;
  readonly token: OwnToken;
  readonly balance: RecipientBalance;
  readonly lines: readonly string[];
};

/** payout cancel */
export function addCancel(program: Command): void {
  const command = program
    .command('cancel')
    .description('Cancel withdrawals and private transfers that wait; the tokens stay in your private balance')
    .option('--all', 'all that wait; with --balance, all of that balance');
  withChange(withNamed(command)).action(cancel);
}

async function cancel(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const { balances } = await client.balances();
  const waiting = [
    ...namedWithdrawals(balances, options, ({ state }) => state === 'waiting').map(ofWithdrawal),
    ...namedTransfers(balances, options).map(ofTransfer),
  ];
  checkChoice(waiting, options);
  const [only] = waiting;
  const lines = [
    waiting.length === 1 ? `Cancel the waiting ${only?.what} of` : `Cancel ${waiting.length} that wait:`,
    ...waiting.flatMap((each) => each.lines),
    '  The tokens stay in your private balance.',
  ];
  // A part of a standing order that is cancelled is a part again a moment later.
  if (waiting.some(({ what, balance: { order } }) => what === 'withdrawal' && order !== null)) {
    warn('You have a standing order, which may take them out again: payout order end ends it.');
  }
  if (!(await isWanted(lines, options, plansOf(waiting)))) return;
  const signatures: Signature[] = [];
  for (const { what, token, balance, id, amount } of waiting) {
    signatures.push(await client.cancel(balance, id));
    if (!options.json) say(`The ${what} of ${withName(amount, token)} is cancelled.`);
  }
  if (options.json) printJson(plansOf(waiting, signatures));
}

/** What is cancelled, for programs; with signatures, once it is. */
function plansOf(waiting: readonly Waiting[], signatures?: readonly Signature[]) {
  const plans = waiting.map(({ what, balance, id, amount }, at) => ({
    ...{ balance: balance.address, [what]: id, amount },
    ...(signatures && { signature: signatures[at] }),
  }));
  const of = (kind: Waiting['what']) => plans.filter((_, at) => waiting[at]?.what === kind);
  return { withdrawals: of('withdrawal'), transfers: of('transfer') };
}

/** Throws `Failure` where nothing waits, or several do and none is named; those are shown. */
function checkChoice(waiting: readonly Waiting[], { all, json }: Options): void {
  if (waiting.length === 0) {
    throw new Failure(
      'no-withdrawal-waiting',
      'No such withdrawal or transfer waits. A withdrawal that has its number can be redirected: payout redirect.',
    );
  }
  if (waiting.length === 1 || all) return;
  if (!json) for (const { lines } of waiting) for (const line of lines) tell(line);
  throw new Failure(
    'withdrawal-unnamed',
    'Several wait: name one with --withdrawal, and with --balance if two have the same id; or pass --all.',
  );
}

function ofWithdrawal({ token, balance, withdrawal }: OwnWithdrawal): Waiting {
  const { id, amount, wallet, releaseAt, inRound } = withdrawal;
  const release = releaseAt === null ? '' : `, on ${timeText(releaseAt)}${inRound ? ' at the latest' : ''}`;
  const line = `  ${withName(amount, token)}, id ${id}${release}`;
  return {
    what: 'withdrawal',
    id,
    amount,
    token,
    balance,
    lines: [line, `    to ${wallet}`, ...balanceLine(token, balance)],
  };
}

function ofTransfer({ token, balance, transfer: { id, amount, paymentCode } }: OwnTransfer): Waiting {
  const line = `  ${withName(amount, token)} inside, id ${id}`;
  const lines = [line, `    to ${paymentCode}`, ...balanceLine(token, balance)];
  return { what: 'transfer', id, amount, token, balance, lines };
}

/** Which balance, where there are several. */
const balanceLine = ({ balances }: OwnToken, { address }: RecipientBalance): string[] =>
  balances.length > 1 ? [`    of balance ${address}`] : [];
