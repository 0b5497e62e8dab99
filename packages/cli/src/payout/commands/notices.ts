import {
  addNotice,
  confirmNotice,
  listNotices,
  type NoticeJson,
  type NoticeWish,
  noticeEffects,
  noticeStanding,
  removeNotice,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { sendAs } from '../../requests.ts';
import { isWanted } from '../confirm.ts';
import {
  type AskOptions,
  addressOption,
  apiOf,
  type CommonOptions,
  collected,
  withAsking,
  withCommon,
} from '../options.ts';
import { print, printJson, printResult, sentenceLines, WIDTH, wrapped } from '../output.ts';

type ChangeOptions = CommonOptions & AskOptions;
type AddOptions = ChangeOptions & {
  readonly schedule?: Address;
  readonly vault?: true;
  readonly type?: string[];
  readonly format?: Exclude<NoticeJson['format'], null>;
  readonly details?: NoticeJson['details'];
};

const ID = ['<id>', 'of the notice; notices list has it'] as const;
const sendBy = async (options: CommonOptions) => sendAs(await apiOf(options));

/** `notices add|confirm|list|remove`. */
export function addNotices(program: Command): void {
  const group = program.command('notices').description('Get told by e-mail or in a chat what has happened');
  const look = (name: string, does: string) => withCommon(group.command(name).description(does));
  const change = (name: string, does: string) => withAsking(look(name, does));

  change('add', 'Add an e-mail address or a chat: of your own money, or of a payroll of yours')
    .argument('<to>', "an e-mail address, or the https address of a chat's webhook")
    .option('--schedule <schedule>', 'as its employer', addressOption)
    .option('--vault', "for all schedules of the schedule's vault")
    .option('--type <type>', 'only this type, such as recipient.paid; may be given again', collected)
    .addOption(new Option('--format <format>', 'what the chat takes').choices(['slack', 'discord', 'teams']))
    .addOption(
      new Option('--details <details>', 'amounts: say which payroll and how much').choices(['none', 'amounts']),
    )
    .action(add);
  look('confirm', 'Confirm an e-mail address with the code that was sent to it')
    .argument(...ID)
    .argument('<code>', 'as the e-mail has it')
    .action(confirm);
  look('list', 'List your notices').action(list);
  change('remove', 'Remove a notice, and forget where it went')
    .argument(...ID)
    .action(remove);
}

async function add(to: string, options: AddOptions): Promise<void> {
  const { schedule, vault, type: types, format, details } = options;
  const wish: NoticeWish = {
    address: to,
    ...(schedule !== undefined && { schedulePda: schedule, scope: vault ? 'vault' : 'schedule' }),
    ...(types && { types }),
    ...(format !== undefined && { format }),
    ...(details !== undefined && { details }),
  };
  if (!(await isWanted(sentenceLines(noticeEffects(wish)), options, wish))) return;
  const notice = await addNotice(await sendBy(options), wish);
  const next =
    notice.state === 'unconfirmed'
      ? ['A code was sent there. Confirm it within an hour:', `payout notices confirm ${notice.id} CODE`]
      : ['Messages go there from now on.'];
  printResult(options, notice, `Added: ${notice.id}`, ...next);
}

async function confirm(id: string, code: string, options: CommonOptions): Promise<void> {
  const notice = await confirmNotice(await sendBy(options), id, code);
  printResult(options, notice, 'Confirmed: messages go there from now on.');
}

async function list(options: CommonOptions): Promise<void> {
  const notices = await listNotices(await sendBy(options));
  if (options.json) return printJson({ notices });
  if (notices.length === 0) return print('You have no notices.');
  for (const notice of notices) print(noticeText(notice));
}

async function remove(id: string, options: ChangeOptions): Promise<void> {
  if (!(await isWanted(sentenceLines([`Forgets the notice ${id}, and where it goes.`]), options, { id }))) return;
  printResult(options, await removeNotice(await sendBy(options), id), 'Removed.');
}

function noticeText({ id, address, format, vault, schedulePda, types, details, state }: NoticeJson): string {
  const what = vault === null ? 'your own money' : (schedulePda ?? `all payrolls of ${vault}`);
  const says = details === 'amounts' ? 'with amounts' : 'without amounts';
  const by = format === null ? 'e-mail' : format;
  const indented = (text: string) => wrapped(text, WIDTH - 2).map((line) => `  ${line}`);
  const standing = indented(`${noticeStanding({ state })}.`);
  const told = indented(`${types.join(', ')}.`);
  return [id, `  ${address}`, ...standing, `  ${by}, ${says}, of ${what}:`, ...told].join('\n');
}
