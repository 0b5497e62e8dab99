import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportedPayslips, fetchPayslips, historyOf, readOrCreateKey, writePayslips } from '@payouts/cli';
import { type Payee, type PayslipJson, payslipFaults, type Recipient, systemTime } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { payout, payoutOffline } from '@payouts/testing/offline';
import { readSigned } from '@payouts/testing/signed';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 7;
const HELD = 2;

/** Outlives the world. */
let kept: string;
let world: World | undefined;
let employer: Employer;
const keys = new Map<string, KeyPairSigner>();
const keyFiles = new Map<string, string>();

beforeAll(async () => {
  kept = await mkdtemp(join(tmpdir(), 'payouts-payslips-'));
  // Nobody else is given this port when the ledger is gone.
  world = await World.start({ basePort: await freePorts(2) });
  const payees: Payee[] = [];
  for (let line = 0; line < RECIPIENTS; line++) {
    const file = join(kept, `key-${line}.json`);
    const key = await readOrCreateKey(file);
    keys.set(key.address, key);
    keyFiles.set(key.address, file);
    const delivery = line === 0 ? 'wallet' : 'balance';
    payees.push({ recipient: key.address, amount: 1_000_000n + BigInt(line), delivery });
  }
  // One stands in the list twice.
  payees.push({ recipient: payees[1]?.recipient as never, amount: 5_000n });
  employer = await world.employer(payees, { executions: 2 });
  await world.hold(employer, heldEntry().index);
  await world.startCoordinator();
  await world.registerAndSettle(employer);
});
afterAll(async () => {
  await world?.stop();
  await rm(kept, { recursive: true, force: true });
});

/** An entry of somebody who stands in the list once, and is not paid to a wallet. */
function heldEntry(): Recipient {
  const once = employer.list.recipients.filter(
    ({ recipient, delivery }) =>
      delivery === 'balance' && employer.list.recipients.filter((one) => one.recipient === recipient).length === 1,
  );
  return once[HELD] as Recipient;
}

const running = (): World => world as World;
const apiFor = (signer: KeyPairSigner) => ({ apiUrl: running().apiUrl, signer, time: systemTime });

async function problem(signer: KeyPairSigner, path: string): Promise<unknown[]> {
  const response = await readSigned(signer, `${running().apiUrl}/api/schedules/${employer.schedule}${path}`);
  const { code, reason } = (await response.json()) as { code: string; reason?: string };
  return [response.status, code, reason];
}

it('gives each recipient what the window paid them, and says why it did not', async () => {
  const { list, schedule } = employer;
  const history = historyOf(running().localnet.baseRpcUrl, systemTime);
  for (const [address, key] of keys) {
    const entries = list.recipients.filter(({ recipient }) => recipient === address);
    const { payslips, unpaid } = await fetchPayslips(apiFor(key), schedule, 0n);
    if (address === heldEntry().recipient) {
      expect(payslips).toEqual([]);
      expect(unpaid).toEqual([{ index: heldEntry().index, amount: heldEntry().amount, reason: 'held' }]);
      continue;
    }
    expect(unpaid).toEqual([]);
    expect(payslips.map(({ leaf }) => leaf)).toEqual(entries);
    for (const payslip of payslips) {
      expect(await payslipFaults(payslip, running().authority.address)).toEqual([]);
      const { settled } = payslip;
      expect(settled).toMatchObject({ recipients: 8, paidCount: 7, held: [heldEntry().index], promised: list.total });
      expect(settled.paid).toBe(list.total - heldEntry().amount);
      // The ledger agrees, as long as it is there.
      expect(await history.window(settled)).toEqual({ faults: [], isAuthority: true });
      const lie = { ...settled, paid: settled.paid - 1n };
      expect((await history.window(lie)).faults).toHaveLength(1);
    }
  }
});

it('gives nobody what is another’s, and says when there is none', async () => {
  const [one, other] = [...keys.values()] as [KeyPairSigner, KeyPairSigner];
  const stranger = await generateKeyPairSigner();
  const refused = [403, 'not-permitted', undefined];
  expect(await problem(one, `/recipients/${other.address}/payslips/0`)).toEqual(refused);
  expect(await problem(stranger, '/recipients/me/payslips/0')).toEqual(refused);
  expect(await problem(one, '/payslips/0')).toEqual(refused);
  const none = [404, 'payslip-not-found', 'not-settled'];
  expect(await problem(one, '/recipients/me/payslips/1')).toEqual(none);
  expect(await problem(employer.signer, '/payslips/1')).toEqual(none);
  expect(await problem(one, '/recipients/me/payslips/01')).toEqual([400, 'invalid-window', undefined]);
  expect(await problem(employer.signer, `/recipients/${stranger.address}/payslips/0`)).toContain('recipient-not-found');
});

