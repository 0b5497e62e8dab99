import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { declareLoss, reclaimWindow, redeem, type WindowRun, walletTokens } from '@payouts/cli';
import {
  fetchSchedule,
  fetchVault,
  findTokenAddress,
  getWithdrawInstructionAsync,
  type LiabilityProof,
  SchedulePhase,
  ScheduleStatus,
  sendToBase,
} from '@payouts/client';
import { FaultProxies } from '@payouts/testing/faults/proxies';
import { metricIn } from '@payouts/testing/metrics';
import { rounds } from '@payouts/testing/rounds';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 8;
const AMOUNT = 1_000n;
const EXECUTIONS = 3;
/** Seconds. */
const BATCH_TIMEOUT = 600;
const GRACE = 86_400;

let world: World;
let proxies: FaultProxies;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  proxies = await FaultProxies.start(world, 1);
  await world.startCoordinator({ LAYER_RPC_URL: proxies.layer.rpcUrl, METRICS_PUBLIC: 'true' });
  const terms = { executions: EXECUTIONS, batchTimeout: BATCH_TIMEOUT };
  employer = await world.employer(await variedPayees(RECIPIENTS, AMOUNT), terms);
});

const runOf = async (window: number): Promise<WindowRun | undefined> =>
  (await world.executions(employer)).find((run) => run.window === String(window));
const schedule = async () => (await fetchSchedule(world.ledgers.base, employer.schedule)).data;
const vault = async () => (await fetchVault(world.ledgers.base, employer.vault)).data;

const metric = async (name: string, ...labels: string[]) => metricIn(await world.metrics(), name, ...labels) || 0;
const layerCalls = (outcome: string) => metric('service_ledger_calls_total', 'ledger="layer"', `outcome="${outcome}"`);

it('a window whose validator never returns is reported, given back, and never called paid', async () => {
  await world.registerAndSettle(employer);
  // The next window opens, but none of its claims arrives before the validator is gone for good.
  proxies.layer.set({ faults: [{ kind: 'swallow' }] });
  await world.localnet.admin.advanceClock(HOUR);
  await until(async () => ((await schedule()).phase === SchedulePhase.Open ? true : undefined), 'the window to open');
  await until(async () => ((await runOf(1))?.stage === 'claim' ? true : undefined), 'the claims to begin');
  await world.localnet.killLayer();
  await rm(join(world.folder, 'localnet', 'layer', 'storage'), { recursive: true });

  // What the alert PayoutLedgerUnreachable looks at, and what the run says.
  await until(async () => (await runOf(1))?.errorCode === 'layer-unavailable', 'the run to say why');
  const [failed, answered] = [await layerCalls('failed'), await layerCalls('ok')];
  await world.localnet.admin.advanceClock(BATCH_TIMEOUT + 1);
  await until(async () => ((await layerCalls('failed')) > failed ? true : undefined), 'further calls to fail');
  expect(await layerCalls('ok')).toBe(answered);
  const isOverdue = async () => (await metric('service_schedule_overdue_seconds')) > BATCH_TIMEOUT;
  await until(isOverdue, 'the window to be overdue');
  const stuck = await runOf(1);
  expect(stuck).toMatchObject({ errorCode: 'layer-unavailable', finishedAt: null, claims: { paid: 0 } });
  expect(stuck?.state).not.toBe('settled');

  // The way out, as docs/operating/running.md has it.
  await world.stopCoordinator();
  const proofs = await world.liabilityProofs([...employer.balances]);
  await declareLoss(world.ledgers, { governance: world.admin, guardian: world.guardian, payer: world.admin });
  await world.localnet.admin.advanceClock(GRACE + 1);
  await reclaimWindow(world.ledgers, { payer: world.admin, ...employer });
  for (const [index, entry] of employer.list.recipients.entries()) {
    const recipient = keyOf(entry);
    const proof = proofs[index] as LiabilityProof;
    await redeem(world.ledgers, { recipient, payer: world.admin, proof, salt: entry.salt });
    expect(await walletTokens(world.ledgers, recipient.address, employer.mint)).toBe(entry.amount);
  }

  const books = await vault();
  expect(books).toMatchObject({ reserved: 0n, open: 0n, paid: employer.list.total });
  const available = books.deposited - books.withdrawn - books.paid;
  expect(available).toBe(employer.list.total * BigInt(EXECUTIONS - 1));
  const wallet = await findTokenAddress(employer.signer.address, employer.mint);
  const before = await walletTokens(world.ledgers, employer.signer.address, employer.mint);
  const { signer, vault: from, mint } = employer;
  const asked = { employer: signer, vault: from, mint, destinationToken: wallet, amount: available };
  await sendToBase(world.ledgers, [await getWithdrawInstructionAsync(asked)], signer);
  expect(await walletTokens(world.ledgers, employer.signer.address, employer.mint)).toBe(before + available);
  expect(await vault()).toMatchObject({ deposited: books.deposited, withdrawn: available, paid: employer.list.total });
  expect((await world.pool(employer)).held).toBe(0n);
  expect((await schedule()).status).toBe(ScheduleStatus.Cancelled);

  // The coordinator, still without a layer, ends the run by what the base ledger says of it.
  await world.startCoordinator({ METRICS_PUBLIC: 'true' });
  const ended = await world.runIn(employer, 'settled', { window: 1 });
  expect(ended).toMatchObject({
    finishedAt: expect.any(Number),
    claims: { paid: 0, total: RECIPIENTS },
    unpaid: { count: RECIPIENTS, reasons: { 'layer-lost': RECIPIENTS } },
  });
  expect(await runOf(0)).toMatchObject({ state: 'settled', claims: { paid: RECIPIENTS, total: RECIPIENTS } });
  const { attempts } = ended;
  await rounds(world, 'scheduler', 5);
  expect((await runOf(1))?.attempts).toEqual(attempts);
  expect((await world.executions(employer)).length).toBe(2);
});
