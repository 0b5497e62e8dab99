import {
  fetchSchedule,
  findConfigAddress,
  getHoldRecipientInstruction,
  getReleaseRecipientInstruction,
  getUpdateRecipientsInstruction,
  leafHash,
  prepareList,
  type Recipient,
  sendToBase,
  verifyRange,
} from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { Failpoints } from '@payouts/testing/failpoints';
import { readSigned } from '@payouts/testing/signed';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 12;
const HELD = 3;
const LEFT_OUT = 7;
/** Seconds. */
const BATCH_TIMEOUT = 600;

type Receipt = { window: string; index: number; amount: string; paid: boolean | null; signature: string | null };
type Own = {
  root: string;
  recipients: number;
  entries: { index: number; amount: string; proof: string[] }[];
  receipts: Receipt[];
};

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  // The layer goes by the machine's clock: a window that was opened by a ledger so far behind it is over there at once.
  const behind = await world.localnet.admin.advanceClock(-BATCH_TIMEOUT - 1);
  employer = await world.employer(await variedPayees(RECIPIENTS, 1_000_000n), {
    executions: 3,
    firstExecution: BigInt(behind),
    batchTimeout: BATCH_TIMEOUT,
  });
});

async function read<T>(signer: KeyPairSigner, path: string): Promise<{ status: number; body: T }> {
  const response = await readSigned(signer, `${world.apiUrl}/api/schedules/${employer.schedule}/recipients${path}`);
  return { status: response.status, body: (await response.json()) as T };
}

/** What each recipient of a list is told of a window by their own request. */
async function receiptsOf(window: bigint, { recipients } = employer.list): Promise<Receipt[]> {
  return Promise.all(
    recipients.map(async (entry) => {
      const { status, body } = await read<Own>(keyOf(entry), '/me');
      expect(status).toBe(200);
      const receipt = body.receipts.find((one) => BigInt(one.window) === window);
      expect(receipt).toMatchObject({ index: entry.index, amount: String(entry.amount) });
      return receipt as Receipt;
    }),
  );
}

it('tells each recipient and the employer, and nobody else, who was paid in each window, whatever died meanwhile', async () => {
  const { signer, vault, schedule, list } = employer;
  const held = { employer: signer, vault, schedule, rootVersion: 0, index: HELD };
  await sendToBase(world.ledgers, [getHoldRecipientInstruction(held)], signer);

  // Window 0: one held back, one left out by somebody who died; the coordinator comes when the time is over.
  await openWindow(world, employer, 0n);
  await sendToBase(world.ledgers, [getReleaseRecipientInstruction(held)], signer);
  await claimRange(world, employer, 0, HELD);
  await claimRange(world, employer, HELD + 1, LEFT_OUT);
  await claimRange(world, employer, LEFT_OUT + 1, RECIPIENTS);
  await world.localnet.admin.advanceClock(BATCH_TIMEOUT + 1);
  const failpoints = new Failpoints();
  await world.startCoordinator({}, failpoints);
  await world.registerAndSettle(employer);
  const first = await receiptsOf(0n);
  expect(first.map(({ paid }) => paid)).toEqual(
    list.recipients.map(({ index }) => index !== HELD && index !== LEFT_OUT),
  );
  // The settlement that a receipt names is on the base ledger.
  const [signature] = new Set(first.map((receipt) => receipt.signature));
  const { value } = await world.ledgers.base.getSignatureStatuses([signature as never]).send();
  expect(value[0]?.err).toBeNull();

  // Window 1: killed in the middle of the commit stage.
  const committing = failpoints.hold('commit:after-landing', employer, { window: 1n });
  await world.localnet.admin.advanceClock(HOUR);
  await committing;
  await world.killCoordinator();
  await world.startCoordinator();
  await world.settled(employer, 1n);
  expect((await receiptsOf(1n)).map(({ paid }) => paid)).toEqual(list.recipients.map(() => true));

  // Window 2 pays another list: with the first half of the recipients in it.
  const half = prepareList(list.recipients.slice(0, 6).map(({ recipient, amount }) => ({ recipient, amount })));
  const { holds } = (await fetchSchedule(world.ledgers.base, schedule)).data;
  const update = getUpdateRecipientsInstruction({
    employer: signer,
    payer: signer,
    config: await findConfigAddress(),
    vault,
    schedule,
    root: half.root,
    amount: half.total,
    recipients: half.recipients.length,
    holds,
    held: [],
  });
  await sendToBase(world.ledgers, [update], signer);
  const replaced: Employer = { ...employer, list: half };
  await world.register(replaced);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(replaced, 2n);
  expect((await receiptsOf(2n, half)).map(({ paid }) => paid)).toEqual(half.recipients.map(() => true));
  const gone = list.recipients[11] as Recipient;
  const { body } = await read<Own>(keyOf(gone), '/me');
  expect(body.entries).toEqual([]);
  expect(body.receipts.map(({ window, paid }) => [window, paid])).toEqual([
    ['1', true],
    ['0', true],
  ]);

  // What they hold proves their entry against the ledger's own root.
  const { data: onLedger } = await fetchSchedule(world.ledgers.base, schedule);
  for (const entry of half.recipients) {
    const own = await read<Own>(keyOf(entry), `/${entry.recipient}`);
    const [{ proof, index } = { proof: [], index: -1 }] = own.body.entries;
    const leafHashes = [leafHash({ ...entry, index })];
    const proofBytes = proof.map((hash) => Buffer.from(hash, 'hex'));
    const root = Uint8Array.from(onLedger.root);
    expect(verifyRange({ root, leafCount: 6, start: index, leafHashes, proof: proofBytes })).toBe(true);
  }

  // The employer sees everybody; a colleague and a stranger see nothing.
  const page = await read<{ recipients: { recipient: string }[] }>(signer, '');
  expect(page.body.recipients.map(({ recipient }) => recipient)).toEqual(
    half.recipients.map(({ recipient }) => recipient),
  );
  expect((await read<Own>(signer, `/${gone.recipient}`)).body.receipts).toHaveLength(2);
  expect((await read(keyOf(gone), `/${half.recipients[0]?.recipient}`)).status).toBe(403);
  expect((await read(keyOf(gone), '')).status).toBe(403);
  expect((await read(await generateKeyPairSigner(), '/me')).status).toBe(403);
  expect((await fetch(`${world.apiUrl}/api/schedules/${schedule}/recipients/me`)).status).toBe(401);
  await world.checkMoneyRules(replaced);
});
