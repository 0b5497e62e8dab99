import { type HistoryItem, type OwnToken, ownTokens, transferReceiptToJson } from '@payouts/client';
import { type Command, InvalidArgumentError } from 'commander';
import { showTokens } from '../amounts.ts';
import { type CommonOptions, withCommon } from '../options.ts';
import { columns, dim, print, printJson, tell } from '../output.ts';
import { openSession } from '../session.ts';

type Options = CommonOptions & { readonly limit: number; readonly before?: string };

const MOST = 100;
const STATES = { requested: 'asked for', issued: 'being paid', paid: 'paid' } as const;
const SIDES = { payer: { sign: '-', to: 'to' }, payee: { sign: '+', to: 'to your' } } as const;

/** payout history */
export function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('Show what you were paid, took out and paid inside, newest first')
    .option('--limit <number>', `how many entries, 1 to ${MOST}`, toLimit, 20)
    .option('--before <cursor>', 'go on where an earlier answer ended');
  withCommon(command).action(history);
}

async function history({ limit, before, ...options }: Options): Promise<void> {
  const { client, owner } = await openSession(options);
  const page = await client.history({ limit, ...(before !== undefined && { cursor: before }) });
  if (options.json) return printJson({ recipient: owner, items: page.items.map(plain), nextCursor: page.nextCursor });
  if (page.items.length === 0) return print('Nothing has been paid yet.');
  const tokens = ownTokens((await client.balances()).balances);
  const table = page.items.flatMap((item) => rows(item, tokens));
  for (const line of columns(table, [1])) print(line);
  if (page.nextCursor !== null) tell(dim(`Older entries: payout history --before ${page.nextCursor}`));
}

/** One row a payment, two a withdrawal or private transfer: a wallet or payment code takes most of a line. */
function rows(item: HistoryItem, tokens: readonly OwnToken[]): string[][] {
  const token = tokens.find(({ mint }) => mint === item.mint);
  const shown = token === undefined ? `${item.amount} units` : showTokens(item.amount, token.decimals);
  const name = token?.name ?? item.mint;
  if (item.kind === 'payment') {
    const what = `payment ${item.window}${item.known ? '' : ' (unconfirmed)'}`;
    return [[when(item.at), `+${shown}`, name, what]];
  }
  if (item.kind === 'transfer') {
    const { sign, to } = SIDES[item.side];
    const what = `private transfer${item.state === 'made' ? '' : ' (unconfirmed)'}`;
    return [[when(item.at), `${sign}${shown}`, name, what], [`  ${to} ${item.paymentCode}`]];
  }
  return [
    [when(item.at), `-${shown}`, name, `withdrawal ${item.number}, ${STATES[item.state]}`],
    [`  to ${item.wallet}`],
  ];
}

/** As a file of its receipt has it. */
const plain = (item: HistoryItem) =>
  item.kind === 'transfer' ? { ...item, receipt: item.receipt && transferReceiptToJson(item.receipt) } : item;

/** Day and minute of a moment where the reader is. */
function when(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function toLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw new InvalidArgumentError(`Give 1 to ${MOST}.`);
  return limit;
}
