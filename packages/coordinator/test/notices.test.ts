import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  findRolePda,
  getRoleEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  prepareList,
  RECOVERY_SECONDS,
  RoleKind,
  systemTime,
} from '@payouts/client';
import { headerOf, type MailServer, startMailServer } from '@payouts/testing/mailServer';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverableAround } from '../src/balances/personal.ts';
import { ADDRESS_CHANGE_MS } from '../src/domain/invitation.ts';
import {
  CODE_MS,
  CODES_BY_OWNER,
  CODES_TO_ADDRESS,
  isMailAddress,
  MAX_NOTICES,
  mailFault,
  RECIPIENT_NOTICES,
} from '../src/domain/notice.ts';
import { FAILING_MS } from '../src/domain/webhook.ts';
import type { LedgerAccount } from '../src/ledger/ledger.ts';
import { AddressChanges } from '../src/lists/addressChanges.ts';
import { chatBody } from '../src/notices/chat.ts';
import { Mailer } from '../src/notices/mail.ts';
import { NoticeBook, type OpenedNotice, type WantedNotice } from '../src/notices/noticeBook.ts';
import { ownerReads } from '../src/notices/ownerReads.ts';
import { noticeSender } from '../src/notices/sendNotice.ts';
import { tellPaidIn } from '../src/notices/tellPaid.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { rotateKeys } from '../src/rotation/rotateKeys.ts';
import { countRows } from '../src/store/countRows.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { addAnswer, addInvitations } from '../src/store/queries/invitations.ts';
import { listNoticeRuns } from '../src/store/queries/notices.ts';
import { finishRun } from '../src/store/queries/runs.ts';
import { findSchedule, saveEmployer } from '../src/store/queries/schedules.ts';
import { findEndpoint } from '../src/store/queries/webhooks.ts';
import { WebhookSender } from '../src/webhooks/send.ts';
import { WebhookWorker } from '../src/webhooks/worker.ts';
import { WithdrawalHistory } from '../src/withdrawals/history.ts';
import { tellRecoveries } from '../src/withdrawals/recoveries.ts';
import { WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { storeList } from './support/lists.ts';
import { keptLog } from './support/log.ts';
import { personalAccount } from './support/personal.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { addRun } from './support/runs.ts';
import { keepPayments } from './support/settleWindow.ts';
import { useStore } from './support/stores.ts';

const ORIGIN = 'https://payouts.example.com';
const HOUR_MS = 3_600_000;
const payloadKey = randomBytes(32);
const payloadKeys = localPayloadKeys(payloadKey);

describe('notices', () => {
  const store = useStore();
  let time: ManualTime;
  let mailServer: MailServer;
  let receiver: Receiver;
  let kept: ReturnType<typeof keptLog>;
  let ada: Address;
  let ending: AbortController;
  let roles: LedgerAccount[];

  beforeEach(async () => {
    time = manualTime(Date.now(), () => randomInt(2 ** 32) / 2 ** 32);
    mailServer = await startMailServer();
    receiver = await startReceiver();
    kept = keptLog(time);
    ada = randomAddress();
    ending = new AbortController();
    roles = [];
  });
  afterEach(async () => {
    ending.abort();
    await receiver.stop();
    await mailServer.stop();
    for (const table of ['webhook_endpoints', 'notice_codes', 'notice_runs'])
      await sql`delete from ${sql.table(table)}`.execute(store.query);
  });

  const bookOf = (keys = payloadKeys, spreadMs = 0) =>
    new NoticeBook({ database: store.query, payloadKeys: keys, time, spreadMs });

  const wish = (more: Partial<WantedNotice> = {}): WantedNotice => ({
    owner: ada,
    to: 'ada@example.com',
    format: null,
    vault: null,
    schedule: null,
    types: RECIPIENT_NOTICES,
    details: 'none',
    ...more,
  });

  async function added(more: Partial<WantedNotice> = {}, book = bookOf()): Promise<OpenedNotice> {
    const notice = await book.add(wish(more));
    if (typeof notice === 'string') throw new Error(`too many ${notice}`);
    return notice;
  }

  /** One by e-mail whose code was sent back, before which nothing was sent; or one in a chat. */
  async function active(more: Partial<WantedNotice> = {}, book = bookOf()): Promise<OpenedNotice> {
    const notice = await added(more, book);
    if (notice.content.code === null) return notice;
    await send();
    expect(await book.confirm(notice, notice.content.code)).toBe(true);
    mailServer.mails.length = 0;
    return notice;
  }

  /** By the roles that employers have given. */
  const reads = () =>
    ownerReads({ database: store.query, base: layerShowing(() => roles), program: PAYOUT_LEDGER_PROGRAM_ADDRESS });

  /** Sends all that is due, as the service does. */
  async function send({ keys = payloadKeys, smtpUrl = mailServer.url, allowsPrivate = true } = {}): Promise<void> {
    const database = store.query;
    const sender = new WebhookSender({ allowsPrivate, time: systemTime, withinMs: 60_000 });
    const mailer = new Mailer({ url: smtpUrl, from: 'payouts@example.com', time: systemTime });
    const { signal } = ending;
    const worker = new WebhookWorker({
      ...{ database, payloadKeys: keys, sender, time, log: kept.log, metrics: createMetrics() },
      sendNotice: noticeSender({ database, payloadKeys: keys, sender, mailer, ownerReads: reads(), origin: ORIGIN }),
      ...{ draining: signal, signal },
    });
    while ((await worker.begin()) > 0) await worker.idle();
    await sender.close();
  }

  const waiting = async () => {
    const { rows } = await sql<{
      type: string;
      at: string;
    }>`select type, at from webhook_messages where next_at is not null`.execute(store.query);
    return rows;
  };

  /** A settled window that pays these people, of whom some are left out. */
  async function settle(recipients: readonly Address[], window = 0n, held: readonly number[] = []) {
    const { query } = store;
    const [mint, vault] = [randomAddress(), randomAddress()];
    const others = somePayees(3);
    const list = prepareList([...recipients.map((recipient) => ({ recipient, amount: 1_250_500_000n })), ...others]);
    const row = await storeList(query, payloadKeys, list, { mint, vault });
    await query
      .insertInto('vaults')
      .values({
        address: vault,
        mint,
        decimals: 6,
        symbol: 'USDC',
        reserved: '0',
        available: '0',
        seen_slot: 1,
        seen_at: 1,
      })
      .execute();
    const run = await addRun(query, { schedule: row.schedule, window }, { recipients: list.recipients.length });
    const set = list.recipients.map(({ index }) => index);
    const promised = { schedulePda: row.schedule as Address, vault, mint, list };
    await keepPayments({ query, keys: payloadKeys }, promised, { runId: run.id, window, set, held, isConfirmed: true });
    await finishRun(query, run.id, {
      state: 'settled',
      paidAmount: 9n,
      claims: { paid: set.length, reasons: {} },
      at: 5,
    });
    return { list, schedule: row.schedule };
  }
  const tellAll = async (book = bookOf()) => {
    for (const run of await listNoticeRuns(store.query))
      await tellPaidIn({ database: store.query, payloadKeys, notices: book }, run);
  };

  it('an address is sent a code and nothing else until the code is sent back', async () => {
    const book = bookOf();
    const notice = await added();
    await book.tell(ada, 'withdrawal.paid');
    await send();
    const [mail, ...more] = mailServer.mails;
    expect(more).toEqual([]);
    expect([mail?.sentTo, mail?.subject]).toEqual([['ada@example.com'], 'Confirm your e-mail address.']);
    const [, code = ''] = /^Your code: (\w{10})$/m.exec(mail?.text ?? '') ?? [];
    for (const wrong of ['', 'AAAAAAAAAA', `${code}A`, code.slice(1)])
      expect(await book.confirm(notice, wrong)).toBe(false);
    expect((await book.of(ada)).map(({ row }) => row.disabled_why)).toEqual(['unconfirmed']);
    expect(await book.confirm(notice, ` ${code.toLowerCase().slice(0, 5)}-${code.slice(5)}`)).toBe(true);
    await book.tell(ada, 'withdrawal.paid');
    await send();
    expect(mailServer.mails.at(-1)?.subject).toBe('A withdrawal of yours has arrived.');
  });

  it('an address that sends no code back is forgotten within the hour', async () => {
    const { row, content } = await added();
    time.setNow(time.now() + CODE_MS);
    expect(await bookOf().confirm({ row, content }, content.code as string)).toBe(false);
    await send();
    await tidyUntil(async () => (await findEndpoint(store.query, row.id)) === undefined);
  });

  it('what waits for an employer is forgotten when its time is over', async () => {
    const [id, mark, sealed] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const of = { employer: ada, vault: randomAddress() };
    const now = time.now();
    const row = { id, ...of, content: sealed, kept: sealed, created_at: now, expires_at: now + HOUR_MS };
    await addInvitations(store.query, ada, [row], now);
    await addAnswer(store.query, { invitation: id, mark, sealed }, now);
    const changes = new AddressChanges({ database: store.query, payloadKeys, time });
    const signatures = { present: '', next: '' };
    await changes.add(of, { present: ada, next: of.vault, askedAt: now, signatures });
    const left = async () =>
      Promise.all(
        (['invitations', 'invitation_answers', 'address_changes'] as const).map((name) => countRows(store.query, name)),
      );
    expect(await left()).toEqual([1, 1, 1]);
    time.setNow(now + HOUR_MS);
    await tidyUntil(async () => (await left())[0] === 0);
    expect(await left()).toEqual([0, 0, 1]);
    ending = new AbortController();
    time.setNow(now + ADDRESS_CHANGE_MS);
    expect(await changes.of(ada)).toEqual([]);
    await tidyUntil(async () => (await left())[2] === 0);
  });

  /** Has the worker forget what is over. */
  async function tidyUntil(isOver: () => Promise<boolean>): Promise<void> {
    const worker = new WebhookWorker({
      ...{ database: store.query, payloadKeys, time, log: kept.log, metrics: createMetrics() },
      ...{ sender: { send: () => Promise.reject(new Error('Nothing is sent.')) } },
      sendNotice: () => Promise.reject(new Error('Nothing is sent.')),
      ...{ draining: ending.signal, signal: ending.signal },
    });
    const running = worker.run();
    while (!(await isOver())) await sleep(10);
    ending.abort();
    await running;
  }

  it('whom a window has paid is told so, and nobody who was left out: no name, no amount, no payroll', async () => {
    const [ben, cleo] = [randomAddress(), randomAddress()];
    await active();
    await active({ owner: ben, to: receiver.url, format: 'slack' });
    await active({ owner: cleo, to: receiver.url, format: 'discord' });
    const { list, schedule } = await settle([ada, ben]);
    await tellAll();
    await send();
    const [mail] = mailServer.mails;
    expect(mailServer.mails).toHaveLength(1);
    expect([mail?.subject, mail?.from?.address]).toEqual(['You were paid.', 'payouts@example.com']);
    expect(mail?.text).toContain(`Sign in to see it: ${ORIGIN}/recipient/`);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      { text: `You were paid.\nSign in to see it: ${ORIGIN}/recipient/` },
    ]);
    // A short word can be in what is random in a link.
    const told = JSON.stringify([mailServer.mails, receiver.received, kept.logged()]);
    const everything = told.replaceAll(/(?<=unsubscribe[^\s"]*)[\w-]{43}/g, '');
    const secrets = list.recipients.flatMap(({ recipient, amount }) => [recipient, String(amount)]);
    for (const secret of [...secrets, schedule, '1,250', 'USDC']) expect(everything).not.toContain(secret);
    expect(kept.logged()).not.toContain('example.com');
    // Nothing is kept of what was sent.
    expect(await waiting()).toEqual([]);
    const held = await settle([ada], 0n, [0, 1, 2, 3]);
    expect(held.list.recipients).toHaveLength(4);
    await tellAll();
    expect(await waiting()).toEqual([]);
  });

  it('who chose amounts is told them, and an employer of which payroll', async () => {
    await active({ details: 'amounts' });
    const { schedule } = await settle([ada]);
    await tellAll();
    const vault = (
      await store.query
        .selectFrom('schedules')
        .select('vault')
        .where('address', '=', schedule)
        .executeTakeFirstOrThrow()
    ).vault;
    const owner = randomAddress();
    await saveEmployer(store.query, schedule, owner);
    const employer = { owner, vault, types: ['run.completed'] as const, format: 'slack' as const };
    await active({ ...employer, to: `${receiver.url}/full`, details: 'amounts' });
    await active({ ...employer, to: `${receiver.url}/plain`, schedule });
    const run = await addRun(store.query, { schedule, window: 7n }, { recipients: 4 });
    const claims = { paid: 3, reasons: { held: 1 } };
    await finishRun(store.query, run.id, { state: 'settled', paidAmount: 2_000_500_000n, claims, at: 6 });
    await send();
    expect(mailServer.mails[0]?.text).toContain('Amount: 1,250.50 USDC.');
    const said = new Map(receiver.received.map(({ path, body }) => [path, JSON.parse(body).text]));
    const short = `${schedule.slice(0, 4)}…${schedule.slice(-4)}`;
    const link = `Sign in to see it: ${ORIGIN}/`;
    expect(said.get('/hooks/full')).toBe(
      `A pay run is complete.\nPayroll ${short}, window 7.\nPaid: 3 of 4, 2,000.50 USDC.\n${link}`,
    );
    expect(said.get('/hooks/plain')).toBe(`A pay run is complete.\n${link}`);
  });

  it('a link in each e-mail ends the messages with one request, and the address is forgotten', async () => {
    const { row } = await active();
    await bookOf().tell(ada, 'recovery.changed');
    await send();
    const [mail] = mailServer.mails;
    const [, token = ''] =
      /^<https:\/\/payouts\.example\.com\/api\/unsubscribe\/([\w-]{43})>$/.exec(
        headerOf(mail as never, 'List-Unsubscribe') ?? '',
      ) ?? [];
    expect(headerOf(mail as never, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(mail?.text).toContain(`${ORIGIN}/api/unsubscribe/${token}`);
    await bookOf().unsubscribe(`${token.slice(1)}A`);
    expect(await findEndpoint(store.query, row.id)).toBeDefined();
    await bookOf().tell(ada, 'recovery.changed');
    await bookOf().unsubscribe(token);
    expect(await findEndpoint(store.query, row.id)).toBeUndefined();
    expect(await waiting()).toEqual([]);
  });

  it('a flood of payments is one message, and codes are few to an address, by a key and in an hour', async () => {
    const book = bookOf();
    await active();
    for (let window = 0; window < 50; window++) await book.tell(ada, 'recipient.paid', { mint: ada, amount: '1' });
    expect(await waiting()).toHaveLength(1);
    await active({ details: 'amounts', to: receiver.url, format: 'slack' });
    for (let window = 0; window < 50; window++) await book.tell(ada, 'recipient.paid', { mint: ada, amount: '1' });
    expect(await waiting()).toHaveLength(21);

    const victim = async (owner: Address, to = 'victim@example.com') => {
      const notice = await book.add(wish({ owner, to }));
      if (typeof notice === 'string') return notice;
      // As somebody does who wants another code at once.
      await book.remove(notice);
      return 'sent';
    };
    const sent = [];
    for (let key = 0; key < CODES_TO_ADDRESS + 2; key++)
      sent.push(await victim(randomAddress(), key % 2 ? 'victim@example.com' : 'VICTIM@example.com'));
    expect(sent).toEqual([...Array(CODES_TO_ADDRESS).fill('sent'), 'codes', 'codes']);
    const mallory = randomAddress();
    const by = [];
    for (let to = 0; to < CODES_BY_OWNER + 1; to++) by.push(await victim(mallory, `${to}@example.com`));
    expect(by).toEqual([...Array(CODES_BY_OWNER).fill('sent'), 'codes']);
    await sql`insert into notice_codes (owner, address, sent_at)
      select 'x', 'y', ${String(time.now())}::bigint from generate_series(1, 500)`.execute(store.query);
    expect(await victim(randomAddress(), 'ben@example.com')).toBe('codes');
    time.setNow(time.now() + 24 * HOUR_MS);
    expect(await victim(randomAddress())).toBe('sent');
    const chats = [];
    for (let at = 0; at <= MAX_NOTICES; at++)
      chats.push(typeof (await book.add(wish({ owner: mallory, to: receiver.url, format: 'slack' }))));
    expect(chats).toEqual([...Array(MAX_NOTICES).fill('object'), 'string']);
  });

  it('a viewer is told of payrolls until they lose their role, and then of nothing more', async () => {
    const { schedule } = await settle([ada]);
    await saveEmployer(store.query, schedule, ada);
    const vault = (await findSchedule(store.query, schedule))?.vault ?? null;
    const [viewer, employer] = [randomAddress(), ada];
    const [address] = await findRolePda({ employer, holder: viewer });
    const role = { bump: 255, given: RoleKind.Viewer, employer, holder: viewer, since: 0n };
    const data = new Uint8Array(getRoleEncoder().encode(role));
    roles = [{ address, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, data, lamports: 1n }];
    const wanted = {
      owner: viewer,
      vault,
      types: ['run.completed'] as const,
      to: receiver.url,
      format: 'slack' as const,
    };
    const { row } = await active(wanted);
    const settleOne = async (window: bigint) => {
      const run = await addRun(store.query, { schedule, window }, { recipients: 1 });
      await finishRun(store.query, run.id, {
        state: 'settled',
        paidAmount: 9n,
        claims: { paid: 1, reasons: {} },
        at: 5,
      });
      await sql`update webhook_messages set next_at = 0 where next_at is not null`.execute(store.query);
      await send();
    };
    await settleOne(1n);
    expect(receiver.received).toHaveLength(1);
    roles = [];
    await settleOne(2n);
    await settleOne(3n);
    expect(receiver.received).toHaveLength(1);
    expect(await findEndpoint(store.query, row.id)).toMatchObject({ disabled_why: 'gone' });
  });

  it('payrolls that are due together are told together, the first at once', async () => {
    const { schedule } = await settle([ada]);
    const { vault } = await store.query
      .selectFrom('schedules')
      .select('vault')
      .where('address', '=', schedule)
      .executeTakeFirstOrThrow();
    await saveEmployer(store.query, schedule, ada);
    const wanted = {
      owner: ada,
      vault,
      types: ['run.completed'] as const,
      to: receiver.url,
      format: 'slack' as const,
    };
    await active(wanted);
    const settleSome = async (from: number) => {
      for (let window = from; window < from + 30; window++) {
        const run = await addRun(store.query, { schedule, window: BigInt(window) }, { recipients: 3 });
        await finishRun(store.query, run.id, {
          state: 'settled',
          paidAmount: 9n,
          claims: { paid: 3, reasons: {} },
          at: 5,
        });
        await send();
      }
    };
    await settleSome(1);
    expect(receiver.received).toHaveLength(1);
    expect(await waiting()).toHaveLength(1);
    await sql`update webhook_messages set next_at = 0 where next_at is not null`.execute(store.query);
    await send();
    expect(receiver.received).toHaveLength(2);
  });

  it('what the base ledger shows is told at a moment drawn by lot, and a recovery at once', async () => {
    const book = bookOf(payloadKeys, 6 * HOUR_MS);
    const now = time.now();
    for (let person = 0; person < 40; person++) {
      const owner = randomAddress();
      await active({ owner, to: receiver.url, format: 'slack' });
      await book.tell(owner, 'withdrawal.paid', { mint: ada, amount: '1' });
      await book.tell(owner, 'order.ended');
      await book.tell(owner, 'recovery.changed');
    }
    const told = await waiting();
    for (const shown of ['withdrawal.paid', 'order.ended']) {
      const later = told.filter(({ type }) => type === shown).map(({ at }) => Number(at) - now);
      expect(Math.max(...later)).toBeGreaterThan(3 * HOUR_MS);
      expect(Math.min(...later)).toBeLessThan(3 * HOUR_MS);
      // Two of them may meet in a millisecond.
      expect(new Set(later).size).toBeGreaterThan(37);
    }
    expect(told.filter(({ type }) => type === 'recovery.changed').every(({ at }) => Number(at) === now)).toBe(true);
  });

  it('the end of an order in rounds is told to whose it was alone, and fails by nothing', async () => {
    for (const owner of [ada, randomAddress()]) await active({ owner, to: receiver.url, format: 'slack' });
    const book = new WithdrawalBook({ database: store.query, payloadKeys, time });
    const history = new WithdrawalHistory({ book, notices: bookOf(), time, log: kept.log, signal: ending.signal });
    for (const recipient of ['nobody' as Address, ada]) history.orderEnded({ recipient });
    await history.idle();
    expect((await waiting()).map(({ type }) => type)).toEqual(['order.ended']);
    await send();
    expect(receiver.received.map(({ body }) => body)).toEqual([expect.stringContaining('stays inside until')]);
  });

  it('a recovery is told of once, however the layer was asked, and again when it is asked for again', async () => {
    await active({ to: receiver.url, format: 'slack' });
    const seconds = () => BigInt(Math.floor(time.now() / 1_000));
    let dueAt = seconds() + BigInt(RECOVERY_SECONDS);
    const place = { address: randomAddress() };
    const others = () => [
      personalAccount({ recipient: randomAddress(), recoveryDueAt: dueAt }),
      personalAccount({ recipient: ada }),
    ];
    const layer = layerShowing(() => [...others(), personalAccount({ recipient: ada, recoveryDueAt: dueAt }, place)]);
    const telling = tellRecoveries({
      ...{ database: store.query, layer, program: PAYOUT_LEDGER_PROGRAM_ADDRESS, notices: bookOf() },
      ...{ time, log: kept.log, metrics: createMetrics(), signal: ending.signal },
    });
    const said = async (times: number) => {
      // In small steps: a round that the database keeps for a moment is not to be given up.
      for (let looks = 0; receiver.received.length < times || looks < 30; looks++) {
        await time.advance(1_000);
        await sleep(20);
        // The database's clock is not turned.
        await sql`update webhook_messages set next_at = 0 where next_at is not null`.execute(store.query);
        await send();
      }
      expect(receiver.received).toHaveLength(times);
    };
    await said(1);
    dueAt = seconds() + BigInt(RECOVERY_SECONDS);
    await said(2);
    ending.abort();
    await telling;
  });

  it('a mailbox that is not there ends its notice, and a mail server that is away ends none', async () => {
    const gone = await active();
    const busy = await active({ owner: randomAddress(), to: 'busy@example.com' });
    const tell = async () => {
      await bookOf().tell(ada, 'recovery.changed');
      await bookOf().tell(busy.content.owner as Address, 'recovery.changed');
    };
    await tell();
    await send({ smtpUrl: 'smtp://127.0.0.1:1' });
    expect(kept.lines().filter(({ outcome }) => outcome === 'unreachable')).toHaveLength(2);
    time.setNow(time.now() + FAILING_MS);
    await sql`update webhook_messages set next_at = 0`.execute(store.query);
    await send({ smtpUrl: 'smtp://127.0.0.1:1' });
    for (const { row } of [gone, busy])
      expect(await findEndpoint(store.query, row.id)).toMatchObject({ failing_since: null, disabled_at: null });
    mailServer.refusal = (address) => (address.startsWith('ada') ? 550 : 452);
    await sql`update webhook_messages set next_at = 0`.execute(store.query);
    await send();
    expect(await findEndpoint(store.query, gone.row.id)).toMatchObject({ disabled_why: 'gone' });
    expect(await findEndpoint(store.query, busy.row.id)).toMatchObject({ disabled_why: null });
    expect((await waiting()).map(({ type }) => type)).toEqual(['recovery.changed']);
    mailServer.refusal = () => undefined;
    await sql`update webhook_messages set next_at = 0`.execute(store.query);
    await send();
    expect(mailServer.mails.map(({ sentTo }) => sentTo)).toEqual([['busy@example.com']]);
  });

  it('a chat may be in no private network', async () => {
    await active({ to: receiver.url, format: 'slack' });
    await bookOf().tell(ada, 'recovery.changed');
    await send({ allowsPrivate: false });
    expect(receiver.received).toEqual([]);
    expect(kept.lines().map(({ outcome }) => outcome)).toEqual(['forbidden']);
  });

  it('nothing that is stored shows whose they are or where they go, and a change of the keys leaves them working', async () => {
    await active({ details: 'amounts' });
    await bookOf().tell(ada, 'recipient.paid', { mint: ada, amount: '77' });
    const dump = async () => {
      const rows = await Promise.all(
        ['webhook_endpoints', 'webhook_messages', 'notice_codes'].map(
          async (table) =>
            (await sql`select row_to_json(one)::text as row from ${sql.table(table)} as one`.execute(store.query)).rows,
        ),
      );
      return JSON.stringify(rows);
    };
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const secret of ['ada@example.com', hex('ada@example.com'), ada]) expect(await dump()).not.toContain(secret);
    const next = localPayloadKeys(randomBytes(32), [payloadKey]);
    await rotateKeys({ database: store.query, payloadKeys: next, time: systemTime });
    const { rows } =
      await sql`select owner_key from webhook_endpoints where owner_key <> (select max(name) from service_keys)`.execute(
        store.query,
      );
    expect(rows).toEqual([]);
    expect((await bookOf(next).of(ada)).map(({ content }) => content.to)).toEqual(['ada@example.com']);
    await send({ keys: next });
    expect(mailServer.mails[0]?.text).toContain('Amount:');
  });
});

describe('a look for recoveries', () => {
  it('finds every one that can be completed within fourteen days', () => {
    const byteOf = (at: bigint) => recoverableAround(at)[1]?.bytes[0];
    fc.assert(
      fc.property(
        fc.bigInt(1_700_000_000n, 4_000_000_000n),
        fc.integer({ min: 0, max: RECOVERY_SECONDS }),
        (now, more) => {
          const looked = [now, now + BigInt(RECOVERY_SECONDS)].map(byteOf);
          expect(looked).toContain(byteOf(now + BigInt(more)));
        },
      ),
    );
  });
});

describe('an address', () => {
  const part = fc.string({ unit: fc.constantFrom(...'aZ0.-@,;<"\\ \r\n\0\u00e9') });
  const anyAddress = fc.tuple(part, part).map(([name, host]) => `${name}@${host}.example.com`);

  it('is taken as it is, or not at all: nothing of it ends a header or names a second one', () => {
    fc.assert(
      fc.property(anyAddress, (text) => {
        if (mailFault(text) === undefined) expect(text).toMatch(/^[^\s,;:<>()[\]\\"@\p{Cc}]+@[A-Za-z0-9.-]+$/u);
      }),
    );
    for (const good of ['ada@example.com', "o'hara+pay@mail.example.co.uk"]) expect(mailFault(good)).toBeUndefined();
    expect([isMailAddress('https://hooks.example.com/@team'), isMailAddress('ada@example.com')]).toEqual([false, true]);
  });
});

describe('a chat', () => {
  it('is sent what it takes, and mentions nobody', () => {
    expect(JSON.parse(chatBody('slack', '<!channel> & co'))).toEqual({ text: '&lt;!channel&gt; &amp; co' });
    expect(JSON.parse(chatBody('discord', '@everyone'))).toEqual({
      content: '@everyone',
      allowed_mentions: { parse: [] },
    });
    expect(JSON.parse(chatBody('teams', 'text'))).toMatchObject({
      type: 'message',
      attachments: [{ content: { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: 'text' }] } }],
    });
  });
});
