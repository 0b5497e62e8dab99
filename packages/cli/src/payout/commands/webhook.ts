import { readFile } from 'node:fs/promises';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import {
  addWebhook,
  type DeliveryJson,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  type WebhookJson,
} from '../../webhooks.ts';
import { isWanted } from '../confirm.ts';
import { withinOption } from '../duration.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { type AskOptions, apiOf, type CommonOptions, SCHEDULE, withAsking, withCommon } from '../options.ts';
import { print, printJson, printResult, wrapped } from '../output.ts';
import { timeText } from '../timeText.ts';

type ChangeOptions = CommonOptions & AskOptions;
type AddOptions = ChangeOptions & { readonly vault?: true; readonly type?: string[]; readonly encryptFor?: string };
type ReplayOptions = ChangeOptions & { readonly within?: number; readonly message?: string };

const ID = ['<id>', 'of the webhook; webhook list has it'] as const;
/** How often it is asked what came of a test, and how long between. */
const LOOKS = 40;
const LOOK_MS = 500;

/** `webhook add|list|remove|rotate|test|deliveries|replay`. */
export function addWebhookCommands(program: Command): void {
  const group = program.command('webhook').description('Notify a program of yours about your payrolls');
  const look = (name: string, does: string) => withCommon(group.command(name).description(does)).argument(...SCHEDULE);
  const change = (name: string, does: string) => withAsking(look(name, does));
  const one = (command: Command) => command.argument(...ID);

  change('add', 'Add a webhook; prints the secret that messages are signed with')
    .argument('<url>', 'where messages are sent, https')
    .option('--vault', "for all schedules of the schedule's vault")
    .option('--type <type>', 'only this type, such as run.held; may be given again', collected)
    .option('--encrypt-for <file>', 'a public JWK: unpaid recipients are named to its holder')
    .action(add);
  look('list', 'List the webhooks of a schedule').action(list);
  one(change('remove', 'Remove a webhook at once')).action(remove);
  one(change('rotate', 'Give a webhook a new secret; the old one signs as well for a day')).action(rotate);
  one(look('test', 'Send a test message, and show what came of it')).action(test);
  one(look('deliveries', 'List the last messages with their attempts')).action(deliveries);
  one(change('replay', 'Send messages again'))
    .option('--within <duration>', 'those of the last 12h, 3d or 2w', withinOption)
    .option('--message <id>', 'one, by its webhook-id')
    .action(replay);
}

const collected = (text: string, former: readonly string[] = []): string[] => [...former, text];

async function add(schedule: Address, url: string, options: AddOptions): Promise<void> {
  const { vault, type: types, encryptFor } = options;
  const wish = {
    url,
    scope: vault ? ('vault' as const) : ('schedule' as const),
    ...(types && { types }),
    ...(encryptFor !== undefined && { encryptionKey: await publicKey(encryptFor) }),
  };
  const what = [
    `Tells ${url}`,
    `  of ${vault ? 'all schedules of the vault' : 'this schedule'}: ${types?.join(', ') ?? 'everything'}`,
    `  unpaid recipients are ${encryptFor === undefined ? 'counted, not named' : 'named to the holder of the key'}`,
  ];
  if (!(await isWanted(what, options, { schedule, ...wish }))) return;
  const webhook = await addWebhook(await apiOf(options), schedule, wish);
  const advice = 'Give the secret to your receiver now: it is not shown again. Then try it: payout webhook test.';
  const lines = [`Registered: ${webhook.id}`, `Secret:     ${webhook.secret}`, ...wrapped(advice)];
  printResult(options, webhook, ...lines);
}

/** A JWK out of a file, without its private part, which must not leave this machine. */
async function publicKey(file: string): Promise<object> {
  try {
    const { d: _private, ...key } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    return key;
  } catch {
    throw new Failure('key-unreadable', `${file} holds no JWK: a JSON text with kty, crv and x.`);
  }
}

async function list(schedule: Address, options: CommonOptions): Promise<void> {
  const webhooks = await listWebhooks(await apiOf(options), schedule);
  if (options.json) return printJson({ webhooks });
  if (webhooks.length === 0) return print('Nobody is told of this schedule.');
  for (const webhook of webhooks) print(webhookText(webhook));
}

