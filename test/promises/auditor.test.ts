import { askOf, fetchPayslips, grantAudit, historyOf, patiently, revokeAudit } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { ALL_WINDOWS, gatherEvidence, type StatementKind, verifyEvidence } from '@payouts/statements';
import { readSignedPatiently } from '@payouts/testing/signed';
import { freshWallet, paidOddly } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 5;
const HOUR_MS = 3_600_000;
const REFUSED = { status: 403, code: 'not-permitted' };

let world: World;
let employer: Employer;
let auditor: KeyPairSigner;

beforeAll(async () => {
  world = await World.shared();
  auditor = await generateKeyPairSigner();
  employer = await world.begin(await paidOddly(RECIPIENTS), { executions: 1, batchTimeout: 600 });
  await world.registerAndSettle(employer);
});

const api = (signer: KeyPairSigner) => ({ apiUrl: world.apiUrl, signer, time: systemTime });
/** What the auditor is shown, verified with the ledger's help. */
async function statement(kind: StatementKind, schedule?: Address) {
  const wish = { kind, auditor: auditor.address, schedule, range: ALL_WINDOWS, madeAt: Date.now() };
  const evidence = await gatherEvidence(askOf(api(auditor)), wish);
  return verifyEvidence(evidence, { ledger: historyOf(world.urls.baseRpcUrl, systemTime) });
}
const totals = () => statement('totals', employer.schedule);
const ask = async (path: string): Promise<[number, string]> => {
  const response = await readSignedPatiently(auditor, `${world.apiUrl}/api/schedules/${employer.schedule}${path}`);
  return [response.status, await response.text()];
};

it('shows an auditor totals with what proves them and nothing of any recipient, until the grant is taken back', async () => {
  const { signer, schedule, list } = employer;
  await expect(totals()).rejects.toMatchObject(REFUSED);
  const wish = { auditor: auditor.address, endsAt: Date.now() + HOUR_MS };
  const refused = patiently(systemTime, () => grantAudit(api(auditor), schedule, wish));
  await expect(refused).rejects.toMatchObject(REFUSED);
  const { id } = await patiently(systemTime, () => grantAudit(api(signer), schedule, wish));

  const sums = [{ promised: list.total, paid: list.total, lines: 1 }];
  const settled = { promised: list.total, paid: list.total, paidCount: RECIPIENTS };
  // Of this payroll, and of all that this key was granted.
  for (const shown of [await totals(), await statement('totals')]) {
    const payroll = { schedule, lines: [{ settled, faults: [] }], missing: [], total: 'same' };
    expect(shown).toMatchObject({ sums, unverified: 0, isAuthorityKnown: true, payrolls: [payroll] });
    expect(shown.issuers).toEqual([world.authority.address]);
  }
  const [, text] = await ask('/audit');
  for (const { recipient, salt, amount } of list.recipients) {
    for (const word of [recipient, Buffer.from(salt).toString('hex'), String(amount)]) expect(text).not.toContain(word);
  }
  const named = list.recipients[0]?.recipient;
  const others = ['/recipients', `/recipients/${named}`, '/recipients/me', '/payslips/0'];
  for (const path of others) expect((await ask(path))[0], path).toBe(403);

  await patiently(systemTime, () => revokeAudit(api(signer), schedule, id));
  await expect(totals()).rejects.toMatchObject(REFUSED);
});

it('shows an auditor the recipients that a grant names as these see themselves, and no other', async () => {
  const { signer, schedule, list } = employer;
  const [named, other] = list.recipients.map(({ recipient }) => recipient) as [Address, Address];
  const wish = { auditor: auditor.address, recipients: [named], endsAt: Date.now() + HOUR_MS };
  await patiently(systemTime, () => grantAudit(api(signer), schedule, wish));
  const [status, text] = await ask(`/recipients/${named}`);
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ entries: [{ index: 0, amount: String(list.recipients[0]?.amount) }] });
  const { payslips } = await fetchPayslips(api(auditor), schedule, 0n, named);
  expect(payslips.map(({ leaf }) => leaf)).toEqual([list.recipients[0]]);
  const amount = list.recipients[0]?.amount;
  const { sums, people, payrolls, unverified } = await statement('recipients');
  expect({ sums, people, unverified }).toMatchObject({
    sums: [{ promised: amount, paid: amount, lines: 1 }],
    people: [{ recipient: named, sums: [{ paid: amount }] }],
    unverified: 0,
  });
  expect(payrolls).toMatchObject([
    { lines: [{ entry: { recipient: named, state: 'paid' } }], missing: [], absent: [] },
  ]);

  const paths = [`/recipients/${other}`, `/recipients/${await freshWallet()}`, '/recipients', '/audit'];
  const said = await Promise.all(paths.map(ask));
  for (const one of said) expect(one).toEqual(said[0]);
  expect(said[0]?.[0]).toBe(403);
  await world.checkMoneyRules(employer);
});
