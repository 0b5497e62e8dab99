import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askOf, fetchPayslips, grantAudit, historyOf, readOrCreateKey, revokeAudit } from '@payouts/cli';
import {
  addressToBytes,
  type Recipient,
  signRequest,
  signRequestWithBody,
  systemTime,
  windowFaults,
} from '@payouts/client';
import {
  ALL_WINDOWS,
  EVIDENCE_FILE,
  evidenceFromJson,
  gatherEvidence,
  grantsOf,
  jsonIn,
  verifyEvidence,
} from '@payouts/statements';
import { payout, payoutOffline } from '@payouts/testing/offline';
import { readSignedPatiently } from '@payouts/testing/signed';
import { freshWallet, paidOddly, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HELD = 3;
const HOUR_MS = 3_600_000;

let world: World;
let employer: Employer;
let other: Employer;
let auditor: KeyPairSigner;
let auditorFile: string;
let named: Address;
let unnamed: Address;

beforeAll(async () => {
  world = await World.shared();
  employer = await world.employer(await paidOddly(RECIPIENTS), { executions: 1 });
  other = await world.employer(await variedPayees(2, 1_000n), { executions: 1 });
  const { recipients } = employer.list;
  await world.hold(employer, HELD);
  auditorFile = join(world.folder, 'keys', 'auditor.json');
  auditor = await readOrCreateKey(auditorFile);
  [named, unnamed] = [recipients[0]?.recipient as Address, recipients[1]?.recipient as Address];
  await world.startCoordinator({ PAYLOAD_KEY: world.payloadKey });
  for (const each of [employer, other]) await world.registerAndSettle(each);
});

const apiFor = (signer: KeyPairSigner) => ({ apiUrl: world.apiUrl, signer, time: systemTime });

/** Status and body of a signed request. */
async function ask(signer: KeyPairSigner, path: string, { schedule } = employer): Promise<[number, unknown]> {
  const response = await readSignedPatiently(signer, `${world.apiUrl}/api/schedules/${schedule}${path}`);
  return [response.status, await response.json()];
}

const totalsOf = async (signer: KeyPairSigner, { schedule } = employer) => {
  const wish = { kind: 'totals', auditor: signer.address, schedule, range: ALL_WINDOWS, madeAt: Date.now() } as const;
  return (await gatherEvidence(askOf(apiFor(signer)), wish)).payrolls[0]?.windows ?? [];
};
const grantsFor = (signer: KeyPairSigner, schedule: Address) => grantsOf(askOf(apiFor(signer)), schedule);

const refused = { status: 403, code: 'not-permitted' };
const soon = () => Date.now() + HOUR_MS;

it('shows an auditor the totals of windows with what proves them, and nothing of any recipient', async () => {
  const { signer, schedule, list } = employer;
  await expect(totalsOf(auditor)).rejects.toMatchObject(refused);
  await expect(grantsFor(auditor, schedule)).rejects.toMatchObject(refused);
  const grant = await grantAudit(apiFor(signer), schedule, { auditor: auditor.address, endsAt: soon() });
  expect(grant).toMatchObject({ scope: 'totals', recipients: [], state: 'active' });

  const [window, ...more] = await totalsOf(auditor);
  expect(more).toEqual([]);
  const heldAmount = list.recipients[HELD]?.amount as bigint;
  expect(window).toMatchObject({ window: 0n, entries: [], reason: null });
  const settled = window?.settled;
  if (settled == null) throw new Error('not proven');
  expect(settled).toMatchObject({ promised: list.total, paid: list.total - heldAmount, paidCount: RECIPIENTS - 1 });
  expect(await windowFaults(settled, world.authority.address)).toEqual([]);
  const history = historyOf(world.urls.baseRpcUrl, systemTime);
  expect(await history.window(settled)).toEqual({ faults: [], isAuthority: true });
  const [, answer] = await ask(auditor, '/audit');
  const text = JSON.stringify(answer);
  for (const { recipient, salt, amount } of list.recipients) {
    expect(text).not.toContain(recipient);
    expect(text).not.toContain(Buffer.from(salt).toString('hex'));
    expect(text).not.toContain(String(amount));
  }
  // By the command line, looked up on the ledger.
  const at = ['--keypair', auditorFile, '--api', world.apiUrl, '--rpc', world.urls.baseRpcUrl];
  const said = payout('audit', 'totals', schedule, ...at);
  expect(said, said.printed).toMatchObject({ code: 0 });
  expect(said.printed).toContain('✓ window 0');
  expect(said.printed).toContain('held back 1, unpaid 0');
  expect(said.printed).toMatch(/is complete: its windows\s+add up to the ledger's own total/);

  // Nothing else, and nothing of another schedule.
  const ofNamed = `/recipients/${named}`;
  for (const path of ['/recipients', ofNamed, '/recipients/me', `${ofNamed}/payslips/0`, '/payslips/0']) {
    expect((await ask(auditor, path))[0], path).toBe(403);
  }
  await expect(totalsOf(auditor, other)).rejects.toMatchObject(refused);
  // The employer knows.
  const [listed] = await grantsFor(signer, schedule);
  expect(listed).toMatchObject({ id: grant.id, used: 3, state: 'active' });
  expect(listed?.uses?.map(({ kind, recipient }) => [kind, recipient])).toEqual(Array(3).fill(['totals', null]));
  const [own] = await grantsFor(auditor, schedule);
  expect(own).toMatchObject({ id: grant.id });
  expect(own).not.toHaveProperty('uses');

  await revokeAudit(apiFor(signer), schedule, grant.id);
  await expect(totalsOf(auditor)).rejects.toMatchObject(refused);
  expect((await grantsFor(signer, schedule))[0]).toMatchObject({ state: 'revoked', used: 3 });
});

it('shows named recipients as these see themselves, and keeps of whom something was read', async () => {
  const { signer, schedule, list } = employer;
  const grant = await grantAudit(apiFor(signer), schedule, {
    auditor: auditor.address,
    recipients: [named],
    endsAt: soon(),
  });
  const [status, body] = await ask(auditor, `/recipients/${named}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ recipient: named, entries: [{ index: 0, amount: String(list.recipients[0]?.amount) }] });
  const { payslips } = await fetchPayslips(apiFor(auditor), schedule, 0n, named);
  expect(payslips.map(({ leaf }) => leaf)).toEqual([list.recipients[0]]);

  // Another recipient, a stranger and totals: refused in the same words.
  const [other, stranger] = [`/recipients/${unnamed}`, `/recipients/${await freshWallet()}`];
  const answers = [other, stranger, `${other}/payslips/0`, '/audit', '/recipients'];
  const said = await Promise.all(answers.map((path) => ask(auditor, path)));
  for (const one of said) expect(one).toEqual(said[0]);
  expect(said[0]?.[0]).toBe(403);

  const listed = (await grantsFor(signer, schedule)).find(({ id }) => id === grant.id);
  expect(listed?.uses?.map(({ kind, window, recipient }) => [kind, window, recipient])).toEqual([
    ['payslips', '0', named],
    ['recipient', null, named],
  ]);
  // Neither the log nor what is stored says whom.
  const log = await readFile(world.coordinatorLog, 'utf8');
  expect(log).toContain('an auditor has used a grant');
  expect(log).not.toContain(named);
  for (const file of await world.stored()) {
    expect(file.includes(named)).toBe(false);
    expect(file.includes(Buffer.from(addressToBytes(named)))).toBe(false);
  }
});

it('gives named recipients of some windows alone, verified and summed as CSV and PDF, which verify again offline', async () => {
  const { signer, schedule, list } = employer;
  const [, , second, held, late] = list.recipients as [Recipient, Recipient, Recipient, Recipient, Recipient];
  const wish = { auditor: auditor.address, endsAt: soon() };
  const recipients = [held.recipient, second.recipient];
  await grantAudit(apiFor(signer), schedule, { ...wish, recipients, fromWindow: 0n, toWindow: 0n });
  const later = await grantAudit(apiFor(signer), schedule, { ...wish, recipients: [late.recipient], fromWindow: 1n });
  expect((await ask(auditor, `/grants/${later.id}/payslips`))[1]).toMatchObject({ windows: [] });
  expect((await ask(auditor, `/recipients/${held.recipient}`))[0]).toBe(403);
  expect((await ask(auditor, `/recipients/${held.recipient}/payslips/0`))[0]).toBe(200);
  expect((await ask(auditor, `/recipients/${late.recipient}/payslips/0`))[0]).toBe(403);

  const out = join(world.folder, 'audit');
  const at = ['--keypair', auditorFile, '--api', world.apiUrl, '--rpc', world.urls.baseRpcUrl];
  const said = payout('audit', 'recipients', ...at, '--out', out);
  expect(said, said.printed).toMatchObject({ code: 0 });
  expect(said.printed).toMatch(/held back [0-9.,]+ tokens/);
  const csv = await readFile(join(out, 'statement.csv'), 'utf8');
  const total = csv.split('\n').find((line) => line.startsWith('total,'));
  // The named one of the test before, the second of this one, and nothing for the one that was held back.
  const paid = (list.recipients[0]?.amount as bigint) + second.amount;
  expect(total?.split(',')).toContain(String(paid));
  const pdf = await readFile(join(out, 'statement.pdf'));
  const evidence = evidenceFromJson(jsonIn(pdf, EVIDENCE_FILE));
  expect((await verifyEvidence(evidence)).sums).toMatchObject([{ paid }]);
  const again = payoutOffline('audit', 'verify', join(out, 'statement.pdf'));
  expect(again, again.printed).toMatchObject({ code: 0 });
  const forged = join(world.folder, 'forged.json');
  const text = JSON.stringify(jsonIn(pdf, EVIDENCE_FILE));
  await writeFile(forged, text.replaceAll(`"amount":"${second.amount}"`, '"amount":"999999999"'));
  expect(payoutOffline('audit', 'verify', forged).printed).toContain("don't lead to the root");
  // The employer reads which windows were looked at, of all whom the grant names.
  const uses = (await grantsFor(signer, schedule)).flatMap(({ uses: all = [] }) => all);
  expect(uses).toContainEqual({ at: expect.any(Number), kind: 'payslips', window: '0', recipient: null });
});

it('ends when its time is over', async () => {
  const { signer, schedule } = employer;
  let endsAt = 0;
  let grant: Awaited<ReturnType<typeof grantAudit>>;
  // Longer, if it was over before it was asked for.
  for (let lastsMs = 2_500; ; lastsMs *= 4) {
    endsAt = Date.now() + lastsMs;
    const isOver = () => Date.now() >= endsAt;
    const asked = grantAudit(apiFor(signer), schedule, { auditor: auditor.address, endsAt });
    const given = await asked.catch((error: unknown) => {
      if (!isOver()) throw error;
      return undefined;
    });
    if (given === undefined) continue;
    grant = given;
    const totals = await totalsOf(auditor).catch(() => []);
    if (totals.length === 0 && isOver()) continue;
    expect(totals).toHaveLength(1);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now() + 50));
  await expect(totalsOf(auditor)).rejects.toMatchObject(refused);
  const listed = (await grantsFor(signer, schedule)).find(({ id }) => id === grant.id);
  expect(listed).toMatchObject({ state: 'ended', used: 1 });
});

it('is given and taken by the employer alone, in a body that the signature covers', async () => {
  const { signer, schedule } = employer;
  const wish = { auditor: auditor.address, endsAt: soon() };
  for (const stranger of [auditor, await generateKeyPairSigner(), other.signer]) {
    await expect(grantAudit(apiFor(stranger), schedule, wish)).rejects.toMatchObject(refused);
  }
  const { id } = await grantAudit(apiFor(signer), schedule, wish);
  await expect(revokeAudit(apiFor(auditor), schedule, id)).rejects.toMatchObject(refused);
  await expect(revokeAudit(apiFor(other.signer), other.schedule, id)).rejects.toMatchObject({
    code: 'grant-not-found',
  });
  await expect(grantAudit(apiFor(signer), schedule, { ...wish, endsAt: 1 })).rejects.toMatchObject({
    code: 'invalid-grant',
  });

  const url = `${world.apiUrl}/api/schedules/${schedule}/grants`;
  const body = JSON.stringify({ ...wish, scope: 'totals' });
  const post = async (sent: string, headers: Record<string, string>) => {
    const response = await fetch(url, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  const invalid = [401, 'signature-invalid'];
  // Another body under the same signature; a signature that leaves the body out.
  expect(
    await post(
      body.replace('totals', 'recipients'),
      await signRequestWithBody({ signer, url, body, time: systemTime }),
    ),
  ).toEqual(invalid);
  expect(await post(body, await signRequest({ signer, url, method: 'POST', time: systemTime }))).toEqual(invalid);
  expect(await post('{', await signRequestWithBody({ signer, url, body: '{', time: systemTime }))).toEqual([
    400,
    'invalid-json',
  ]);
  expect(await post(body, await signRequestWithBody({ signer, url, body, time: systemTime }))).toEqual([
    201,
    undefined,
  ]);
});

it('outlives a change of the payload key, and is forgotten with the recipients', async () => {
  const { signer, schedule } = employer;
  const before = await grantsFor(signer, schedule);
  expect(before.some(({ recipients }) => recipients.includes(named))).toBe(true);
  await world.stopCoordinator();
  const newKey = join(world.folder, 'new.key');
  await writeFile(newKey, randomBytes(32).toString('hex'), { mode: 0o600 });
  const operator = (settings: Record<string, string>, ...args: string[]) =>
    execFileSync('npm', ['run', '-s', 'coordinator', '--', ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...world.settings, ...settings },
    });
  const both = { PAYLOAD_KEY: newKey, PAYLOAD_KEYS_RETIRED: world.payloadKey };
  expect(operator(both, 'keys', 'rotate')).toContain('Renewed under payload key');
  await world.startCoordinator({ PAYLOAD_KEY: newKey });
  expect(await grantsFor(signer, schedule)).toEqual(before);
  await world.stopCoordinator();
  operator({ PAYLOAD_KEY: newKey }, 'schedules', 'delete', schedule, '--yes');
  await world.startCoordinator({ PAYLOAD_KEY: newKey });
  expect(await grantsFor(signer, schedule)).toEqual([]);
  await expect(totalsOf(auditor)).rejects.toMatchObject(refused);
  // The employer is told that the window is settled and can't be proven any more.
  expect(await totalsOf(signer)).toMatchObject([
    { window: 0n, settled: null, reason: expect.stringContaining('does not know') },
  ]);
});