async function remove(schedule: Address, id: string, options: ChangeOptions): Promise<void> {
  if (!(await isWanted([`Forgets the webhook ${id}; what waits is not sent.`], options, { schedule, id }))) return;
  const webhook = await removeWebhook(await apiOf(options), schedule, id);
  printResult(options, webhook, 'Removed.');
}

async function rotate(schedule: Address, id: string, options: ChangeOptions): Promise<void> {
  const what = [`Makes a new secret for ${id}; the old one signs as well for a day.`];
  if (!(await isWanted(what, options, { schedule, id }))) return;
  const webhook = await rotateWebhook(await apiOf(options), schedule, id);
  const until = webhook.formerSecretUntil === null ? '' : ` ${timeText(webhook.formerSecretUntil)}`;
  const advice = `Give it to your receiver before${until}: it is not shown again.`;
  printResult(options, webhook, `Secret: ${webhook.secret}`, ...wrapped(advice));
}

async function test(schedule: Address, id: string, options: CommonOptions): Promise<void> {
  const api = await apiOf(options);
  const messageId = await testWebhook(api, schedule, id);
  for (let looks = 0; looks < LOOKS; looks++) {
    const sent = (await listDeliveries(api, schedule, id)).find((each) => each.messageId === messageId);
    if (sent !== undefined && sent.state !== 'pending') {
      if (options.json) printJson(sent);
      else print(deliveryText(sent));
      if (sent.state === 'delivered') return;
      throw new Failure('not-delivered', 'The test did not arrive: see above.');
    }
    await options.time.pause(LOOK_MS);
  }
  throw new Failure('not-delivered', 'Nothing has come of the test yet: ask again with payout webhook deliveries.');
}

async function deliveries(schedule: Address, id: string, options: CommonOptions): Promise<void> {
  const found = await listDeliveries(await apiOf(options), schedule, id);
  if (options.json) return printJson({ deliveries: found });
  if (found.length === 0) return print('Nothing was sent so far.');
  for (const delivery of found) print(deliveryText(delivery));
}

async function replay(schedule: Address, id: string, options: ReplayOptions): Promise<void> {
  const { within, message } = options;
  if ((within === undefined) === (message === undefined)) {
    throw new WrongUsage('Say what is sent again: --within 3d, or --message and its id.');
  }
  const which = message === undefined ? { since: options.time.now() - (within ?? 0) * 1_000 } : { messageId: message };
  const what = 'since' in which ? `all messages since ${timeText(which.since)}` : `the message ${which.messageId}`;
  if (!(await isWanted([`Sends ${what} to ${id} again, under the same ids.`], options, { schedule, id, ...which }))) {
    return;
  }
  const replayed = await replayWebhook(await apiOf(options), schedule, id, which);
  printResult(options, { replayed }, replayed === 1 ? 'Sent again: 1 message.' : `Sent again: ${replayed} messages.`);
}

function webhookText({ id, url, schedulePda, types, state, disabledWhy, failingSince }: WebhookJson): string {
  const since = failingSince === null ? '' : ` since ${timeText(failingSince)}`;
  const why = disabledWhy === 'gone' ? ': it answered 410' : since;
  const scope = schedulePda === null ? 'all schedules of the vault' : 'this schedule';
  return [`${id}  ${state}${why}`, `  ${url}`, `  ${scope}: ${types.join(', ')}`].join('\n');
}

function deliveryText({ messageId, type, window, at, state, nextAt, attempts }: DeliveryJson): string {
  const about = window === null ? '' : `, window ${window}`;
  const next = nextAt === null || state !== 'pending' ? '' : `, next ${timeText(nextAt)}`;
  const tries = attempts.map(
    (each) => `    ${timeText(each.at)}  ${each.outcome}${each.status === null ? '' : ` ${each.status}`}`,
  );
  return [`${type}${about}, ${timeText(at)}: ${state}${next}`, `  ${messageId}`, ...tries].join('\n');
}
