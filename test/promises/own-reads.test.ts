import { leafHash, type Recipient, verifyRange } from '@payouts/client';
import { readSignedPatiently } from '@payouts/testing/signed';
import { freshWallet, keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 6;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.shared();
  employer = await world.begin(await variedPayees(RECIPIENTS, 1_000_000n), { executions: 1, batchTimeout: 600 });
  await world.registerAndSettle(employer);
});

/** Status and text of a signed request. */
async function ask(signer: KeyPairSigner, path: string): Promise<{ status: number; text: string }> {
  const response = await readSignedPatiently(signer, `${world.apiUrl}/api${path}`);
  return { status: response.status, text: await response.text() };
}
const ofSchedule = (path: string) => `/schedules/${employer.schedule}/recipients${path}`;
const person = (index: number): Recipient => employer.list.recipients[index] as Recipient;
const signerOf = (index: number): KeyPairSigner => keyOf(person(index));

it('shows a recipient their own entry with its proof and its receipt', async () => {
  const { status, text } = await ask(signerOf(0), ofSchedule('/me'));
  expect(status).toBe(200);
  const own = JSON.parse(text) as { entries: { index: number; proof: string[] }[]; receipts: unknown[] };
  const amount = String(person(0).amount);
  expect(own.receipts).toMatchObject([{ window: '0', index: 0, amount, paid: true }]);
  expect(own.entries).toMatchObject([{ index: 0, amount }]);
  const proof = own.entries.flatMap((entry) => entry.proof.map((hash) => Buffer.from(hash, 'hex')));
  const leafHashes = [leafHash(person(0))];
  const { root } = employer.list;
  expect(verifyRange({ root, leafCount: RECIPIENTS, start: 0, leafHashes, proof })).toBe(true);
  for (const other of employer.list.recipients.slice(1)) expect(text).not.toContain(other.recipient);
});

it('shows the employer the whole list', async () => {
  const { text } = await ask(employer.signer, ofSchedule(''));
  const { recipients } = JSON.parse(text) as { recipients: { recipient: string; amount: string }[] };
  expect(recipients.map(({ recipient, amount }) => [recipient, amount])).toEqual(
    employer.list.recipients.map(({ recipient, amount }) => [recipient, String(amount)]),
  );
});

it('refuses colleague and stranger in the same words, whether the address is in the list or not', async () => {
  const stranger = await generateKeyPairSigner();
  const subjects = [person(0).recipient, await freshWallet()];
  const paths = [ofSchedule(''), ...subjects.map((subject) => ofSchedule(`/${subject}`))];
  const answers = await Promise.all([signerOf(1), stranger].flatMap((who) => paths.map((path) => ask(who, path))));
  // A balance is nobody's but its recipient's, the employer included.
  const askers = [employer.signer, signerOf(1), stranger];
  const balances = subjects.map((subject) => `/recipients/${subject}/balances`);
  const refusals = await Promise.all(askers.flatMap((who) => balances.map((path) => ask(who, path))));
  for (const same of [answers, refusals]) {
    for (const one of same) expect(one).toEqual(same[0]);
    expect(same[0]?.status).toBe(403);
  }
  expect((await fetch(`${world.apiUrl}/api${ofSchedule('/me')}`)).status).toBe(401);
  await world.checkMoneyRules(employer);
});
