import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { balancePages, locateBalance, setStandingOrder, withdraw } from '@payouts/cli';
import {
  addressToBytes,
  getBalancePageDecoder,
  leafHash,
  openingOf,
  type PrivateBalance,
  recipientsToJson,
  showBalance,
  systemTime,
} from '@payouts/client';
import { secretsOf } from '@payouts/testing/recordList';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { personalSeen } from '@payouts/testing/underWay';
import { freshWallet, paidOddly, personAt } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, getBase58Encoder } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finder } from './scan/finder.ts';
import { finderOf } from './scan/forms.ts';

const RECIPIENTS = 90;
const LEFT_OUT = 41;

/** A byte string that must not be found, and what it is, without saying whose. */
interface Secret {
  readonly what: string;
  readonly bytes: Buffer;
}

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

/** Looks for all that is private of an employer's list, in every form. */
const finderFor = ({ list }: Employer): Finder => finderOf(secretsOf(list));

describe('privacy', () => {
  let world: World;
  let employer: Employer;
  let wallet: Address;
  let secrets: Secret[];

  beforeAll(async () => {
    world = await World.start();
    employer = await world.employer(await paidOddly(RECIPIENTS), { executions: 1 });
    const { list } = employer;
    secrets = list.recipients.flatMap((leaf): Secret[] => [
      { what: "a recipient's address", bytes: Buffer.from(addressToBytes(leaf.recipient)) },
      { what: 'a salt', bytes: Buffer.from(leaf.salt) },
      { what: "an owner's opening", bytes: Buffer.from(openingOf(leaf.salt)) },
      { what: 'a leaf of the tree', bytes: Buffer.from(leafHash(leaf)) },
    ]);
    for (const { amount } of list.recipients) secrets.push({ what: "a recipient's amount", bytes: u64(amount) });
    for (const hash of list.tree.rangeProof(LEFT_OUT, 1)) {
      secrets.push({ what: "a proof's hash", bytes: Buffer.from(hash) });
    }
    for (const balance of employer.balances) {
      secrets.push({ what: 'the owner of a private balance', bytes: Buffer.from(addressToBytes(balance)) });
    }

    await world.startCoordinator({ LOG_LEVEL: 'trace', METRICS_PUBLIC: 'true' });
    await world.registerAndSettle(employer);
    // Of somebody whose account stays, unlike that of a withdrawal that is paid.
    const { recipient, balance } = personAt(employer, 1);
    const order = { recipient, balance, threshold: 1n << 60n, wallet: await freshWallet() };
    await setStandingOrder(world.ledgers, order);
    const { address: personal, nonce } = (await personalSeen(world.ledgers, balance)) ?? {};
    secrets.push({ what: 'what a recipient asks', bytes: Buffer.from(addressToBytes(personal as Address)) });
    secrets.push({ what: "an account's nonce", bytes: Buffer.from(nonce ?? []) });
    const located = await locateBalance(world.ledgers, balance);
    const shown = await showBalance(world.ledgers, recipient, located as PrivateBalance);
    expect(shown.personal).toBe(personal);
    secrets.push({ what: "what personal accounts' addresses follow from", bytes: Buffer.from(shown.personalKey) });
    wallet = await freshWallet();
    await withdraw(world.ledgers, { ...personAt(employer, 0), wallet, amount: 'all' });
    for (const { address, bytes } of await balancePages(world.ledgers, employer.mint)) {
      const { nonce } = getBalancePageDecoder().decode(bytes);
      secrets.push({ what: "a page's address", bytes: Buffer.from(addressToBytes(address)) });
      secrets.push({ what: "a page's nonce", bytes: Buffer.from(nonce) });
    }
  });
  afterAll(() => world?.stop());

  const found = (hay: Buffer, except: readonly Buffer[] = []): string[] =>
    secrets
      .filter(({ bytes }) => !except.some((each) => each.equals(bytes)) && hay.includes(bytes))
      .map(({ what }) => what);

  it('puts no recipient, amount, salt or proof into any transaction or account of the base ledger', async () => {
    const withdrawn = u64(employer.list.recipients[0]?.amount ?? 0n);
    const walletBytes = Buffer.from(addressToBytes(wallet));
    let transactions = 0;
    let withdrawals = 0;
    for await (const transaction of world.localnet.admin.listTransactions()) {
      transactions += 1;
      const wire = Buffer.from(transaction.transaction, 'base64');
      // The one thing a recipient asked to be public: a wallet and an amount.
      const isWithdrawal = wire.includes(walletBytes);
      if (isWithdrawal) withdrawals += 1;
      const asked = isWithdrawal ? [withdrawn] : [];
      // Everything the ledger keeps of it: message, what programs called, and each account as it stood afterwards.
      const inner = transaction.innerInstructions.flatMap(({ instructions }) =>
        instructions.map(({ data }) => Buffer.from(getBase58Encoder().encode(data))),
      );
      const accounts = transaction.accounts.flatMap(({ address, data }) => [
        Buffer.from(addressToBytes(address as Address)),
        Buffer.from(data, 'base64'),
      ]);
      for (const bytes of [wire, ...inner, ...accounts]) expect(found(bytes, asked)).toEqual([]);
      const text = transaction.logMessages.join('\n');
      for (const { recipient, amount } of employer.list.recipients) {
        expect(text).not.toContain(recipient);
        if (!isWithdrawal) expect(text).not.toContain(String(amount));
      }
    }
    expect(transactions).toBeGreaterThan(8);
    expect(withdrawals).toBe(1);
  });

  it('names no employer, vault, schedule, batch or window in a withdrawal', async () => {
    const walletBytes = Buffer.from(addressToBytes(wallet));
    const batch = await world.batch(employer);
    for await (const transaction of world.localnet.admin.listTransactions()) {
      const bytes = Buffer.from(transaction.transaction, 'base64');
      if (!bytes.includes(walletBytes)) continue;
      const withdrawer = employer.list.recipients[0]?.recipient as Address;
      for (const at of [employer.signer.address, employer.vault, employer.schedule, batch, withdrawer]) {
        expect(bytes.includes(Buffer.from(addressToBytes(at)))).toBe(false);
        expect(transaction.logMessages.join('\n')).not.toContain(at);
      }
    }
  });

  it('has nothing private in its metrics and in what it refuses', async () => {
    const finder = finderFor(employer);
    const { recipients } = employer.list;
    const [entry] = recipientsToJson(recipients);
    const post = (body: unknown) =>
      fetch(`${world.apiUrl}/api/schedules`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': entry?.salt ?? '' },
        body: JSON.stringify(body),
      });
    const answers = [
      await fetch(`${world.apiUrl}/api/metrics`),
      await post({ schedulePda: employer.schedule, recipients: [entry] }),
      await post({
        schedulePda: employer.schedule,
        recipients: [{ ...entry, [String(entry?.recipient)]: entry?.amount }],
      }),
      await post({ schedulePda: entry?.recipient, recipients: recipientsToJson(recipients) }),
      await post({ schedulePda: employer.schedule, recipients: entry?.recipient }),
      await fetch(`${world.apiUrl}/api/schedules/${entry?.recipient}`),
      await fetch(`${world.apiUrl}/api/schedules/${entry?.recipient}/executions?cursor=${entry?.salt}`),
      await fetch(`${world.apiUrl}/${entry?.recipient}?amount=${entry?.amount}`, { method: 'DELETE' }),
      await fetch(`${world.apiUrl}/api/schedules/${employer.schedule}/recipients/${entry?.recipient}`),
    ];
    for (const { status } of answers.slice(1)) expect(status).toBeGreaterThanOrEqual(400);
    const text = await Promise.all(
      answers.map(async (answer) => `${JSON.stringify([...answer.headers])}${await answer.text()}`),
    );
    expect(text[0]).toContain('service_claim_results_total{result="paid"} 90');
    expect([...finder.scan(Buffer.from(text.join('\n')))]).toEqual([]);
    // Asked again, since the requests are counted by now.
    const metrics = await world.metrics();
    expect([...finder.scan(Buffer.from(metrics))]).toEqual([]);
    expect([...finder.scan(await readFile(world.coordinatorLog))]).toEqual([]);
  });

  it('writes nothing private to the log or the public API, and nothing readable to the database', async () => {
    const log = await readFile(world.coordinatorLog, 'utf8');
    expect(log).toContain(employer.schedule);
    const api = JSON.stringify([
      await world.executions(employer),
      await (await fetch(`${world.apiUrl}/api/schedules/${employer.schedule}`)).json(),
      await (await fetch(`${world.apiUrl}/api/health`)).json(),
    ]);
    for (const text of [log, api]) {
      for (const { recipient, amount, salt } of employer.list.recipients) {
        expect(text).not.toContain(recipient);
        expect(text).not.toContain(String(amount));
        expect(text).not.toContain(Buffer.from(salt).toString('hex'));
      }
      for (const balance of employer.balances) expect(text).not.toContain(balance);
    }
    await world.stopCoordinator();
    const stored = await world.stored();
    expect(stored.length).toBeGreaterThan(0);
    // Amounts are left out here: eight bytes can turn up by chance in megabytes of ciphertext.
    const unreadable = secrets.filter(({ bytes }) => bytes.length >= 16);
    for (const { bytes } of unreadable) expect(stored.some((file) => file.includes(bytes))).toBe(false);
  });
});

describe('privacy on PostgreSQL', () => {
  let world: World;
  let postgres: Postgres;
  beforeAll(async () => {
    [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime, { withClients: true })]);
  });

  it('has nothing private in a dump of the database', async () => {
    const employer = await world.employer(await paidOddly(RECIPIENTS), { executions: 1 });
    const url = await postgres.createDatabase();
    await world.startCoordinator({ DATABASE_URL: url, PAYLOAD_KEY: world.payloadKey });
    await world.registerAndSettle(employer);

    const dump = execFileSync(join(postgres.programs, 'pg_dump'), ['--dbname', url], { maxBuffer: 2 ** 28 });
    // The list is in it, unreadable: whoever looks finds its schedule, its window and how many were paid.
    expect(dump.includes(employer.schedule)).toBe(true);
    expect(dump.includes('COPY public.recipient_list_chunks')).toBe(true);
    expect(dump.includes('graphile_worker._private_tasks')).toBe(true);
    expect([...finderFor(employer).scan(dump)]).toEqual([]);
  });
});
