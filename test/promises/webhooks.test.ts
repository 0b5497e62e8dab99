import { text } from 'node:stream/consumers';
import { patiently, sendAs } from '@payouts/cli';
import { systemTime, verifyWebhook } from '@payouts/client';
import { addWebhook } from '@payouts/employer';
import { type Loopback, serveLoopback } from '@payouts/testing/loopback';
import { paidOddly, variedPayees } from '@payouts/testing/wallets';
import { inSeconds, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const DAY = 86_400;

type Message = { readonly headers: Record<string, string>; readonly body: string };

let world: World;
const messages: Message[] = [];
let receiver: Loopback;
beforeAll(async () => {
  world = await World.shared();
  receiver = await serveLoopback(async (request, response) => {
    messages.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(204).end();
  });
});

it('tells a webhook of a run and its settlement, signed, and names nobody', async () => {
  const terms = { executions: 1, firstExecution: inSeconds(DAY) };
  const registered = await world.begin(await variedPayees(2, 1_000n), terms, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  await world.register(registered);
  const wish = { url: receiver.url, scope: 'vault' } as const;
  const api = { apiUrl: world.apiUrl, signer: registered.signer, time: systemTime };
  const { secret } = await patiently(systemTime, () => addWebhook(sendAs(api), registered.schedule, wish));
  // The whole vault's, so the webhook is there before this one's run begins.
  const payees = await paidOddly(RECIPIENTS);
  const employer = await world.promise(registered, payees, { id: 1n, executions: 1, batchTimeout: 600 });
  await world.register(employer);

  const events = () => messages.map((message) => verifyWebhook({ ...message, secret }));
  const completed = await until(
    async () => events().find(({ type }) => type === 'run.completed'),
    'the settlement to be told',
    60_000,
  );
  await until(async () => events().find(({ type }) => type === 'run.opened'), 'the opening to be told', 60_000);
  const over = await until(
    async () => events().find(({ type }) => type === 'schedule.completed'),
    'the end of the schedule to be told',
    60_000,
  );
  expect(over.data).toEqual({ schedulePda: employer.schedule, windows: 1 });
  const claims = { paid: RECIPIENTS, total: RECIPIENTS };
  const about = { schedulePda: employer.schedule, window: '0' };
  expect(completed.data).toEqual({ ...about, claims, unpaid: 0, paidAmount: String(employer.list.total) });
  const [{ headers, body }] = messages as [Message];
  expect(() => verifyWebhook({ headers, body: `${body} `, secret })).toThrow();
  const everything = JSON.stringify(messages);
  for (const { recipient, amount, salt } of employer.list.recipients) {
    for (const word of [recipient, String(amount), Buffer.from(salt).toString('hex')]) {
      expect(everything).not.toContain(word);
    }
  }
  await world.checkMoneyRules(registered, employer);
});
