import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readOrCreateKey } from '@payouts/cli';
import { RecipientClient, systemTime } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { type Loopback, serveLoopback } from '@payouts/testing/loopback';
import { headerOf, type Mail, type MailServer, startMailServer } from '@payouts/testing/mailServer';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { freshWallet, variedPayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import type { KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_250_500_000n;
const DAY = 86_400;
const ADDRESS = 'ada@example.com';
const PAID = 'You were paid.';

type Notice = { readonly id: string; readonly state: string; readonly address: string };

let world: World;
let mailServer: MailServer;
let chat: Loopback;
const said: string[] = [];
let ada: KeyPairSigner;
/** Due tomorrow: by it Ada is somebody who is paid here. */
let later: Employer;
let employer: Employer;

const keyOf = (who: string) => join(world.folder, `${who}.json`);
const by = (who: string) =>
  commandsBy((...words) =>
    payoutHere({ PAYOUT_API: world.apiUrl, PAYOUT_RPC: world.urls.baseRpcUrl }, ...words, '--keypair', keyOf(who)),
  );
const mailed = (subject: string) => mailServer.mails.filter((mail) => mail.subject === subject);
const arrives = (subject: string, times = 1): Promise<Mail> =>
  until(async () => (mailed(subject).length >= times ? mailed(subject)[times - 1] : undefined), `"${subject}"`, 60_000);

beforeAll(async () => {
  [world, mailServer] = await Promise.all([World.shared(), startMailServer()]);
  chat = await serveLoopback(async (request, response) => {
    said.push((JSON.parse(await text(request)) as { text: string }).text);
    response.writeHead(200).end('ok');
  });
  const port = await freePorts(1);
  [ada] = await Promise.all([readOrCreateKey(keyOf('ada')), readOrCreateKey(keyOf('stranger'))]);
  const payer = await world.payer(await readOrCreateKey(keyOf('employer')));
  await world.startCoordinator({
    PORT: String(port),
    PUBLIC_ORIGINS: `http://127.0.0.1:${port}`,
    SMTP_URL: mailServer.url,
    SMTP_FROM: 'payouts@example.com',
    NOTICE_SPREAD_SECONDS: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const payees = [{ recipient: ada.address, amount: AMOUNT }, ...(await variedPayees(2, 7_654_321n))];
  later = await world.promise(payer, payees, { executions: 1, firstExecution: inSeconds(DAY) });
  await world.register(later);
  employer = await world.promise(payer, payees, { id: 1n, executions: 1, batchTimeout: 600 });
});

it('tells a recipient by e-mail that they were paid, once they have confirmed their address, and says no name and no amount', async () => {
  const { json, done, refused } = by('ada');
  const notice = await json<Notice>('notices', 'add', ADDRESS, '--yes');
  expect(notice.state).toBe('unconfirmed');
  const { text: sent = '' } = await arrives('Confirm your e-mail address.');
  const [, id = '', code = ''] = /payout notices confirm ([0-9a-f-]{36}) (\w{10})/.exec(sent) ?? [];
  expect(id).toBe(notice.id);
  expect(await refused('notices', 'confirm', id, 'AAAAAAAAAA')).toBe('wrong-code');
  expect(await done('notices', 'confirm', id, code)).toBe('Confirmed: messages go there from now on.\n');
  expect(await by('stranger').refused('notices', 'add', ADDRESS, '--yes')).toBe('not-permitted');
  expect(await by('stranger').refused('notices', 'remove', id, '--yes')).toBe('notice-not-found');
  const ofVault = ['--schedule', later.schedule, '--vault', '--type', 'run.completed', '--details', 'amounts'];
  await by('employer').done('notices', 'add', chat.url, ...ofVault, '--yes');

  await world.register(employer);
  const { text: paid = '', from, sentTo } = await arrives(PAID);
  expect([from?.address, sentTo]).toEqual(['payouts@example.com', [ADDRESS]]);
  expect(paid).toContain(`Sign in to see it: ${world.apiUrl}/recipient/`);
  const everything = JSON.stringify(mailServer.mails);
  const { schedule, vault, signer, mint, list } = employer;
  const people = list.recipients.flatMap(({ recipient, amount }) => [recipient, String(amount)]);
  for (const secret of [...people, schedule, vault, signer.address, mint, '1,250']) {
    expect(everything).not.toContain(secret);
  }
  const [complete] = await until(async () => (said.length > 0 ? said : undefined), 'the chat to be told', 60_000);
  expect(complete).toContain('A pay run is complete.');
  expect(complete).toContain('window 0.\nPaid: 3 of 3, ');
});

it('tells of a withdrawal, and of who may recover the balance', async () => {
  const { done } = by('ada');
  await done('withdraw', '1,000', '--to', await freshWallet(), '--now', '--yes');
  await arrives('A withdrawal of yours has arrived.');
  const keeper = await readOrCreateKey(keyOf('keeper'));
  await done('recovery', 'name', keeper.address, '--yes');
  const changed =
    'Who may recover your balance was changed, or somebody has asked for it. If that was not you, refuse it now.';
  await arrives(changed);
  // Past the coordinator.
  const { balances } = await new RecipientClient({ apiUrl: world.apiUrl, signer: ada, time: systemTime }).balances();
  const personal = balances.find((balance) => balance.recovery !== null)?.personal ?? '';
  await by('keeper').done('recovery', 'request', personal, '--layer', world.urls.layerRpcUrl, '--yes');
  await arrives(changed, 2);
  expect(mailed(PAID)).toHaveLength(1);
});

it('forgets an address by the link of each e-mail, and shows it in no log', async () => {
  const link = /^<(.*)>$/.exec(headerOf(await arrives(PAID), 'List-Unsubscribe') ?? '')?.[1] ?? '';
  const { done, json } = by('ada');
  const listed = async () =>
    (await json<{ notices: Notice[] }>('notices', 'list')).notices.map(({ address }) => address);
  // Programs that look through mails open every link.
  expect(await (await fetch(link)).text()).toContain('Stop these messages?');
  expect(await listed()).toEqual([ADDRESS]);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await fetch(link, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
  expect(await listed()).toEqual([]);
  expect(await done('notices', 'list')).toBe('You have no notices.\n');
  const log = await readFile(world.coordinatorLog, 'utf8');
  for (const secret of [ADDRESS, link.split('/').at(-1) as string, chat.url]) expect(log).not.toContain(secret);
  const stored = Buffer.concat(await world.stored()).toString('latin1');
  for (const secret of [ADDRESS, Buffer.from(ADDRESS).toString('hex')]) expect(stored).not.toContain(secret);
});
