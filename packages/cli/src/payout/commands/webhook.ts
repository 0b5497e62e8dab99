import { readFile } from 'node:fs/promises';
import {
  addingEffects,
  addWebhook,
  attemptText,
  type DeliveryJson,
  listDeliveries,
  listWebhooks,
  publicJwk,
  removeWebhook,
  removingEffects,
  replayedText,
  replayingEffects,
  replayWebhook,
  rotateWebhook,
  rotatingEffects,
  SECRET_ADVICE,
  testWebhook,
  type WebhookJson,
  webhookScope,
  webhookStanding,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { sendAs } from '../../requests.ts';
import { isWanted } from '../confirm.ts';
import { withinOption } from '../duration.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { type AskOptions, apiOf, type CommonOptions, collected, SCHEDULE, withAsking, withCommon } from '../options.ts';
import { print, printJson, printResult, sentenceLines, wrapped } from '../output.ts';
import { timeText } from '../timeText.ts';

type ChangeOptions = CommonOptions & AskOptions;
type AddOptions = ChangeOptions & { readonly vault?: true; readonly type?: string[]; readonly encryptFor?: string };
type ReplayOptions = ChangeOptions & { readonly within?: number; readonly message?: string };

const ID = ['<id>', 'of the webhook; webhook list has it'] as const;
/** Sends as the employer whose key it is. */
const sendBy = async (options: CommonOptions) => sendAs(await apiOf(options));

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

async function add(schedule: Address, url: string, options: AddOptions): Promise<void> {
  const { vault, type: types, encryptFor } = options;
  const wish = {
    url,
    scope: vault ? ('vault' as const) : ('schedule' as const),
    ...(types && { types }),
    ...(encryptFor !== undefined && { encryptionKey: await publicKey(encryptFor) }),
  };
  if (!(await isWanted(sentenceLines(addingEffects(wish)), options, { schedule, ...wish }))) return;
  const webhook = await addWebhook(await sendBy(options), schedule, wish);
  const advice = `${SECRET_ADVICE} Then try it: payout webhook test.`;
  const lines = [`Registered: ${webhook.id}`, `Secret:     ${webhook.secret}`, ...wrapped(advice)];
  printResult(options, webhook, ...lines);
}

const publicKey = async (file: string): Promise<object> =>
  publicJwk(await readFile(file, 'utf8').catch(() => ''), file);

async function list(schedule: Address, options: CommonOptions): Promise<void> {
  const webhooks = await listWebhooks(await sendBy(options), schedule);
  if (options.json) return printJson({ webhooks });
  if (webhooks.length === 0) return print('Nobody is told of this schedule.');
  for (const webhook of webhooks) print(webhookText(webhook));
}

async function remove(schedule: Address, id: string, options: ChangeOptions): Promise<void> {
  if (!(await isWanted(sentenceLines(removingEffects(id)), options, { schedule, id }))) return;
  const webhook = await removeWebhook(await sendBy(options), schedule, id);
  printResult(options, webhook, 'Removed.');
}

async function rotate(schedule: Address, id: string, options: ChangeOptions): Promise<void> {
  if (!(await isWanted(sentenceLines(rotatingEffects(id)), options, { schedule, id }))) return;
  const webhook = await rotateWebhook(await sendBy(options), schedule, id);
  const until = webhook.formerSecretUntil === null ? '' : ` ${timeText(webhook.formerSecretUntil)}`;
  const advice = `Give it to your receiver before${until}: it is not shown again.`;
  printResult(options, webhook, `Secret: ${webhook.secret}`, ...wrapped(advice));
}

async function test(schedule: Address, id: string, options: CommonOptions): Promise<void> {
  const sent = await testWebhook(await sendBy(options), schedule, id, options.time);
  if (options.json) printJson(sent);
  else print(deliveryText(sent));
  if (sent.state !== 'delivered') throw new Failure('not-delivered', 'The test did not arrive: see above.');
}

async function deliveries(schedule: Address, id: string, options: CommonOptions): Promise<void> {
  const found = await listDeliveries(await sendBy(options), schedule, id);
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
  const what = sentenceLines(replayingEffects(id, which, timeText));
  if (!(await isWanted(what, options, { schedule, id, ...which }))) return;
  const replayed = await replayWebhook(await sendBy(options), schedule, id, which);
  printResult(options, { replayed }, replayedText(replayed));
}

const webhookText = (webhook: WebhookJson): string =>
  [
    `${webhook.id}  ${webhookStanding(webhook, timeText)}`,
    `  ${webhook.url}`,
    `  ${webhookScope(webhook)}: ${webhook.types.join(', ')}`,
  ].join('\n');

function deliveryText({ messageId, type, window, at, state, nextAt, attempts }: DeliveryJson): string {
  const about = window === null ? '' : `, window ${window}`;
  const next = nextAt === null || state !== 'pending' ? '' : `, next ${timeText(nextAt)}`;
  const tries = attempts.map((each) => `    ${timeText(each.at)}  ${attemptText(each)}`);
  return [`${type}${about}, ${timeText(at)}: ${state}${next}`, `  ${messageId}`, ...tries].join('\n');
}
