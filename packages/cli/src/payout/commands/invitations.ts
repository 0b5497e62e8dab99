import { readFile } from 'node:fs/promises';
import {
  acceptInvitation,
  findVaultAddress,
  LONGEST_INVITATION_MS,
  openLink,
  type PublicPost,
  requestAddressChange,
} from '@payouts/client';
import {
  COMPARE_ADVICE,
  forgedText,
  type GivenAnswer,
  type InvitingSession,
  invite,
  invitingEffects,
  invitingSession,
  LINKS_ADVICE,
  plainName,
  type ReadChange,
  type ReadInvitation,
  takingOf,
  takingSentences,
  unreadableText,
  WITHDRAWING_EFFECT,
  waitingFor,
  wholeMinute,
  withdrawWaiting,
} from '@payouts/employer';
import { EMPTY_PAYROLL, withAddress } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { publicRequest, sendAs } from '../../requests.ts';
import { isWanted } from '../confirm.ts';
import { durationOf } from '../duration.ts';
import { readingPayroll } from '../employer/payroll.ts';
import { WrongUsage } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { type AskOptions, addressOption, type CommonOptions, withAsking, withCommon } from '../options.ts';
import { bold, marked, print, printJson, printResult, sentenceLines } from '../output.ts';
import { replaceFile } from '../replaceFile.ts';
import { timeText } from '../timeText.ts';

type ChangeOptions = CommonOptions & AskOptions;
type SendOptions = ChangeOptions & {
  readonly token: Address;
  readonly expires: string;
  readonly from?: string;
  readonly page?: string;
};
type TakeOptions = ChangeOptions & { readonly into: string; readonly check?: string };
type AskChangeOptions = ChangeOptions & { readonly schedule: Address; readonly newKeypair: string };

const WHO = ['<who>', 'the name, or for another address the one that is paid today'] as const;

/** `invitations send|list|take|withdraw`. */
export function addInvitations(program: Command): void {
  const group = program
    .command('invitations')
    .description('Ask people by a link for the address to pay them at, and see who wants another one');
  const change = (name: string, does: string) => withAsking(withCommon(group.command(name).description(does)));
  change('send', 'Make a link for each of these people')
    .argument('<name...>', 'as your payroll has them')
    .requiredOption('--token <mint>', "of the vault's token", addressOption)
    .option('--expires <duration>', 'how long the links are good, at most 90d', '14d')
    .option('--from <name>', 'who you are, as they know you')
    .option('--page <url>', "address of the recipients' page (default: that of the coordinator)")
    .action(send);
  withCommon(group.command('list').description('Show who has answered, and who wants to be paid elsewhere')).action(
    list,
  );
  change('take', 'Write an address into your payroll, and forget the invitation or request')
    .argument(...WHO)
    .requiredOption('--into <payroll>', 'the CSV file that gets the address')
    .option('--check <code>', 'the code that they have told you')
    .action(take);
  change('withdraw', 'Forget an invitation, or refuse a request')
    .argument(...WHO)
    .action(withdraw);
}

/** `accept`. */
export function addAccept(program: Command): void {
  withAsking(
    withCommon(
      program.command('accept').description('Answer an invitation: give the employer the address of your key'),
    ),
  )
    .argument('<link>', 'as you got it')
    .action(accept);
}

/** `change-address`. */
export function addChangeAddress(program: Command): void {
  withAsking(
    withCommon(
      program.command('change-address').description('Ask an employer to pay another address of yours from now on'),
    ),
  )
    .requiredOption('--schedule <schedule>', 'a schedule that pays you', addressOption)
    .requiredOption('--new-keypair <signer>', 'the keypair of the new address, as --keypair is written')
    .action(changeAddress);
}

async function sessionOf({ api, keypair, time }: CommonOptions): Promise<InvitingSession> {
  const employer = await loadKeypair(keypair);
  return invitingSession(employer, sendAs({ apiUrl: api, signer: employer, time }));
}

async function send(names: readonly string[], options: SendOptions): Promise<void> {
  const { token, from = '', expires, time, api, page = `${api.replace(/\/+$/, '')}/recipient/` } = options;
  const milliseconds = durationOf(expires, '--expires') * 1_000;
  if (milliseconds > LONGEST_INVITATION_MS) throw new WrongUsage('--expires takes 90d at most.');
  const employer = await loadKeypair(options.keypair);
  const vault = await findVaultAddress(employer.address, token);
  const expiresAt = time.now() + milliseconds;
  const what = invitingEffects(names.length, expiresAt, timeText);
  if (!(await isWanted(sentenceLines(what), options, { names, vault, expiresAt }))) return;
  const sent = await invite(await sessionOf(options), { vault, names, from, expiresAt, page });
  if (options.json) return printJson({ invitations: sent, expiresAt });
  for (const { name, link } of sent) print(`${bold(plainName(name))}\n${link}`);
  print();
  for (const line of sentenceLines([LINKS_ADVICE])) print(line);
}