it('is verified with the network off, when coordinator, ledgers and layer are gone with all that they kept', async () => {
  const { schedule, list, signer } = employer;
  const [wallet] = list.recipients.filter(({ delivery }) => delivery === 'wallet') as [Recipient];
  // By a recipient, by the command line; by the employer, all.
  const own = join(kept, 'own');
  const asked = ['--keypair', keyFiles.get(wallet.recipient) as string, '--api', running().apiUrl, '--out', own];
  const fetched = payout('receipt', 'fetch', schedule, '0', ...asked);
  expect(fetched, fetched.printed).toMatchObject({ code: 0 });
  const all = join(kept, 'all');
  const exported = await writePayslips(all, exportedPayslips(apiFor(signer), schedule, 0n));
  expect(exported).toMatchObject({ payslips: 7, sum: list.total - heldEntry().amount });
  const names = await readdir(all);
  expect(names.filter((name) => /^window-0-0000[0-7]\.(json|pdf)$/.test(name))).toHaveLength(14);
  expect(names.filter((name) => !name.startsWith('window-0-')).sort()).toEqual(['totals.csv', 'totals.csv.sha256']);
  const totals = await readFile(join(all, 'totals.csv'), 'utf8');
  expect(totals).toContain(`\ntotal,7,,`);
  expect(totals.trim().split('\n')).toHaveLength(1 + 7 + 2);
  expect((await stat(join(all, 'totals.csv'))).mode & 0o077).toBe(0);
  // Again into the same folder: refused, nothing is written over.
  await expect(writePayslips(all, exportedPayslips(apiFor(signer), schedule, 0n))).rejects.toThrow('not empty');

  const { folder, localnet } = running();
  await running().stop();
  world = undefined;
  expect(existsSync(folder)).toBe(false);
  await expect(fetch(localnet.baseRpcUrl)).rejects.toThrow();

  const files = (await readdir(own)).map((name) => join(own, name));
  expect(files).toHaveLength(2);
  files.push(...names.filter((name) => name.startsWith('window-0-')).map((name) => join(all, name)));
  const { code, printed } = payoutOffline('receipt', 'verify', ...files);
  expect(code, printed).toBe(0);
  expect(printed.split('sound, verified offline')).toHaveLength(files.length + 1);
  expect(printed).toContain('It can be looked up at any time');
  expect(printed).not.toContain('!');
  expect(payoutOffline('receipt', 'verify', files[0] as string, '--rpc', localnet.baseRpcUrl).code).not.toBe(0);

  const sound = files.find((file) => file.endsWith('.json')) as string;
  const json = JSON.parse(await readFile(sound, 'utf8')) as PayslipJson;
  const { leaf, settled } = json;
  const inList = "The entry and its proof don't lead to the root of the window's list.";
  const cases: [unknown, string][] = [
    [{ ...json, leaf: { ...leaf, amount: '9000000' } }, inList],
    [{ ...json, leaf: { ...leaf, recipient: schedule } }, inList],
    [{ ...json, settled: { ...settled, settledAt: 1 } }, "The window's fields are not what the issuer signed."],
    [{ ...json, settled: { ...settled, window: '1' } }, "The settlement's transaction does not settle this window."],
    [{ ...json, bitmap: '7f' }, 'The bitmap is not the one that the window was settled with.'],
    [{ ...json, remark: 'paid twice' }, 'it has a field that does not belong there'],
    [{ ...json, note: 'paid twice' }, '"note" is no object'],
  ];
  const pdf = await readFile(files.find((file) => file.endsWith('.pdf')) as string, 'latin1');
  const texts = cases.map(([other]): string => JSON.stringify(other));
  texts.push(pdf.replaceAll(`"amount":"${leaf.amount}"`, '"amount":"9000000"'));
  const tampered: string[] = [];
  for (const [number, text] of texts.entries()) {
    tampered.push(join(kept, `tampered-${number}`));
    await writeFile(tampered[number] as string, text, 'latin1');
  }
  const found = payoutOffline('receipt', 'verify', '--json', ...tampered);
  expect(found.code, found.printed).toBe(1);
  const lines = found.printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sound: boolean; faults: string[] });
  for (const [number, reason] of [...cases.map(([, why]) => why), inList].entries()) {
    expect(lines[number]?.sound, reason).toBe(false);
    expect(lines[number]?.faults.join()).toContain(reason);
  }
  // What is attached to the page counts; a page that shows something else is said to.
  const page = join(kept, 'page.pdf');
  await writeFile(page, pdf.replaceAll('<57696e646f>', '<58696e646f>'), 'latin1');
  expect(payoutOffline('receipt', 'verify', page)).toMatchObject({
    code: 0,
    printed: expect.stringContaining('Go by what stands here, not by the page.'),
  });
});