async function list(options: CommonOptions): Promise<void> {
  const { invitations, changes, unreadable } = await waitingFor(await sessionOf(options));
  if (options.json) return printJson({ invitations, changes, unreadable });
  if (invitations.length + changes.length + unreadable === 0)
    return print('Nobody is invited, and nobody asks for another address.');
  for (const one of invitations) for (const line of invitationLines(one)) print(line);
  for (const one of changes) for (const line of changeLines(one)) print(line);
  if (unreadable > 0) print(marked('!', unreadableText(unreadable)));
  const isAnswered = changes.length > 0 || invitations.some(({ answers }) => answers.length > 0);
  if (isAnswered) for (const line of ['', ...sentenceLines([COMPARE_ADVICE])]) print(line);
}

function invitationLines({ name, expiresAt, answers, forged }: ReadInvitation): string[] {
  const until = `good until ${timeText(wholeMinute(expiresAt))}`;
  const warning =
    answers.length > 1
      ? [marked('!', `${answers.length} addresses were given: somebody else has the link. Ask which code is right.`)]
      : [];
  const forgery = forged > 0 ? [marked('!', forgedText(forged))] : [];
  const given = answers.length === 0 ? ['  not answered'] : answers.flatMap(answerLines);
  return [bold(`${plainName(name)}, ${until}`), ...given, ...warning, ...forgery];
}

const answerLines = ({ address, check, answeredAt }: GivenAnswer): string[] => [
  `  ${address}`,
  `  code ${check}, given ${timeText(answeredAt)}`,
];

const changeLines = ({ present, next, check, askedAt }: ReadChange): string[] => [
  bold('Asks to be paid at another address'),
  `  now ${present}`,
  `  new ${next}`,
  `  code ${check}, asked ${timeText(askedAt)}`,
];

async function take(who: string, options: TakeOptions): Promise<void> {
  const { into, check: typed } = options;
  const session = await sessionOf(options);
  const { whose, to, check, forget } = takingOf(session, await waitingFor(session), who, typed);
  const content = await readFile(into).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    return EMPTY_PAYROLL;
  });
  const written = await readingPayroll(into, () => withAddress(content, whose, to));
  const what = takingSentences(who, written, { to, check, typed, into });
  if (!(await isWanted(sentenceLines(what), options, { to, check, ...written, text: undefined }))) return;
  await replaceFile(into, written.text);
  await forget();
  printResult(options, { to, check, into, before: written.before, isNew: written.isNew }, `Written into ${into}.`);
}

async function withdraw(who: string, options: ChangeOptions): Promise<void> {
  const session = await sessionOf(options);
  const waiting = await waitingFor(session);
  if (!(await isWanted(sentenceLines([WITHDRAWING_EFFECT]), options, { who }))) return;
  await withdrawWaiting(session, waiting, who);
  printResult(options, { who }, 'Forgotten.');
}

const postTo =
  (apiUrl: string): PublicPost =>
  async <T>(path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await publicRequest(apiUrl, path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
  };

async function accept(link: string, options: ChangeOptions): Promise<void> {
  const post = postTo(options.api);
  const opened = await openLink(post, link);
  const { vault, name, expiresAt } = opened;
  const signer = await loadKeypair(options.keypair);
  const from = opened.from === '' ? 'The employer of the vault below' : plainName(opened.from);
  const what = [
    `${from} asks ${plainName(name)} for an address to pay, until ${timeText(wholeMinute(expiresAt))}. Their vault:`,
    vault,
    'Gives them this address, with a proof that you have its key:',
    signer.address,
    'It moves no money. Nobody but them can read it.',
  ];
  if (!(await isWanted(sentenceLines(what), options, { vault, address: signer.address }))) return;
  const check = await acceptInvitation(post, opened, signer);
  printResult(
    options,
    { vault, address: signer.address, check },
    'Given. Tell the employer this code, by telephone or face to face:',
    check,
  );
}

async function changeAddress(options: AskChangeOptions): Promise<void> {
  const { api, time, keypair, newKeypair, schedule: schedulePda } = options;
  const [present, next] = [await loadKeypair(keypair), await loadKeypair(newKeypair)];
  const [from, to] = [present.address, next.address];
  const { vault } = (await (await publicRequest(api, `/api/schedules/${schedulePda}`)).json()) as {
    readonly vault: Address;
  };
  const what = [
    'Asks the employer to pay, instead of',
    from,
    'from their next list on:',
    to,
    'Nothing changes before they take it.',
  ];
  if (!(await isWanted(sentenceLines(what), options, { present: from, next: to, vault }))) return;
  const send = sendAs({ apiUrl: api, signer: present, time });
  const check = await requestAddressChange(send, present, next, { schedulePda, vault, askedAt: time.now() });
  printResult(
    options,
    { present: from, next: to, check },
    'Asked. Tell the employer this code, by telephone or face to face:',
    check,
  );
}
